import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError, errorCodes } from "../../schema/services/errors.js";
import { toApiError } from "../../schema/services/failure.js";
import type { Clients } from "./clients.js";
import { FairGate, type Release } from "./fair-gate.js";
import { Gates } from "./gates.js";

/** Limits of concurrent requests per client. */
export interface RequestTurnsLimits {
  /** Concurrent requests; others are queued, so that one client leaves room for others. */
  readonly atOnce: number;
  /** The same for requests that need little: further ones take a turn like others. */
  readonly quick: number;
  /** Queued requests per client; further ones are answered with 429. */
  readonly waiting: number;
  /** Unanswered requests per connection; one more closes it. */
  readonly pipelined: number;
  /** Header fields of a request; one more closes its connection. */
  readonly headers: number;
  /** How long a client is blocked after that, in ms: reading what it has sent has already cost time. */
  readonly blockMs: number;
}

const TURN = Symbol("the turn of the request");

type TurnResponse = ServerResponse & { [TURN]?: RequestTurn };

const LATER = Symbol("the requests of the connection after the one in work");

/**
 * What starts the work on later requests; undefined while none is in work. Kept on the connection itself: entries of a
 * WeakMap cost the garbage collector much more.
 */
type CountedSocket = Duplex & { [LATER]?: (() => void)[] | undefined };

/**
 * The turn of a request: it ends when the client has taken the answer. What is returned is undefined if it is the
 * request's turn at once, otherwise it resolves then. It never does for a request whose client has disconnected, or that
 * cannot have a turn: that is answered with 429 or 503.
 */
export interface Turn {
  /** To be called before anything that costs much. */
  take(): Promise<void> | undefined;
  /** To be called before what many requests share, and costs each of them little. */
  takeQuick(): Promise<void> | undefined;
}

/** For requests that have taken a turn. */
export const taken: Turn = { take: () => undefined, takeQuick: () => undefined };

/** Works on a request, in its turn. */
export type TurnTaker = (request: IncomingMessage, response: ServerResponse, turn: Turn) => void;

/** Where the requests of all clients take their turns. */
interface Places {
  readonly turns: FairGate;
  readonly quick: FairGate;
  readonly waiting: number;
}

class RequestTurn implements Turn {
  readonly key: string;
  readonly #places: Places;
  readonly #response: ServerResponse;
  readonly #socket: CountedSocket;
  #release: Release | undefined;
  #releaseQuick: Release | undefined;

  constructor(key: string, places: Places, response: ServerResponse, socket: CountedSocket) {
    this.key = key;
    this.#places = places;
    this.#response = response;
    this.#socket = socket;
  }

  takeQuick(): Promise<void> | undefined {
    if (this.#release) return undefined;
    this.#releaseQuick ??= this.#places.quick.tryEnter(this.key);
    return this.#releaseQuick ? undefined : this.take();
  }

  take(): Promise<void> | undefined {
    this.#release ??= this.#places.turns.tryEnter(this.key);
    return this.#release ? undefined : this.#wait();
  }

  /** The response was sent, or its connection is closed. */
  close(): void {
    this.end();
    const next = this.#socket.destroyed ? undefined : this.#socket[LATER]?.shift();
    if (next) next();
    else this.#socket[LATER] = undefined;
  }

  end(): void {
    this.#release?.();
    this.#releaseQuick?.();
  }

  #wait(): Promise<void> {
    const { turns, waiting } = this.#places;
    return new Promise((resolve) => {
      const start = (release: Release): void => {
        this.#release = release;
        if (this.#socket.destroyed) release();
        else resolve();
      };
      if (turns.waiting(this.key) < waiting) {
        turns.enter(this.key).then(start, (error: unknown) => reject(this.#response, toApiError(error)));
      } else {
        const message = `more than ${waiting} requests from your address wait: send fewer at once`;
        reject(this.#response, new ApiError("TooManyRequests", message));
      }
    });
  }
}

/**
 * Bounds the number of requests of one client that have taken a turn and are not answered. It comes before everything
 * else, so what waits or is rejected costs little. Requests of one connection are worked on one after another: the answer to
 * a later one cannot be sent before, so its turn would not end while an earlier one waits for a turn.
 * @param gates reject what waits when the database is silent
 */
export function inTurns(
  work: TurnTaker,
  clients: Clients,
  limits: RequestTurnsLimits,
  gates = new Gates(),
): RequestListener {
  const places = {
    turns: gates.create({ perClient: limits.atOnce }),
    quick: new FairGate({ perClient: limits.quick }),
    waiting: limits.waiting,
  };
  return (request, response: TurnResponse) => {
    const { rawHeaders } = request;
    const socket: CountedSocket & IncomingMessage["socket"] = request.socket;
    const later = socket[LATER];
    const unanswered = later ? later.length + 1 : 0;
    const isTooMuch = unanswered >= limits.pipelined || rawHeaders.length > 2 * limits.headers;
    if (isTooMuch) clients.block(socket.remoteAddress ?? "", limits.blockMs);
    if (isTooMuch || clients.isBlocked(socket.remoteAddress ?? "")) {
      cut(socket);
      return;
    }
    const turn = new RequestTurn(clients.of(request).key, places, response, socket);
    response[TURN] = turn;
    const start = (): void => {
      response.on("close", closeTurn);
      work(request, response, turn);
    };
    if (later) later.push(start);
    else {
      socket[LATER] = [];
      start();
    }
  };
}

/** One function for all responses: a closure for each would be one more object to collect. */
function closeTurn(this: TurnResponse): void {
  this[TURN]?.close();
}

/** Takes a turn before any work. */
export function alwaysInTurn(work: RequestListener): TurnTaker {
  return (request, response, turn) => {
    const waiting = turn.take();
    if (waiting) void waiting.then(() => work(request, response));
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
  response[TURN]?.end();
}

/** Key of the client of a request in progress. */
export function clientKeyOf(response: TurnResponse): string {
  return response[TURN]?.key ?? "";
}

function reject(response: ServerResponse, { code, message }: ApiError): void {
  response.writeHead(errorCodes[code].status, {
    "Content-Type": "application/json; charset=utf-8",
    "Access-Control-Allow-Origin": "*",
  });
  response.end(JSON.stringify({ code, message }));
}
