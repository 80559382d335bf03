import { type ZodType, z } from "zod";
import type { Behaviour } from "../../compatibility/compatibility.js";
import type { WantedEvents } from "../../events/event-stream.js";
import type { Body } from "../../http/send.js";
import { type Arguments, query, type Values } from "./argument.js";
import { flag } from "./argument-types.js";

/** A response: JSON text unless another content type is named. */
export interface Answer {
  readonly body: Body;
  /** HTTP status; default 200. */
  readonly status?: number;
  readonly contentType?: string;
  /** Additional headers. */
  readonly headers?: { readonly [name: string]: string };
}

/** The path parameters as the client sent them, for messages. */
export type RawParameters = { readonly [name: string]: string };

/** How the operator deployed this gateway, for `/node/server`. */
export interface Deployment {
  readonly deploymentTool: string;
  readonly deploymentToolVersion: string;
  readonly lastUpdatedDate: string;
}

/** The same unless the operator says otherwise. @param version of this program */
export const deploymentOf = (version: string): Deployment => ({
  deploymentTool: "symbol-gateway",
  deploymentToolVersion: version,
  lastUpdatedDate: "N/A",
});

/** Facts about the server that a route may use besides the schema. */
export interface ServerFacts {
  /** Version of this program. */
  readonly version: string;
  /** Whether the paths for operators are on the same port. */
  readonly servesOperators: boolean;
  /** The descriptions of this server for programs. */
  readonly descriptions: {
    /** OpenAPI 3.0 as JSON text. */
    openApi(): string;
    /** AsyncAPI 3.0 as JSON text. */
    asyncApi(origin: Origin): string;
  };
  /** Content of `/node/metadata`. */
  readonly nodeMetadata: Readonly<Record<string, unknown>>;
  readonly deployment: Deployment;
  /** Metrics for Prometheus. */
  readonly metrics: () => Promise<{ text: string; contentType: string }>;
}

/** A route's description for people and for `/openapi.json`. */
export interface RouteDescription {
  readonly method: "GET" | "POST" | "PUT";
  /** The path as in OpenAPI: `/blocks/{height}`. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  /** What all routes of its kind have in common. */
  readonly description?: string;
  readonly arguments: Arguments;
  /** Schema of the body when all went well. */
  readonly result: ZodType;
  /** Schema of the body that it may have with status 503 in place of an error's. */
  readonly unavailable?: ZodType;
  /** Status on success; default 200. */
  readonly success?: 200 | 202;
  /** The media type of the response; default `application/json`. */
  readonly mediaType?: string;
  /** Whether the response may be 404. */
  readonly canMiss?: boolean;
}

/** How a response in parts runs operations. */
export interface AskInParts {
  /** The route's own operation, with some variables changed. */
  own(changes: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
  /** Another operation. */
  other(operation: string, variables: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
}

/** The JSON text of a response in parts. */
export type AnswerInParts = (ask: AskInParts) => AsyncGenerator<string>;

/** The work of a route: it runs one GraphQL operation and renders a response from its data, or needs none. */
export type RouteWork =
  | {
      readonly operation: string;
      readonly variables: (values: Record<string, unknown>, behaviour: Behaviour) => Record<string, unknown>;
      readonly answer: (
        data: Record<string, unknown>,
        values: Record<string, unknown>,
        requested: RawParameters,
        behaviour: Behaviour,
      ) => Answer;
      /** For values whose response may be too large for memory: creates it in parts, in place of `answer`. */
      readonly inParts?: (values: Record<string, unknown>) => AnswerInParts | undefined;
      /** Whether the response changes only with the index, so that it has an ETag and may be cached. */
      readonly followsChain: boolean;
      readonly referenceCheck?: (values: Record<string, unknown>) => string | undefined;
    }
  | ExportWork
  | { readonly serve: Serve }
  | { readonly stream: (values: Record<string, unknown>) => WantedEvents };

/** This server, as the client of a request names it. */
export interface Origin {
  /** The host with its port. */
  readonly host: string;
  /** Whether the client uses TLS, to us or to a proxy in front of us. */
  readonly isOverTls: boolean;
}

type Serve = (facts: ServerFacts, origin: Origin) => Answer | Promise<Answer>;

/** Runs one of an export's operations by its name. */
export type ReadRows = (name: string, variables: Readonly<Record<string, unknown>>) => Promise<Record<string, unknown>>;

/** An export: a file of any length, sent row by row. */
export interface ExportWork {
  /** GraphQL documents by name; `rows` runs them. */
  readonly operations: Readonly<Record<string, string>>;
  readonly variables: (values: Record<string, unknown>, behaviour: Behaviour) => Record<string, unknown>;
  readonly referenceCheck?: (values: Record<string, unknown>) => string | undefined;
  /**
   * The lines of the file; an error before the first one is answered as such.
   * @throws ApiError
   */
  readonly rows: (
    ask: ReadRows,
    variables: Record<string, unknown>,
    requested: RawParameters,
  ) => AsyncGenerator<string>;
  /** Name under which a browser stores the file. */
  readonly fileName: (requested: RawParameters) => string;
}

export type Route = RouteDescription & { readonly work: RouteWork };

/** A description with typed arguments. */
type Described<A extends Arguments> = Omit<RouteDescription, "arguments"> & { readonly arguments: A };

interface OperationWork<A extends Arguments, Data> {
  /** A GraphQL document; its variables are the arguments, unless `variables` overrides them. */
  readonly operation: string;
  readonly variables?: (values: Values<A>, behaviour: Behaviour) => Record<string, unknown>;
  /** How catapult-rest rejects missing or contradictory arguments; undefined if it does not. */
  readonly referenceCheck?: (values: Values<A>) => string | undefined;
  readonly answer: (data: Data, values: Values<A>, requested: RawParameters, behaviour: Behaviour) => Answer;
  readonly inParts?: (values: Values<A>) => AnswerInParts | undefined;
  readonly followsChain: boolean;
}

/** A route for a GraphQL operation. `Data` is the operation's selection. */
export function operationRoute<A extends Arguments, Data>(
  description: Described<A>,
  work: OperationWork<A, Data>,
): Route {
  return { ...description, work: { variables: (values: Values<A>) => values, ...work } as unknown as RouteWork };
}

/** A route that exports a CSV file. */
export function exportRoute<A extends Arguments>(
  description: Omit<Described<A>, "method" | "result" | "mediaType">,
  work: Omit<ExportWork, "variables" | "referenceCheck"> & {
    readonly variables: (values: Values<A>, behaviour: Behaviour) => Record<string, unknown>;
    readonly referenceCheck?: (values: Values<A>) => string | undefined;
  },
): Route {
  const text = { method: "GET", result: z.string(), mediaType: "text/csv" } as const;
  return {
    ...description,
    ...text,
    arguments: { ...description.arguments, bom: query(flag, "1: the file begins with a byte order mark, for Excel.") },
    work: work as unknown as RouteWork,
  };
}

/** A route about the gateway itself. */
export function serverRoute(description: Omit<RouteDescription, "arguments">, serve: Serve): Route {
  return { ...description, arguments: {}, work: { serve } };
}

/** A route whose response is a stream of events. */
export function streamRoute<A extends Arguments>(
  description: Described<A>,
  stream: (values: Values<A>) => WantedEvents,
): Route {
  return { ...description, work: { stream } as unknown as RouteWork };
}

/** JSON of a body. */
export function json<Body>(body: Body): Answer {
  return { body: JSON.stringify(body) };
}
