import { z } from "zod";
import { idKey } from "../../../catapult/state/composite-hash.js";
import type { StateKind } from "../../../catapult/state/kind.js";
import { MerkleStateInfoDTO } from "../../../catapult/state/tree-path.js";
import { MAX_KEYS } from "../../../schema/graph/state.js";
import { type Argument, type Arguments, bodyList, path, type Values } from "./argument.js";
import type { ArgumentType } from "./argument-types.js";
import { allBodies, listRoute, oneBody } from "./page.js";
import { operationRoute, type Route, type RouteDescription } from "./route.js";

/** Description of a state route besides its method, arguments and result. */
type About = Pick<RouteDescription, "path" | "operationId" | "tag" | "summary">;

interface LookUp<Key> {
  /** Of a key. */
  readonly type: ArgumentType<Key>;
  /** Schema of an entry. */
  readonly result: z.ZodType;
  /** A query for the entries of the list `$keys`. */
  readonly found: string;
}

function lookUpOperation({ type, found }: Pick<LookUp<unknown>, "type" | "found">): string {
  return `query ($keys: [${type.graphql}!]!) { found: ${found} { document } }`;
}

/** The route of one entry by a key in its path; 404 if there is none. */
export function stateGetRoute<Key>(about: About, lookUp: LookUp<Key>, name: string, description: string): Route {
  const { type, result } = lookUp;
  return operationRoute(
    { ...about, method: "GET", arguments: { [name]: path(type, description) }, result, canMiss: true },
    {
      operation: lookUpOperation(lookUp),
      followsChain: true,
      variables: (values) => ({ keys: [values[name]] }),
      answer: oneBody,
    },
  );
}

/** The route of entries by keys in a body, in the order of the request, each once; missing ones are omitted. */
function statePostRoute<Key>(
  about: About,
  lookUp: LookUp<Key>,
  name: string,
  argument: Argument<readonly Key[]>,
): Route {
  return operationRoute(
    { ...about, method: "POST", arguments: { [name]: argument }, result: z.array(lookUp.result) },
    {
      operation: lookUpOperation(lookUp),
      followsChain: false,
      variables: (values) => ({ keys: values[name] }),
      answer: allBodies,
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
      operation: `query ($key: Hex!) { found: statePath(kind: ${state.kind}, key: $key) { document } }`,
      followsChain: false,
      variables: (values) => ({ key: state.key(values) }),
      answer: oneBody,
    },
  );
}

/** A route's id and summary. */
type Named = readonly [operationId: string, summary: string];

/** A kind of state with the four routes: a list, an entry by its key, entries by keys, and the path to a key. */
interface StateRoutes<Key extends Buffer | bigint> extends LookUp<Key> {
  readonly tag: string;
  /** Of the list. */
  readonly path: string;
  readonly kind: StateKind;
  /** Filters of the list. */
  readonly arguments: Arguments;
  /** Schema of a page. */
  readonly page: z.ZodType;
  /** As in `listRoute`. */
  readonly field: string;
  /** Name and description of the key in a path, and of the list of keys in a body. */
  readonly key: Named;
  readonly keys: Named;
  /** Default `MAX_KEYS`. */
  readonly maxKeys?: number;
  readonly search: Named;
  readonly get: Named;
  readonly post: Named;
  /** Id of the route of the path. */
  readonly merkle: string;
}

export function stateRoutes<Key extends Buffer | bigint>(
  state: StateRoutes<Key>,
): readonly [list: Route, ...others: Route[]] {
  const { tag, type, kind, key, keys, maxKeys = MAX_KEYS } = state;
  const about = (at: string, [operationId, summary]: Named) => ({ path: state.path + at, operationId, tag, summary });
  const [name, description] = key;
  const [listName, listDescription] = keys;
  const bytesOf = (value: unknown) => (Buffer.isBuffer(value) ? value : idKey(value as bigint));
  return [
    listRoute(about("", state.search), { ...state, result: state.page }),
    stateGetRoute(about(`/{${name}}`, state.get), state, name, description),
    statePostRoute(about("", state.post), state, listName, bodyList(type, listDescription, maxKeys)),
    statePathRoute(
      { path: `${state.path}/{${name}}/merkle`, operationId: state.merkle, tag },
      { arguments: { [name]: path(type, description) }, kind, key: (values) => bytesOf(values[name]) },
    ),
  ];
}
