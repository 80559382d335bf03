import { type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ApiError, errorCodes, invalidContent } from "../../schema/errors.js";
import { type RateLimit, tooManyRequests } from "../rate-limit.js";

/** Takes a WebSocket upgrade: see the `upgrade` event of Node's HTTP server. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Hands the upgrades of an HTTP server to whoever serves their path; another path gets 404. */
export class UpgradeRouter {
  readonly #server: Server;
  readonly #rateLimit: RateLimit | undefined;
  readonly #handlers = new Map<string, UpgradeHandler>();

  /** @param rateLimit counts each new connection as a request */
  constructor(server: Server, rateLimit?: RateLimit) {
    this.#server = server;
    this.#rateLimit = rateLimit;
    server.on("upgrade", this.#upgrade);
  }

  /** Serves a path. */
  add(path: string, handler: UpgradeHandler): void {
    this.#handlers.set(path, handler);
  }

  readonly #upgrade: UpgradeHandler = (request, socket, head) => {
    if (!asksForWebSocket(request)) {
      answerPlainly(this.#server, request, socket);
      return;
    }
    const handler = this.#handlers.get(pathOf(request));
    if (!handler) {
      const served = [...this.#handlers.keys()].join(" and ");
      refuseUpgrade(socket, new ApiError("ResourceNotFound", `WebSocket connections are served at ${served}`));
      return;
    }
    const waitSeconds = this.#rateLimit?.take(request);
    if (waitSeconds !== undefined) refuseUpgrade(socket, tooManyRequests(waitSeconds));
    else handler(request, socket, head);
  };
}

/** The path of a request without its query. */
function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0]!;
}

/** Whether a request asks for WebSocket and not for another protocol. */
function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

/** Answers a WebSocket upgrade, or what is no request at all, with the HTTP status of an error and `{code, message}`, and ends the connection. */
export function refuseUpgrade(socket: Duplex, { code, message }: ApiError): void {
  const { status } = errorCodes[code];
  const body = JSON.stringify({ code, message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Connection: close",
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  // The client may have gone away.
  socket.on("error", () => undefined);
  socket.once("finish", () => socket.destroy());
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/**
 * Answers a request that asks for another protocol than WebSocket (HTTP/2: Java's client does so with every request) as
 * if it had not asked, which HTTP allows. Needed because Node hands over all such requests as soon as anybody listens
 * for upgrades. Node does not read their body, so one that has a body is refused.
 */
function answerPlainly(server: Server, request: IncomingMessage, socket: Duplex): void {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  if (encoding !== undefined || Number(length ?? 0) > 0) {
    refuseUpgrade(socket, invalidContent("a request that asks for an upgrade", "without a body"));
    return;
  }
  // Node no longer listens for errors of a socket that it handed over.
  socket.on("error", () => undefined);
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.on("finish", () => socket.end());
  server.emit("request", request, response);
}
