import { setMaxListeners } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ConnectionLimit } from "./connection-limit.js";

/** Unanswered requests per connection; one more blocks its client. */
const PIPELINED = 16;
/** Header fields of a request; one more blocks its client. */
export const HEADERS = 200;

const CONNECTION = Symbol("what is known about the connection");

/** Kept on the socket itself: entries of a WeakMap cost the garbage collector much more. */
type KnownSocket = Duplex & { [CONNECTION]?: Connection };

let count = 0;

/** A connection that has sent a request. */
export class Connection {
  /** Identifies it in this process. */
  readonly key = String(++count);
  readonly #closed = new AbortController();
  /** Called when it is closed: listeners of the signal take much longer to add and to remove. */
  readonly #onClose = new Set<() => void>();
  #unanswered = 0;
  /** The response to the latest request. */
  #newest: ServerResponse | undefined;

  constructor(socket: Duplex) {
    // One for each request that waits.
    setMaxListeners(0, this.#closed.signal);
    socket.once("close", () => {
      this.#closed.abort();
      for (const listener of this.#onClose) listener();
    });
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

  /** Resolves when the response to a request was sent, or the connection is closed. */
  sent(response: ServerResponse): Promise<void> {
    if (response.closed || this.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.#onClose.delete(done);
        resolve();
      };
      response.on("close", done);
      // A response that waits for an earlier one on the connection does not close with it.
      this.#onClose.add(done);
    });
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

/** Blocks clients that have sent too many requests without waiting for answers, or too many headers. */
export function limitPipelines(app: RequestListener, connections: ConnectionLimit): RequestListener {
  return (request, response) => {
    const { socket } = request;
    // What was read before it was closed.
    if (socket.destroyed) return;
    const connection = connectionOf(socket);
    if (connection.unanswered >= PIPELINED || request.rawHeaders.length > 2 * HEADERS) {
      connections.block(socket);
      return;
    }
    // Node drops what it has received after a request for another protocol that it passes here.
    if (request.headers.upgrade !== undefined) response.setHeader("Connection", "close");
    connection.begin(response);
    app(request, response);
  };
}
