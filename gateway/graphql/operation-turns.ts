import type { ServerResponse } from "node:http";
import type { RequestHandler } from "express";
import type { FairGate, Release } from "../clients/fair-gate.js";
import { FairTurns } from "../clients/fair-turns.js";
import { clientKeyOf, endTurn } from "../clients/request-turns.js";

const releases = new WeakMap<ServerResponse, Release>();

/** Limits concurrent operations per client: even parsing a document takes longer than most REST requests. */
export function takeOperationTurns(gate: FairGate): RequestHandler {
  const turns = new FairTurns();
  return async (_request, response, next) => {
    const client = clientKeyOf(response);
    const release = await gate.enter(client);
    releases.set(response, release);
    response.once("close", release);
    await turns.run(client, () => (response.closed ? release() : next()));
  };
}

/** Admits other operations of the client: this one is a subscription, whose response has no end. */
export function endOperationTurn(response: ServerResponse): void {
  releases.get(response)?.();
  endTurn(response);
}
