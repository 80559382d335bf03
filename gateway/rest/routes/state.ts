import { z } from "zod";
import { MerkleStateInfoDTO } from "../../../catapult/body/state-path.js";
import type { StateKind } from "../../../catapult/state/kind.js";
import { notFound } from "../../../schema/services/errors.js";
import { type Argument, type Arguments, path, type Values } from "./argument.js";
import type { ArgumentType } from "./argument-types.js";
import {
  type BodyPage,
  bodyPage,
  joinBodies,
  type PageArgumentValues,
  pageAnswer,
  pageArguments,
  pageVariables,
} from "./page.js";
import { operationRoute, type Route, type RouteDescription } from "./route.js";

/** Description of a state route besides its method, arguments and result. */
type About = Pick<RouteDescription, "path" | "operationId" | "tag" | "summary">;

interface Found {
  readonly found: readonly { readonly document: string }[];
}

/** The route of a list of state in the order of its ids. */
export function stateSearchRoute<A extends Arguments>(
  about: About,
  search: {
    /** Of the filter. */
    readonly arguments: A;
    /** Schema of a page. */
    readonly result: z.ZodType;
    /** GraphQL types of the arguments by their names. */
    readonly types: { readonly [Name in keyof A]: string };
    /** Field of the query; its arguments have the names of the route's. */
    readonly field: string;
  },
): Route {
  const names = Object.keys(search.arguments);
  const declared = names.map((name) => `$${name}: ${search.types[name]}, `).join("");
  const passed = names.map((name) => `${name}: $${name}, `).join("");
  return operationRoute(
    {
      ...about,
      method: "GET",
      arguments: { ...search.arguments, ...pageArguments },
      result: search.result,
    },
    {
      operation: `query (${declared}$page: PageInput) { page: ${search.field}(${passed}page: $page) ${bodyPage} }`,
      followsChain: true,
      variables: (values, behaviour) => pageVariables(values as PageArgumentValues, behaviour),
      answer: (data: BodyPage) => pageAnswer(data),
    },
  );
}

interface LookUp<Key> {
  /** Of a key. */
  readonly type: ArgumentType<Key>;
  /** Schema of an entry. */
  readonly result: z.ZodType;
  /** A document whose variable `keys` is a list of keys, and whose field `found` has the documents. */
  readonly operation: string;
}

/** The route of one entry by a key in its path; 404 if there is none. */
export function stateGetRoute<Key>(
  about: About,
  { type, result, operation }: LookUp<Key>,
  name: string,
  description: string,
): Route {
  return operationRoute(
    { ...about, method: "GET", arguments: { [name]: path(type, description) }, result, canMiss: true },
    {
      operation,
      followsChain: true,
      variables: (values) => ({ keys: [values[name]] }),
      answer: ({ found: [entry] }: Found, _values, requested) => {
        if (!entry) throw notFound(requested[name] ?? "");
        return { body: entry.document };
      },
    },
  );
}

/** The route of entries by keys in a body, in the order of the request, each once; missing ones are omitted. */
export function statePostRoute<Key>(
  about: About,
  { result, operation }: LookUp<Key>,
  name: string,
  argument: Argument<readonly Key[]>,
): Route {
  return operationRoute(
    { ...about, method: "POST", arguments: { [name]: argument }, result: z.array(result) },
    {
      operation,
      followsChain: false,
      variables: (values) => ({ keys: values[name] }),
      answer: ({ found }: Found) => ({ body: joinBodies(found) }),
    },
  );
}

/** The route of the path through a state tree to a key, from the node, whether the key exists or not. */
export function statePathRoute<A extends Arguments>(
  about: Omit<About, "summary">,
  state: {
    readonly arguments: A;
    readonly kind: StateKind;
    /** In the form of `statePath` of the schema. */
    readonly key: (values: Values<A>) => Buffer;
  },
): Route {
  return operationRoute(
    {
      ...about,
      summary:
        "The path through the tree of this state to its entry, at the node's own height; for a missing entry, the proof of its absence.",
      method: "GET",
      arguments: state.arguments,
      result: MerkleStateInfoDTO,
    },
    {
      operation: `query ($key: Hex!) { path: statePath(kind: ${state.kind}, key: $key) { document } }`,
      followsChain: false,
      variables: (values) => ({ key: state.key(values) }),
      answer: ({ path: { document } }: { path: { document: string } }) => ({ body: document }),
    },
  );
}
