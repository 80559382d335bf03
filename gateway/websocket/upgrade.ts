import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError } from "../../schema/errors.js";
import { type RateLimit, tooManyRequests } from "../rate-limit.js";
import { answerPlainly } from "./plain-answer.js";
import { refuseUpgrade } from "./refuse-upgrade.js";

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
      answerPlainly(this.#server, request, socket, head);
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
