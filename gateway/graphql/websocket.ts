import { randomBytes } from "node:crypto";
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  validate,
} from "graphql";
import { handleProtocols, makeServer, type Server, type SubscribePayload } from "graphql-ws";
import type { Logger } from "pino";
import { eventTextOf, type SourceEvent } from "../../schema/events/event-text.js";
import {
  createOperationContext,
  type OperationContext,
  type Services,
  servicesInTurns,
} from "../../schema/graph/context.js";
import { ApiError, type ErrorCode } from "../../schema/services/errors.js";
import { toApiError } from "../../schema/services/failure.js";
import { OperationMeter } from "../../schema/services/operation-meter.js";
import { type Access, guesserOf } from "../access/access.js";
import type { ClientLimit, ClientLimits } from "../clients/client-limit.js";
import { type Client, Clients } from "../clients/clients.js";
import { FairQueue } from "../clients/fair-queue.js";
import { CloseCode } from "../http/close-code.js";
import { connectionOf } from "../http/exchange.js";
import { requireShallow } from "../http/json-body.js";
import type { UpgradeRouter } from "../http/upgrade.js";
import { type Accepted, Sockets } from "../sockets/sockets.js";
import { documentRules } from "./document-rules.js";
import { EventResult, eventResult } from "./event-result.js";
import { GRAPHQL_PATH } from "./graphql.js";
import {
  type GraphqlLimits,
  type GraphqlSocketLimits,
  graphqlLimits,
  graphqlSocketLimits,
  parseWithinLimits,
} from "./limits.js";
import { type ErrorContext, maskError, maskResult } from "./mask-error.js";
import { PacedAnswers } from "./paced-answers.js";
import { GraphqlSocket } from "./socket.js";

const CONNECTION_ID_BYTES = 6;
/** Clients choose the names of their operations. */
const QUOTED_ID_LENGTH = 40;

export interface GraphqlWebSocketOptions {
  readonly upgrades: UpgradeRouter;
  readonly schema: GraphQLSchema;
  readonly services: Services;
  readonly log: Logger;
  /** Tracks connections of any kind; by default without trusted proxies. */
  readonly clients?: Clients | undefined;
  readonly access: Access;
  readonly clientLimits: ClientLimits;
  readonly limits?: Partial<GraphqlSocketLimits> | undefined;
  readonly graphqlLimits?: Partial<GraphqlLimits> | undefined;
}

export interface GraphqlWebSocket {
  /** Number of open connections. */
  readonly connections: number;
  /** Closes every connection with 1001 and waits until all are closed. */
  close(): Promise<void>;
}

/**
 * Serves the protocol of `graphql-ws` (graphql-transport-ws) at `/graphql`, with the access rule and limits of HTTP
 * there.
 */
export function attachGraphqlWebSocket(options: GraphqlWebSocketOptions): GraphqlWebSocket {
  return new GraphqlSockets(options);
}

/** Results up to this size of their own do not count as answers of the client, in bytes. */
const SMALL_RESULT_BYTES = 16_384;

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
}

/** An operation of a connection, by the name that the client gave it. */
interface Asked {
  readonly extra: Extra;
  readonly id: string;
}

class GraphqlSockets implements GraphqlWebSocket {
  readonly #options: GraphqlWebSocketOptions;
  readonly #limits: GraphqlSocketLimits;
  readonly #protocol: Server<Extra>;
  readonly #sockets: Sockets<GraphqlSocket>;
  readonly #steps = new FairQueue();
  readonly #answers: ClientLimit;
  /** As over HTTP, operations of a client run one at a time: each occupies the event loop for milliseconds. */
  readonly #executions: ClientLimit;
  readonly #pages: ClientLimit;
  /** One result per connection at one time: a connection that does not read does not block the others. */
  readonly #answersOfConnections: ClientLimit;
  /** By the contexts of the operations. */
  readonly #asked = new WeakMap<object, Asked>();

  constructor(options: GraphqlWebSocketOptions) {
    this.#options = options;
    this.#limits = { ...graphqlSocketLimits, ...options.limits };
    const { clientLimits, upgrades, access, clients = new Clients() } = options;
    this.#answers = clientLimits.create("graphqlResults", { perClient: this.#limits.answersPerClient });
    this.#executions = clientLimits.create("graphqlOperations", { perClient: 1 });
    this.#pages = clientLimits.create("missedPages", { perClient: this.#limits.pagesPerClient });
    this.#answersOfConnections = clientLimits.create("graphqlConnectionResults", { perClient: 1 });
    this.#protocol = this.#makeProtocol();
    this.#sockets = new Sockets({
      path: GRAPHQL_PATH,
      upgrades: [upgrades],
      clients,
      limits: this.#limits,
      handleProtocols,
      rejectionOf: (request, client) => {
        const { authorization } = request.headers;
        const guess = access.guessOf(authorization, guesserOf(request, client.key));
        if (guess || access.mayUse(request)) return guess;
        // The token may follow in the first message.
        return access.sessions && authorization === undefined ? undefined : access.forbidden(request);
      },
      open: (accepted) => this.#open(accepted),
    });
  }

  get connections(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    await this.#sockets.close();
    this.#steps.close();
  }

  #open({ socket: webSocket, stream, request, client, receiveLimit }: Accepted): GraphqlSocket {
    const socket = new GraphqlSocket({
      socket: webSocket,
      stream,
      clientKey: client.key,
      steps: this.#steps,
      receiveLimit,
      bufferedBytes: this.#limits.bufferedBytes,
      onFailure: (error) => this.#options.log.error({ err: error }, "Handling a message to /graphql failed"),
    });
    // Browsers let any page open a connection anywhere, including the session: a page of another origin needs the
    // token.
    const isAdmitted = this.#options.access.mayUse(request);
    const connectionId = randomBytes(CONNECTION_ID_BYTES).toString("hex");
    const { signal } = connectionOf(request.socket);
    const closed = this.#protocol.opened(
      {
        protocol: webSocket.protocol,
        // An operation continues when its message has been sent, so a slow reader's events are queued where their
        // number is bounded.
        send: (text) => socket.send(text),
        close: (code, reason) => socket.close(code ?? CloseCode.internalError, reason ?? ""),
        onMessage: (handle) => socket.onMessage(handle),
      },
      { isAdmitted, connectionId, client, guesser: guesserOf(request, client.key), socket, closed: signal },
    );
    webSocket.on("close", (code, reason) => void closed(code, reason.toString()));
    return socket;
  }

  #makeProtocol(): Server<Extra> {
    const { access, log } = this.#options;
    const asker = ({ extra: { connectionId }, id }: Asked): ErrorContext => {
      return { log, requestId: `${connectionId}/${id.slice(0, QUOTED_ID_LENGTH)}` };
    };
    return makeServer<Record<string, unknown>, Extra>({
      onConnect: ({ extra, connectionParams }) => {
        if (extra.isAdmitted) return true;
        const token = connectionParams?.Authorization ?? connectionParams?.authorization;
        return !access.guessOf(token, extra.guesser) && access.isBearer(token);
      },
      onSubscribe: ({ subscriptions, extra }, id, payload) => {
        const limit = this.#limits.operationsPerConnection;
        if (Object.keys(subscriptions).length <= limit) return this.#prepare(payload, { extra, id });
        return [asGraphqlError(new ApiError("TooManyRequests", `a connection may have at most ${limit} operations`))];
      },
      execute: (args) =>
        this.#pace(args, once(), (_event, signal) => this.#execute(args, signal).catch(failedResult), failedResult),
      subscribe: async (args) => {
        meterOf(args).release();
        const events = await createSourceEventStream(args);
        if (!(Symbol.asyncIterator in events)) return events;
        return this.#pace(args, events[Symbol.asyncIterator](), async (event) => {
          const result = await execute({ ...args, rootValue: event });
          return eventResult(maskResult(result, asker(this.#askedBy(args))), eventTextOf(event as SourceEvent));
        });
      },
      onNext: ({ extra }, id, _payload, _args, result: ExecutionResult) =>
        result instanceof EventResult ? extra.socket.payloadOf(result) : maskResult(result, asker({ extra, id })),
      onError: ({ extra }, id, _payload, errors) =>
        errors.map((error) => maskError(error, asker({ extra, id })).toJSON()),
    });
  }

  /** Runs a query or a mutation when the client's earlier ones have run. */
  #execute(args: ExecutionArgs, signal: AbortSignal): Promise<ExecutionResult> {
    const { key } = this.#askedBy(args).extra.client;
    return this.#executions.run(key, signal, () => meterOf(args).race(execute(args)));
  }

  /** Results of events, as many concurrently as a client may have. */
  #pace<Event>(
    args: ExecutionArgs,
    events: AsyncIterator<Event>,
    answer: (event: Event, signal: AbortSignal) => Promise<ExecutionResult> | ExecutionResult,
    rejection?: (error: unknown) => ExecutionResult,
  ): AsyncIterableIterator<ExecutionResult> {
    const { client, connectionId } = this.#askedBy(args).extra;
    const places = {
      ofConnection: { limit: this.#answersOfConnections, key: connectionId },
      ofClient: { limit: this.#answers, key: client.key },
    };
    const isSmall = (result: ExecutionResult) => result instanceof EventResult && result.ownBytes <= SMALL_RESULT_BYTES;
    return new PacedAnswers({ events, answer, client: client.key, steps: this.#steps, places, rejection, isSmall });
  }

  #askedBy({ contextValue }: ExecutionArgs): Asked {
    return this.#asked.get(contextValue as object)!;
  }

  #prepare(
    { query, operationName, variables }: SubscribePayload,
    asked: Asked,
  ): ExecutionArgs | readonly GraphQLError[] {
    const { schema, services, graphqlLimits: own } = this.#options;
    const limits = { ...graphqlLimits, ...own };
    try {
      requireShallow("variables", variables);
      const document = parseWithinLimits(query, limits);
      const errors = validate(schema, document, documentRules);
      if (errors.length > 0) return errors.map(withCode("InvalidArgument"));
      const { key } = asked.extra.client;
      const keepPage = (signal: AbortSignal, work: () => Promise<void>) => this.#pages.run(key, signal, work);
      const { closed } = asked.extra;
      const contextValue = {
        ...createOperationContext(servicesInTurns({ ...services, client: key }), new OperationMeter(limits)),
        keepPage,
        closed,
      };
      this.#asked.set(contextValue, asked);
      return { schema, document, operationName, variableValues: variables, contextValue };
    } catch (error) {
      if (error instanceof GraphQLError) return [withCode("InvalidContent")(error)];
      if (error instanceof ApiError) return [asGraphqlError(error)];
      throw error;
    }
  }
}

function failedResult(error: unknown): ExecutionResult {
  return { errors: [asGraphqlError(toApiError(error))] };
}

/** A single event. */
async function* once(): AsyncGenerator<undefined> {
  yield undefined;
}

function meterOf({ contextValue }: ExecutionArgs): OperationMeter {
  return (contextValue as OperationContext).meter;
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

function asGraphqlError(error: ApiError): GraphQLError {
  return new GraphQLError(error.message, { originalError: error, extensions: { ...error.extensions } });
}
