import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError, errorCodes } from "../../schema/services/errors.js";
import { toApiError } from "../../schema/services/failure.js";
import type { Clients } from "./clients.js";
import type { Release } from "./fair-gate.js";
import { Gates } from "./gates.js";

/** Limits of concurrent requests per client. */
export interface RequestTurnsLimits {
  /** Concurrent requests; others are queued, so that one client leaves room for others. */
  readonly atOnce: number;
  /** Queued requests per client; further ones are answered with 429. */
  readonly waiting: number;
  /** Unanswered requests per connection; one more closes it. */
  readonly pipelined: number;
  /** Header fields of a request; one more closes its connection. */
  readonly headers: number;
  /** How long a client is blocked after that, in ms: reading what it has sent has already cost time. */
  readonly blockMs: number;
}

/** The client of a request in progress, and how its turn ends. */
interface InWork {
  readonly key: string;
  release: Release | undefined;
}

const IN_WORK = Symbol("the turn of the request");

type TurnResponse = ServerResponse & { [IN_WORK]?: InWork };

/**
 * Takes a turn of the client, until it has taken the answer.
 * @returns undefined if it is the request's turn at once, otherwise what resolves then. It never does for a request whose
 * client has disconnected, or that cannot have a turn: that is answered with 429 or 503.
 */
export type TakeTurn = () => Promise<void> | undefined;

/** Works on a request, and takes a turn before anything that costs much. */
export type TurnTaker = (request: IncomingMessage, response: ServerResponse, takeTurn: TakeTurn) => void;

/**
 * Bounds the number of requests of one client that have taken a turn and are not answered. It comes before everything
 * else, so what waits or is rejected costs little.
 * @param gates reject what waits when the database is silent
 */
export function inTurns(
  work: TurnTaker,
  clients: Clients,
  limits: RequestTurnsLimits,
  gates = new Gates(),
): RequestListener {
  const gate = gates.create({ perClient: limits.atOnce });
  const unanswered = new WeakMap<Duplex, number>();
  return (request, response: TurnResponse) => {
    const { socket, rawHeaders } = request;
    const count = (unanswered.get(socket) ?? 0) + 1;
    const isTooMuch = count > limits.pipelined || rawHeaders.length > 2 * limits.headers;
    if (isTooMuch) clients.block(socket.remoteAddress ?? "", limits.blockMs);
    if (isTooMuch || clients.isBlocked(socket.remoteAddress ?? "")) {
      cut(socket);
      return;
    }
    unanswered.set(socket, count);
    const { key } = clients.of(request);
    const turn: InWork = { key, release: undefined };
    response[IN_WORK] = turn;
    response.on("close", () => {
      unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1);
      turn.release?.();
    });
    work(request, response, () => {
      turn.release = gate.tryEnter(key);
      if (turn.release) return undefined;
      return new Promise((resolve) => {
        const start = (release: Release): void => {
          turn.release = release;
          if (socket.destroyed) release();
          else resolve();
        };
        if (gate.waiting(key) < limits.waiting) {
          gate.enter(key).then(start, (error: unknown) => reject(response, toApiError(error)));
        } else {
          const message = `more than ${limits.waiting} requests from your address wait: send fewer at once`;
          reject(response, new ApiError("TooManyRequests", message));
        }
      });
    });
  };
}

/** Takes a turn before any work. */
export function alwaysInTurn(work: RequestListener): TurnTaker {
  return (request, response, takeTurn) => {
    const turn = takeTurn();
    if (turn) void turn.then(() => work(request, response));
    else work(request, response);
  };
}

/**
 * A return value that tells Node's parser that a request is an upgrade, so that nothing after it is parsed as a
 * request.
 */
const IS_UPGRADE = 2;

/**
 * Closes a connection at once. Otherwise its parser would continue with everything already read, perhaps hundreds of
 * requests. Node has no public way to stop its parser, so this uses an internal one.
 */
function cut(socket: Duplex): void {
  const { parser } = socket as Duplex & { parser?: { onIncoming?: () => number } | null };
  if (parser?.onIncoming) parser.onIncoming = () => IS_UPGRADE;
  socket.destroy();
}

/** Admits another request of the client before this one is answered: its response has no end. */
export function endTurn(response: TurnResponse): void {
  response[IN_WORK]?.release?.();
}

/** Key of the client of a request in progress. */
export function clientKeyOf(response: TurnResponse): string {
  return response[IN_WORK]?.key ?? "";
}

function reject(response: ServerResponse, { code, message }: ApiError): void {
  response.writeHead(errorCodes[code].status, {
    "Content-Type": "application/json; charset=utf-8",
    "Access-Control-Allow-Origin": "*",
  });
  response.end(JSON.stringify({ code, message }));
}
