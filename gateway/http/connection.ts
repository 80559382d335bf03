import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Clients, tooManyConnections } from "../clients/clients.js";
import { rejectUpgrade } from "./reject-upgrade.js";

const CONNECTION = Symbol("what is known about the connection");

/** Kept on the socket itself: entries of a WeakMap cost the garbage collector much more. */
type KnownSocket = Duplex & { [CONNECTION]?: Connection };

let count = 0;

/** A connection that has sent a request. */
export class Connection {
  /** Identifies it in this process. */
  readonly key = String(++count);
  readonly #closed = new AbortController();
  #unanswered = 0;
  /** The response to the latest request. */
  #newest: ServerResponse | undefined;

  constructor(socket: Duplex) {
    socket.once("close", () => this.#closed.abort());
  }

  /** Aborted when it is closed: the client waits for no answer any more. */
  get signal(): AbortSignal {
    return this.#closed.signal;
  }

  /** Number of requests whose answers were not sent. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** A request has arrived. */
  begin(response: ServerResponse): void {
    this.#unanswered += 1;
    this.#newest = response;
    response.on("close", this.#answered);
  }

  readonly #answered = (): void => {
    this.#unanswered -= 1;
  };

  /** Whether an error may be sent now: not before the answer to an earlier request, nor within the one to this. */
  get mayFail(): boolean {
    if (this.#unanswered === 0) return true;
    const newest = this.#newest;
    return this.#unanswered === 1 && newest !== undefined && !newest.headersSent && !newest.req.complete;
  }
}

/** What is known about the connection of a socket that sends a request. */
export function connectionOf(socket: KnownSocket): Connection {
  socket[CONNECTION] ??= new Connection(socket);
  return socket[CONNECTION];
}

/** The same; undefined if the socket has sent no request yet. */
export function knownConnection(socket: KnownSocket): Connection | undefined {
  return socket[CONNECTION];
}

/** Resolves when a response was sent, or its connection is closed. */
export function sent(response: ServerResponse): Promise<void> {
  const { signal } = connectionOf(response.req.socket);
  if (response.closed || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("close", done);
      // A response that waits for an earlier one on the connection does not close with it.
      signal.removeEventListener("abort", done);
      resolve();
    };
    response.on("close", done);
    signal.addEventListener("abort", done);
  });
}

/** The kind under which all connections of a client are counted. */
const KIND = "the port";

const COUNTED = Symbol("counted as a connection");

/**
 * Rejects connections of one client above a limit with 429, over TLS without a response. Connections of trusted
 * proxies, which belong to many clients, are not counted.
 */
export function limitConnections(server: Server, clients: Clients, limit: number, isTls: boolean): void {
  server.on("connection", (socket: Socket & { [COUNTED]?: true }) => {
    const address = socket.remoteAddress ?? "";
    // A connection is passed to the server a second time when it has asked for an upgrade.
    if (socket[COUNTED] || clients.isProxy(address)) return;
    const client = clients.at(address);
    if (clients.isBlocked(address) || (isTls && client.connections(KIND) >= limit)) {
      socket.destroy();
    } else if (client.connections(KIND) >= limit) {
      rejectUpgrade(socket, tooManyConnections(limit, KIND));
    } else {
      socket[COUNTED] = true;
      socket.once("close", clients.open(client, KIND));
    }
  });
}
