import type { ZodType } from "zod";
import type { Behaviour } from "../../compatibility/compatibility.js";
import type { Arguments, Values } from "./argument.js";

/** What is sent: JSON text unless another content type is named. */
export interface Answer {
  readonly body: string | Buffer;
  /** HTTP status; default 200. */
  readonly status?: number;
  readonly contentType?: string;
  /** Further headers. */
  readonly headers?: { readonly [name: string]: string };
}

/** The parts of the path as the caller wrote them, for messages. */
export type Asked = { readonly [name: string]: string };

/** What a route may know of its server besides what it asks the schema. */
export interface ServerFacts {
  /** Version of this program. */
  readonly version: string;
  /** Whether the paths for operators are on the same port. */
  readonly servesOperators: boolean;
  /** The OpenAPI document as JSON text: made when it is first requested, which takes 0.1 s. */
  readonly openApi: () => string;
  /** The routes as a page for people. */
  readonly docsPage: string;
  /** What the operator says of this node. */
  readonly nodeMetadata: Readonly<Record<string, unknown>>;
  /** Figures for Prometheus. */
  readonly metrics: () => Promise<{ text: string; contentType: string }>;
}

/** What a route says of itself for people and in `/openapi.json`. */
export interface RouteDescription {
  readonly method: "GET" | "POST" | "PUT";
  /** As in OpenAPI: `/blocks/{height}`. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly arguments: Arguments;
  /** Schema of the body when all went well. */
  readonly result: ZodType;
  /** Schema of the body that it may have with status 503 in place of an error's. */
  readonly unavailable?: ZodType;
  /** The status when all went well; default 200. */
  readonly success?: 200 | 202;
  /** Of the answer; default `application/json`. */
  readonly mediaType?: string;
  /** Whether it can answer that what was asked for does not exist. */
  readonly canMiss?: boolean;
}

/** How an answer that is made in parts asks the schema. */
export interface AskInParts {
  /** The route's own operation, with some variables changed. */
  own(changes: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
  /** Another operation. */
  other(operation: string, variables: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
}

/** The JSON text of an answer in parts. */
export type AnswerInParts = (ask: AskInParts) => AsyncGenerator<string>;

/** What a route does: it runs one GraphQL operation and makes an answer of its data, or needs none. */
export type RouteWork =
  | {
      readonly operation: string;
      readonly variables: (values: Record<string, unknown>, behaviour: Behaviour) => Record<string, unknown>;
      readonly answer: (
        data: Record<string, unknown>,
        values: Record<string, unknown>,
        asked: Asked,
        behaviour: Behaviour,
      ) => Answer;
      /** For values whose answer may be too large for memory: how it is made in parts, in place of `answer`. */
      readonly inParts?: (values: Record<string, unknown>) => AnswerInParts | undefined;
      /** Whether the answer changes only with the chain's head and finalization, so that it can have an ETag of them. */
      readonly followsChain: boolean;
      /** Whether the answer is made of state, which may come some time after the head: without an ETag until then. */
      readonly readsState?: boolean;
      readonly referenceCheck?: (values: Record<string, unknown>) => string | undefined;
    }
  | { readonly serve: (facts: ServerFacts) => Answer | Promise<Answer> };

export type Route = RouteDescription & { readonly work: RouteWork };

/** A description whose arguments have types. */
type Described<A extends Arguments> = Omit<RouteDescription, "arguments"> & { readonly arguments: A };

interface OperationWork<A extends Arguments, Data> {
  /** A GraphQL document; its variables are the arguments, unless `variables` says otherwise. */
  readonly operation: string;
  readonly variables?: (values: Values<A>, behaviour: Behaviour) => Record<string, unknown>;
  /** How catapult-rest rejects arguments that are missing or contradict each other; undefined where it does not. */
  readonly referenceCheck?: (values: Values<A>) => string | undefined;
  readonly answer: (data: Data, values: Values<A>, asked: Asked, behaviour: Behaviour) => Answer;
  readonly inParts?: (values: Values<A>) => AnswerInParts | undefined;
  readonly followsChain: boolean;
  readonly readsState?: boolean;
}

/** A route over a GraphQL operation. `Data` is what the operation selects. */
export function operationRoute<A extends Arguments, Data>(
  description: Described<A>,
  work: OperationWork<A, Data>,
): Route {
  return { ...description, work: { variables: (values: Values<A>) => values, ...work } as unknown as RouteWork };
}

/** A route that says something of the gateway itself. */
export function serverRoute(
  description: Omit<RouteDescription, "arguments">,
  serve: (facts: ServerFacts) => Answer | Promise<Answer>,
): Route {
  return { ...description, arguments: {}, work: { serve } };
}

/** JSON of a body. */
export function json<Body>(body: Body): Answer {
  return { body: JSON.stringify(body) };
}
