import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  parse,
  specifiedRules,
  subscribe,
  validate,
} from "graphql";
import { handleProtocols, makeServer, type Server, type SubscribePayload } from "graphql-ws";
import type { Logger } from "pino";
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws";
import { createOperationContext, type OperationContext, type Services } from "../../schema/context.js";
import { ApiError, type ErrorCode, serviceUnavailable } from "../../schema/errors.js";
import { toApiError } from "../../schema/failure.js";
import { OperationMeter } from "../../schema/operation-meter.js";
import type { Access } from "../access/access.js";
import { CloseCode } from "../websocket/close-code.js";
import { refuseBadHandshakes, refuseUpgrade } from "../websocket/refuse-upgrade.js";
import type { UpgradeHandler, UpgradeRouter } from "../websocket/upgrade.js";
import { checkCost } from "./cost.js";
import { GRAPHQL_PATH } from "./graphql.js";
import {
  type GraphqlLimits,
  type GraphqlSocketLimits,
  graphqlLimits,
  graphqlSocketLimits,
  limitRule,
} from "./limits.js";
import { maskError } from "./mask-error.js";

const CONNECTION_ID_BYTES = 6;
/** Clients name their operations as they like. */
const QUOTED_ID_LENGTH = 40;

export interface GraphqlWebSocketOptions {
  readonly upgrades: UpgradeRouter;
  readonly schema: GraphQLSchema;
  readonly services: Services;
  readonly log: Logger;
  readonly access: Access;
  readonly limits?: Partial<GraphqlSocketLimits> | undefined;
  readonly graphqlLimits?: Partial<GraphqlLimits> | undefined;
}

export interface GraphqlWebSocket {
  /** Open connections. */
  readonly connections: number;
  /** Closes every connection with 1001 and waits until all are gone. */
  close(): Promise<void>;
}

/** Serves the protocol of `graphql-ws` (graphql-transport-ws) at `/graphql`, by the access rule and limits of HTTP there. */
export function attachGraphqlWebSocket(options: GraphqlWebSocketOptions): GraphqlWebSocket {
  return new GraphqlSockets(options);
}

/** What is known of a connection: whether its request was enough to let it in. */
interface Extra {
  readonly isAdmitted: boolean;
  /** Names the connection in the log and in errors. */
  readonly connectionId: string;
}

class GraphqlSockets implements GraphqlWebSocket {
  readonly #options: GraphqlWebSocketOptions;
  readonly #limits: GraphqlSocketLimits;
  readonly #protocol: Server<Extra>;
  readonly #upgrades: WebSocketServer;
  /** Each with whether it was heard since the last ping. */
  readonly #sockets = new Map<WebSocket, boolean>();
  readonly #heartbeat: NodeJS.Timeout;
  #isClosing = false;
  #onEmpty: () => void = () => undefined;

  constructor(options: GraphqlWebSocketOptions) {
    this.#options = options;
    this.#limits = { ...graphqlSocketLimits, ...options.limits };
    this.#protocol = this.#makeProtocol();
    // `closeTimeout` is documented by ws, its type declarations lack it.
    const serverOptions: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: this.#limits.messageBytes,
      closeTimeout: this.#limits.closeTimeoutMs,
      handleProtocols,
    };
    this.#upgrades = new WebSocketServer(serverOptions);
    refuseBadHandshakes(this.#upgrades);
    this.#heartbeat = setInterval(() => this.#pingAll(), this.#limits.pingIntervalMs);
    options.upgrades.add(GRAPHQL_PATH, this.#upgrade);
  }

  get connections(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#heartbeat);
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const socket of this.#sockets.keys()) socket.close(CloseCode.goingAway, "The gateway is going down");
    if (this.#sockets.size > 0) await empty;
  }

  readonly #upgrade: UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const { access } = this.#options;
    // Browsers let any page open a connection to anywhere, with the session too: a page of another origin needs the token.
    const isAdmitted = access.mayUse(request);
    if (this.#isClosing) {
      refuseUpgrade(socket, serviceUnavailable("the gateway is going down"));
    } else if (!isAdmitted && (!access.sessions || request.headers.authorization !== undefined)) {
      refuseUpgrade(socket, access.forbidden(request));
    } else if (this.#sockets.size >= this.#limits.connections) {
      refuseUpgrade(socket, serviceUnavailable(`the limit of ${this.#limits.connections} connections is reached`));
    } else {
      this.#upgrades.handleUpgrade(request, socket, head, (webSocket) =>
        this.#accept(webSocket, { isAdmitted, connectionId: randomBytes(CONNECTION_ID_BYTES).toString("hex") }),
      );
    }
  };

  #accept(socket: WebSocket, extra: Extra): void {
    this.#sockets.set(socket, true);
    socket.on("pong", () => this.#sockets.set(socket, true));
    // A broken frame or a reset: `close` follows.
    socket.on("error", () => undefined);
    const closed = this.#protocol.opened(
      {
        protocol: socket.protocol,
        // An operation goes on when its message has left, so a slow reader's events wait where their number is bounded.
        send: (text) => new Promise<void>((resolve) => socket.send(text, () => resolve())),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (handle) => socket.on("message", (data) => this.#receive(socket, data.toString(), handle)),
      },
      extra,
    );
    socket.on("close", (code, reason) => {
      this.#sockets.delete(socket);
      void closed(code, reason.toString());
      if (this.#sockets.size === 0) this.#onEmpty();
    });
  }

  async #receive(socket: WebSocket, text: string, handle: (text: string) => Promise<void>): Promise<void> {
    if (socket.bufferedAmount > this.#limits.bufferedBytes) {
      socket.close(CloseCode.tryAgainLater, "The client reads too slowly");
      return;
    }
    try {
      await handle(text);
    } catch (error) {
      this.#options.log.error({ err: error }, "a message to /graphql could not be handled");
      socket.close(CloseCode.internalError, "The gateway failed");
    }
  }

  #pingAll(): void {
    for (const [socket, isHeard] of this.#sockets) {
      if (!isHeard) {
        socket.terminate();
        continue;
      }
      this.#sockets.set(socket, false);
      socket.ping();
    }
  }

  #makeProtocol(): Server<Extra> {
    const { access, log } = this.#options;
    const mask = ({ connectionId }: Extra, id: string, errors: readonly GraphQLError[]) => {
      const requestId = `${connectionId}/${id.slice(0, QUOTED_ID_LENGTH)}`;
      return errors.map((error) => maskError(error, { log, requestId }).toJSON());
    };
    return makeServer<Record<string, unknown>, Extra>({
      onConnect: ({ extra, connectionParams }) =>
        extra.isAdmitted || access.isBearer(connectionParams?.Authorization ?? connectionParams?.authorization),
      onSubscribe: ({ subscriptions }, _id, payload) => {
        const limit = this.#limits.operationsPerConnection;
        if (Object.keys(subscriptions).length <= limit) return this.#prepare(payload);
        return [asGraphqlError(new ApiError("TooManyRequests", `a connection may have ${limit} operations at most`))];
      },
      execute: (args) =>
        meterOf(args)
          .race(execute(args))
          .catch((error: unknown) => ({ errors: [asGraphqlError(toApiError(error))] })),
      subscribe: (args) => {
        meterOf(args).release();
        return subscribe(args);
      },
      onNext: ({ extra }, id, _payload, _args, { errors, ...result }: ExecutionResult) =>
        errors ? { ...result, errors: mask(extra, id, errors) } : undefined,
      onError: ({ extra }, id, _payload, errors) => mask(extra, id, errors),
    });
  }

  #prepare({ query, operationName, variables }: SubscribePayload): ExecutionArgs | readonly GraphQLError[] {
    const { schema, services, graphqlLimits: own } = this.#options;
    const limits = { ...graphqlLimits, ...own };
    try {
      const document = parse(query, { maxTokens: limits.tokens });
      const errors = validate(schema, document, [...specifiedRules, limitRule(limits)]);
      if (errors.length > 0) return errors.map(withCode("InvalidArgument"));
      const refusal = checkCost({ schema, document, operationName, variables }, limits.cost);
      if (refusal) return [refusal];
      const contextValue = createOperationContext(services, new OperationMeter(limits));
      return { schema, document, operationName, variableValues: variables, contextValue };
    } catch (error) {
      if (error instanceof GraphQLError) return [withCode("InvalidContent")(error)];
      throw error;
    }
  }
}

function meterOf({ contextValue }: ExecutionArgs): OperationMeter {
  return (contextValue as OperationContext).meter;
}

/** Gives errors of documents a code, where they have none. */
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
