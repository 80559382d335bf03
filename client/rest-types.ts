import type { paths } from "./openapi.js";

export type Method = "get" | "post" | "put";

type Described<Path, M extends Method> = Path extends keyof paths
  ? M extends keyof paths[Path]
    ? Exclude<paths[Path][M], undefined>
    : never
  : never;

/** Paths that have a method. */
export type PathWith<M extends Method> = {
  [Path in keyof paths]: [Described<Path, M>] extends [never] ? never : Path;
}[keyof paths];

type Parameter<Operation, Place extends string> = Operation extends { parameters: { [P in Place]?: infer Values } }
  ? Exclude<Values, undefined>
  : never;

type PathPart<Operation> = [Parameter<Operation, "path">] extends [never]
  ? { readonly path?: undefined }
  : { readonly path: Parameter<Operation, "path"> };

type QueryPart<Operation> = [Parameter<Operation, "query">] extends [never]
  ? { readonly query?: undefined }
  : { readonly query?: Parameter<Operation, "query"> };

type BodyPart<Operation> = Operation extends { requestBody: { content: { "application/json": infer Body } } }
  ? { readonly body: Body }
  : { readonly body?: undefined };

/** What a request contains: the values of its path and query, and its body. */
export type RequestOf<Path, M extends Method> = PathPart<Described<Path, M>> &
  QueryPart<Described<Path, M>> &
  BodyPart<Described<Path, M>> & { readonly signal?: AbortSignal };

/** A request that needs nothing may be omitted. */
export type RequestArguments<Path, M extends Method> =
  Record<string, never> extends Omit<RequestOf<Path, M>, never>
    ? [request?: RequestOf<Path, M>]
    : [request: RequestOf<Path, M>];

type ContentOf<Response> = Response extends { content: infer Content } ? Content[keyof Content] : never;

/** The body of an answer without error: a value if it is JSON, otherwise text. */
export type AnswerOf<Path, M extends Method> =
  Described<Path, M> extends { responses: infer Responses }
    ? { [Status in keyof Responses]: Status extends 200 | 202 ? ContentOf<Responses[Status]> : never }[keyof Responses]
    : never;

/** Paths of lists. */
export type ListPath = {
  [Path in PathWith<"get">]: AnswerOf<Path, "get"> extends { data: readonly unknown[]; pagination: unknown }
    ? Path
    : never;
}[PathWith<"get">];

/** An entry of a list. */
export type EntryOf<Path> = AnswerOf<Path, "get"> extends { data: readonly (infer Entry)[] } ? Entry : never;
