import type { IncomingMessage, ServerResponse } from "node:http";
import type { Turn } from "../clients/request-turns.js";
import type { RawParameters } from "./routes/route.js";

/** A request for a route. */
export interface RouteRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The path parameters as the client sent them, decoded. */
  readonly path: RawParameters;
  /** The parsed body, if the route takes one. */
  readonly body?: unknown;
  readonly turn: Turn;
}

/** Answers a request, or throws the error to answer with. */
export type RouteHandler = (request: RouteRequest) => Promise<void>;
