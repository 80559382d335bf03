import { z } from "zod";
import { ADDRESS_SIZE } from "../../../catapult/entity/address.js";
import { idKey } from "../../../catapult/state/composite-hash.js";
import { stateKeySize } from "../../../catapult/state/key.js";
import type { StateKind } from "../../../catapult/state/kind.js";
import { STATE, type StateDeclaration } from "../../../catapult/state/state-table.js";
import { MerkleStateInfoDTO } from "../../../catapult/state/tree-path.js";
import { MAX_KEYS, MAX_LARGE_KEYS } from "../../../schema/graph/state.js";
import { type Argument, type Arguments, bodyList, path, query, type Values } from "./argument.js";
import { type ArgumentType, address, artifactId, hash, kindNumber } from "./argument-types.js";
import { allBodies, listRoute, oneBody, pageOf } from "./page.js";
import { operationRoute, type Route, type RouteDescription } from "./route.js";

/** The route of the path through a state tree to a key, from the node, whether the key exists or not. */
export function statePathRoute<A extends Arguments>(
  about: Pick<RouteDescription, "path" | "operationId" | "tag">,
  state: {
    readonly arguments: A;
    readonly kind: StateKind;
    /** The key in the form of `statePath` of the schema. */
    readonly key: (values: Values<A>) => Buffer;
  },
): Route {
  return operationRoute(
    {
      ...about,
      summary:
        "The path through the tree of this state to its entry, at the node's own height; for a missing entry, the proof of its absence.",
      description:
        "Together with the root of this tree under the block's `stateHash`, it proves to a client that the value is part of the chain's state.",
      method: "GET",
      arguments: state.arguments,
      result: MerkleStateInfoDTO,
    },
    {
      operation: `query ($key: Hex!) { found: statePath(kind: ${state.kind}, key: $key) { body } }`,
      followsChain: false,
      variables: (values) => ({ key: state.key(values) }),
      answer: oneBody,
    },
  );
}

const ARGUMENT_TYPES: Readonly<Record<string, ArgumentType<unknown>>> = {
  Address: address,
  ArtifactId: artifactId,
  Hash256: hash,
};

/** The conditions of the list of a kind. */
export function stateFilter(kind: StateKind): Readonly<Record<string, Argument<unknown>>> {
  const { lists, fields }: StateDeclaration = STATE[kind];
  const conditions = Object.entries(lists).map(([name, { of, scalar, description }]) => {
    const field = fields[of]!;
    const type = ARGUMENT_TYPES[scalar ?? String(field.scalar)] ?? kindNumber(field.max!);
    return [name, query(type, description)] as const;
  });
  return Object.fromEntries(conditions);
}

/** Schemas of pages by their names, each of which is declared once. */
const pages = new Map<StateKind, z.ZodType>();

/** The schema of a page of a kind. */
export function statePage(kind: StateKind): z.ZodType {
  const { body, texts }: StateDeclaration = STATE[kind];
  const page = pages.get(kind) ?? pageOf(texts!.page, body.schema);
  pages.set(kind, page);
  return page;
}

/** The routes of a kind: its list, an entry by its key, entries by keys if it has that route, and the path to a key. */
export function stateRoutes(kind: StateKind): readonly [list: Route, ...others: Route[]] {
  const { body, texts }: StateDeclaration = STATE[kind];
  const { tag, path: of, list, key, keys, byKeys, search, get, post, isLarge } = texts!;
  const size = stateKeySize(kind);
  const type = (size === ADDRESS_SIZE ? address : size === 8 ? artifactId : hash) as ArgumentType<Buffer | bigint>;
  const about = ([operationId, summary]: readonly [string, string], at = "") => ({
    ...{ path: of + at, operationId, tag, summary },
  });
  const [name, description] = key;
  const [listName, graphqlName, listDescription] = keys;
  const operation = `query ($keys: [${type.graphql}!]!) { found: ${byKeys[0]}(${graphqlName}: $keys) { body } }`;
  const argument = { [name]: path(type, description) };
  const many = { [listName]: bodyList(type, `${listDescription}.`, isLarge ? MAX_LARGE_KEYS : MAX_KEYS) };
  const byKey = (values: Values<typeof argument>) => values[name]!;
  return [
    listRoute(about(search), { arguments: stateFilter(kind), result: statePage(kind), field: list }),
    operationRoute(
      { ...about(get, `/{${name}}`), method: "GET", arguments: argument, result: body.schema, canMiss: true },
      { operation, followsChain: true, variables: (values) => ({ keys: [byKey(values)] }), answer: oneBody },
    ),
    ...(post
      ? [
          operationRoute(
            { ...about(post), method: "POST", arguments: many, result: z.array(body.schema) },
            { operation, followsChain: false, variables: (values) => ({ keys: values[listName] }), answer: allBodies },
          ),
        ]
      : []),
    statePathRoute(
      { path: `${of}/{${name}}/merkle`, operationId: `${get[0]}Merkle`, tag },
      {
        ...{ arguments: argument, kind },
        key: (values) => {
          const given = byKey(values);
          return Buffer.isBuffer(given) ? given : idKey(given);
        },
      },
    ),
  ];
}
