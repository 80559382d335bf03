import type { RequestHandler, Response } from "express";
import { ApiError } from "../schema/errors.js";
import type { Clients } from "./clients.js";
import { FairGate, type Release } from "./fair-gate.js";

/** How many requests of one client are worked on. */
export interface RequestTurnsLimits {
  /** At one time; others wait, so that what one client asks for leaves room for others. */
  readonly atOnce: number;
  /** Requests of one client that may wait; further ones are answered with 429. */
  readonly waiting: number;
}

/** Works on a bounded number of requests of one client at one time, each until the client has taken the answer. */
export function takeTurns(clients: Clients, { atOnce, waiting }: RequestTurnsLimits): RequestHandler {
  const gate = new FairGate({ perClient: atOnce });
  return async (request, response, next) => {
    const { key } = clients.of(request);
    const release = gate.tryEnter(key) ?? (await waitForTurn(key));
    if (response.closed) {
      release();
      return;
    }
    response.locals.release = release;
    response.once("close", release);
    next();
  };

  function waitForTurn(key: string): Promise<Release> {
    if (gate.waiting(key) < waiting) return gate.enter(key);
    throw new ApiError("TooManyRequests", `more than ${waiting} requests from your address wait: send fewer at once`);
  }
}

/** Lets another request of the client in before this one is answered: its answer has no end. */
export function endTurn({ locals }: Response): void {
  (locals.release as Release | undefined)?.();
}
