import { randomBytes } from "node:crypto";
import { type ExecutionArgs, type ExecutionResult, execute, GraphQLError, type GraphQLSchema, validate } from "graphql";
import {
  handleProtocols,
  makeServer,
  CloseCode as ProtocolCloseCode,
  type Server,
  type SubscribePayload,
} from "graphql-ws";
import type { Logger } from "pino";
import { ApiError, type ErrorCode } from "../../schema/errors/errors.js";
import { toApiError } from "../../schema/errors/failure.js";
import { optional } from "../../schema/graph/arguments.js";
import {
  type Context,
  operationContext,
  type Services,
  withConnectionQueue,
  withOneConnection,
} from "../../schema/graph/context.js";
import { logLimited } from "../../schema/limits/limited-log.js";
import { type Access, identifyGuesser } from "../access/access.js";
import type { ClientLimit, ClientLimits } from "../clients/client-limit.js";
import { type Client, Clients } from "../clients/clients.js";
import { FairQueue } from "../clients/fair-queue.js";
import { CloseCode } from "../http/close-code.js";
import { connectionOf } from "../http/exchange.js";
import { requireShallow } from "../http/json-body.js";
import type { UpgradeRouter } from "../http/upgrade.js";
import { type Accepted, type SocketLimits, Sockets } from "../sockets/sockets.js";
import type { CompiledQueries } from "./compiled-queries.js";
import { EventResult } from "./event-result.js";
import { GRAPHQL_PATH } from "./graphql.js";
import { asGraphqlError, type ErrorContext, maskError, maskResult } from "./mask-error.js";
import { documentRules, limitResult, parseDocument } from "./protection.js";
import type { RequestedOperation } from "./read-request.js";
import { GraphqlSocket } from "./socket.js";
import { subscribe } from "./subscribe.js";

/** Limits of WebSocket connections to `/graphql`. */
export interface GraphqlSocketLimits extends SocketLimits {
  /** Concurrent queries and subscriptions per connection. */
  readonly operationsPerConnection: number;
  /** Bytes queued for a client that keeps sending; above it the connection is closed with 1013. */
  readonly bufferedBytes: number;
}

const defaultLimits: GraphqlSocketLimits = {
  connections: 1_000,
  connectionsPerClient: 100,
  operationsPerConnection: 100,
  messageBytes: 65_536,
  messagesPerSecond: 200,
  bytesPerSecond: 1024 * 1024,
  bufferedBytes: 4 * 1024 * 1024,
  pingIntervalMs: 30_000,
  closeTimeoutMs: 5_000,
};

const CONNECTION_ID_BYTES = 6;
/** Clients choose the names of their operations. */
const QUOTED_ID_LENGTH = 40;

export interface GraphqlWebSocketOptions {
  readonly upgrades: UpgradeRouter;
  readonly schema: GraphQLSchema;
  /** The services of operations of users. */
  readonly services: Services;
  readonly queries: CompiledQueries;
  readonly log: Logger;
  /** Tracks connections of any kind; by default without trusted proxies. */
  readonly clients?: Clients | undefined;
  readonly access: Access;
  readonly clientLimits: ClientLimits;
  readonly limits?: Partial<GraphqlSocketLimits> | undefined;
}

/** A connection. */
interface Extra {
  /** Whether its request was enough to admit it. */
  readonly isAdmitted: boolean;
  /** Identifies the connection in the log and in errors. */
  readonly connectionId: string;
  readonly client: Client;
  readonly guesser: string;
  readonly socket: GraphqlSocket;
  /** Aborted when it is closed. */
  readonly closed: AbortSignal;
  /** By their messages, the queries whose results are not sent yet: called when they are, or never will be. */
  readonly queries: Map<SubscribePayload, () => void>;
}

/** An operation, by the name that the client gave it; it has it in place of a context until it runs. */
interface OperationContext {
  readonly extra: Extra;
  readonly id: string;
  readonly payload: SubscribePayload;
}

/**
 * Serves the protocol of `graphql-ws` (graphql-transport-ws) at `/graphql`, with the access rule and limits of HTTP
 * there.
 */
export class GraphqlSockets {
  readonly #options: GraphqlWebSocketOptions;
  readonly #limits: GraphqlSocketLimits;
  readonly #protocol: Server<Extra>;
  readonly #sockets: Sockets<GraphqlSocket>;
  /** As over HTTP, a client has one query at a time, until its result was sent. */
  readonly #queries: ClientLimit;

  constructor(options: GraphqlWebSocketOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    const { clientLimits, upgrades, access, clients = new Clients() } = options;
    this.#queries = clientLimits.create("graphqlOperations", { perClient: 1 });
    this.#protocol = this.#makeProtocol();
    this.#sockets = new Sockets({
      path: GRAPHQL_PATH,
      clients,
      turns: new FairQueue(),
      limits: this.#limits,
      handleProtocols,
      rejectionOf: (request, client) => {
        const { authorization } = request.headers;
        const guess = access.checkGuess(authorization, identifyGuesser(request, client.key));
        if (guess || access.mayUse(request)) return guess;
        // The token may follow in the first message.
        return access.sessions && authorization === undefined ? undefined : access.forbidden(request);
      },
      open: (accepted) => this.#open(accepted),
    });
    this.#sockets.serve(upgrades);
  }

  /** Closes every connection with 1001 and waits until all are closed. */
  close(): Promise<void> {
    return this.#sockets.close();
  }

  #open({ socket: webSocket, stream, request, client, inbox }: Accepted): GraphqlSocket {
    const socket = new GraphqlSocket({
      socket: webSocket,
      stream,
      clientKey: client.key,
      inbox,
      bufferedBytes: this.#limits.bufferedBytes,
      onFailure: (err) => {
        // The library closes the connection itself for every other message that no client may send.
        if (isUnexpectedMessage(err)) return socket.close(ProtocolCloseCode.BadRequest, "Invalid message received");
        logLimited(this.#options.log, client.key, { err }, "Handling a message to /graphql failed");
        socket.fail();
      },
    });
    // Browsers let any page open a connection anywhere, including the session: a page of another origin needs the
    // token.
    const isAdmitted = this.#options.access.mayUse(request);
    const connectionId = randomBytes(CONNECTION_ID_BYTES).toString("hex");
    const { signal } = connectionOf(request.socket);
    const queries = new Map<SubscribePayload, () => void>();
    const closed = this.#protocol.opened(
      {
        protocol: webSocket.protocol,
        // An operation continues when its message has been sent, so a slow reader's events are queued where their
        // number is bounded.
        send: (text) => socket.send(text),
        close: (code, reason) => socket.close(code ?? CloseCode.internalError, reason ?? ""),
        onMessage: (handle) => socket.onMessage(handle),
      },
      {
        isAdmitted,
        connectionId,
        client,
        guesser: identifyGuesser(request, client.key),
        socket,
        closed: signal,
        queries,
      },
    );
    webSocket.on("close", (code, reason) => {
      for (const end of queries.values()) end();
      void closed(code, reason.toString());
    });
    return socket;
  }

  #makeProtocol(): Server<Extra> {
    const { access, log } = this.#options;
    const asker = ({ extra: { connectionId, client }, id }: Pick<OperationContext, "extra" | "id">): ErrorContext => {
      return { log, client: client.key, requestId: `${connectionId}/${id.slice(0, QUOTED_ID_LENGTH)}` };
    };
    return makeServer<Record<string, unknown>, Extra>({
      onConnect: ({ extra, connectionParams }) => {
        if (extra.isAdmitted) return true;
        const token = connectionParams?.Authorization ?? connectionParams?.authorization;
        return !access.checkGuess(token, extra.guesser) && access.isBearer(token);
      },
      onSubscribe: ({ subscriptions, extra }, id, payload) => {
        const limit = this.#limits.operationsPerConnection;
        // Queries that the client gave up run too, unless it disconnects.
        const count = Math.max(Object.keys(subscriptions).length, extra.queries.size);
        if (count <= limit) return this.#prepare(extra, id, payload);
        return [asGraphqlError(new ApiError("TooManyRequests", `a connection may have at most ${limit} operations`))];
      },
      execute: (args) => this.#query(args),
      subscribe: (args) => {
        const operation = args.contextValue as OperationContext;
        return subscribe({ ...args, contextValue: this.#subscriptionContext(operation) }, (result) =>
          maskResult(result, asker(operation)),
        );
      },
      onNext: ({ extra }, id, _payload, _args, result: ExecutionResult) =>
        result instanceof EventResult
          ? extra.socket.parsePayload(result)
          : maskResult(limitResult(result), asker({ extra, id })),
      onComplete: ({ extra: { queries } }, _id, payload) => {
        queries.get(payload)?.();
        queries.delete(payload);
      },
      onError: ({ extra }, id, _payload, errors) =>
        errors.map((error) => maskError(error, asker({ extra, id })).toJSON()),
    });
  }

  /** Runs a query or a mutation, when the results of the client's earlier ones were sent. */
  #query(args: ExecutionArgs): Promise<ExecutionResult> {
    const { extra, payload } = args.contextValue as OperationContext;
    const { key } = extra.client;
    const isSent = new Promise<void>((end) => extra.queries.set(payload, end));
    return new Promise((deliver) => {
      const services = { ...this.#options.services, client: key };
      const { queries } = this.#options;
      const run = async (own: Services): Promise<ExecutionResult> => {
        const contextOf = () => operationContext(own);
        const result = await queries.run<ExecutionResult>(toRequest(payload), contextOf, async () => {
          queries.note(args.document, args.operationName ?? undefined);
          return execute({ ...args, contextValue: contextOf() });
        });
        // Not its context.
        return "context" in result ? { data: result.data } : result;
      };
      const work = async () => {
        deliver(await withOneConnection(services, run, extra.closed));
        await isSent;
      };
      this.#queries.run(key, extra.closed, work).catch((error) => deliver(failedResult(error)));
    });
  }

  #subscriptionContext({ extra: { client } }: OperationContext): Context {
    const { key } = client;
    return withConnectionQueue({ ...this.#options.services, client: key });
  }

  #prepare(extra: Extra, id: string, payload: SubscribePayload): ExecutionArgs | readonly GraphQLError[] {
    const { schema, queries } = this.#options;
    const operation = toRequest(payload);
    const { variables, operationName } = operation;
    try {
      requireShallow("variables", variables);
      const known = queries.findDocument(operation);
      const document = known ?? parseDocument(operation.query);
      const errors = known ? [] : validate(schema, document, documentRules);
      if (errors.length > 0) return errors.map(withCode("InvalidArgument"));
      const contextValue: OperationContext = { extra, id, payload };
      return { schema, document, operationName, variableValues: variables, contextValue };
    } catch (error) {
      if (error instanceof GraphQLError) return [withCode("InvalidContent")(error)];
      if (error instanceof ApiError) return [asGraphqlError(error)];
      throw error;
    }
  }
}

function toRequest({ query, operationName, variables }: SubscribePayload): RequestedOperation {
  return { query, operationName: optional(operationName), variables: optional(variables) };
}

/** Whether it is the library's error for a message of a type that only servers send: it has no class of its own. */
function isUnexpectedMessage(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Unexpected message of type ");
}

function failedResult(error: unknown): ExecutionResult {
  return { errors: [asGraphqlError(toApiError(error))] };
}

/** Adds a code to errors of documents that have none. */
function withCode(code: ErrorCode): (error: GraphQLError) => GraphQLError {
  return (error) => {
    const { message, nodes, source, positions, path } = error;
    return error.extensions.code
      ? error
      : new GraphQLError(message, { nodes, source, positions, path, extensions: { code } });
  };
}
