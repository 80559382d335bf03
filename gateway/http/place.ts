import type { IncomingMessage, ServerResponse } from "node:http";
import type { Request, RequestHandler, Response } from "express";
import type { ClientLimit } from "../clients/client-limit.js";
import { sent } from "./connection.js";
import { exchangeOf } from "./exchange.js";

/**
 * Runs all further steps of a request in a place of its client. Requests of one connection are worked on one after
 * another: the answer to a later one could not be sent before, and would keep its place until then.
 * @param inOrder of requests by connection
 */
export function takePlace(limit: ClientLimit, inOrder: ClientLimit): RequestHandler {
  return (_request, response, next) => {
    const { client, connection } = exchangeOf(response);
    return inOrder.run(connection.key, connection.signal, async () => {
      await limit.run(client, connection.signal, () => everything(response, next));
      // It has left its place if it has no end, but not its connection.
      await sent(response);
    });
  };
}

/** Runs all further steps in a place of another limit, if it concerns a request. */
export function takeAnother(limit: ClientLimit, concerns: (request: IncomingMessage) => boolean): RequestHandler {
  return (request, response, next) => {
    if (!concerns(request)) return next();
    const { client, connection } = exchangeOf(response);
    return limit.run(client, connection.signal, () => everything(response, next));
  };
}

/** Resolves when the response was sent, or is a stream that has begun, and its handler has ended. */
async function everything(response: ServerResponse, next: () => void): Promise<void> {
  const exchange = exchangeOf(response);
  const streaming = exchange.streaming();
  next();
  await Promise.race([sent(response), streaming]);
  // A client that has disconnected still has its place while a statement runs for it.
  if (!exchange.isStream) await exchange.work?.catch(() => undefined);
}

/** A handler whose work is known to the limits: its place is not given back before the work has ended. */
export function handler(work: (request: Request, response: Response) => Promise<void>): RequestHandler {
  return (request, response) => {
    const running = work(request, response);
    exchangeOf(response).work = running;
    return running;
  };
}
