import type { ZodType, z } from "zod";
import type { NetworkFacts } from "./network.js";

/** Runs one of an endpoint's operations by its name. `Data` is the operation's selection. */
export type Ask = <Data>(name: string, variables?: Readonly<Record<string, unknown>>) => Promise<Data>;

/** What an endpoint works with. */
export interface EndpointTools {
  readonly network: NetworkFacts;
  /** On one snapshot of the database: the data never mixes two states of the chain. */
  readonly ask: Ask;
  /** Without a snapshot: for mutations, and for what the node answers. */
  readonly askNow: Ask;
}

/** An endpoint of Mesh: all are called by POST, with JSON. */
export interface Endpoint {
  /** Below the path of Mesh, as in the standard: `/network/list`. */
  readonly path: string;
  /** Requests are validated by this schema of the standard; unknown members are ignored. */
  readonly request: ZodType;
  /** GraphQL documents by name. */
  readonly operations: Readonly<Record<string, string>>;
  /** @throws MeshError, and any error of the operations */
  readonly answer: (request: never, tools: EndpointTools) => Promise<unknown>;
}

/** An endpoint whose requests have the type of their schema. `Response` is a type of the standard. */
export function endpoint<Request extends ZodType, Response>(of: {
  readonly path: string;
  readonly request: Request;
  readonly operations?: Readonly<Record<string, string>>;
  readonly answer: (request: z.infer<Request>, tools: EndpointTools) => Promise<Response> | Response;
}): Endpoint {
  const { operations = {}, answer } = of;
  return { ...of, operations, answer: async (request: z.infer<Request>, tools) => answer(request, tools) };
}
