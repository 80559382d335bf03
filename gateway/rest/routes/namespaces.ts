import { formatHex, formatId } from "../../../schema/graph/formats.js";
import { MAX_KEYS } from "../../../schema/graph/state.js";
import { bodyList, path, query } from "./argument.js";
import { address, artifactId, type JsonSchema, kindNumber } from "./argument-types.js";
import { documentSchema } from "./page.js";
import { json, operationRoute, type Route } from "./route.js";
import { idKey, stateGetRoute, statePathRoute, stateSearchRoute } from "./state.js";

const tag = "Namespaces";
const namespaceSchema = documentSchema("A namespace.", "meta", "namespace");

const CHILD = 1;
const ADDRESS_ALIAS = 2;

function namesSchema(member: string, key: string): JsonSchema {
  const names = { type: "array", items: { type: "string" } };
  const entry = { type: "object", required: [key, "names"], properties: { [key]: { type: "string" }, names } };
  return { type: "object", required: [member], properties: { [member]: { type: "array", items: entry } } };
}

export const namespaceRoutes: readonly Route[] = [
  stateSearchRoute(
    {
      path: "/namespaces",
      operationId: "searchNamespaces",
      tag,
      summary: "Namespaces that match all given conditions.",
    },
    {
      arguments: {
        ownerAddress: query(address, "Address of the owner of the namespace."),
        registrationType: query(kindNumber(CHILD), "0 root, 1 child."),
        level0: query(artifactId, "Id of a root namespace: matches it and all its children."),
        aliasType: query(kindNumber(ADDRESS_ALIAS), "Alias type: 0 = none, 1 = mosaic, 2 = address."),
      },
      result: namespaceSchema,
      types: { ownerAddress: "Address", registrationType: "Int", level0: "ArtifactId", aliasType: "Int" },
      field: "namespaces",
    },
  ),
  stateGetRoute(
    { path: "/namespaces/{namespaceId}", operationId: "getNamespace", tag, summary: "A namespace." },
    {
      type: artifactId,
      result: namespaceSchema,
      operation: "query ($keys: [ArtifactId!]!) { found: namespacesByIds(ids: $keys) { document } }",
    },
    "namespaceId",
    "Id of the namespace.",
  ),
  statePathRoute(
    { path: "/namespaces/{namespaceId}/merkle", operationId: "getNamespaceMerkle", tag },
    {
      arguments: { namespaceId: path(artifactId, "Id of a root namespace: the tree contains no others.") },
      kind: "namespace",
      key: (values) => idKey(values.namespaceId),
    },
  ),
  operationRoute(
    {
      method: "POST",
      path: "/namespaces/names",
      operationId: "getNamespacesNames",
      tag,
      summary: "Names of namespaces and all their parents: the requested ones, then their parents; each once.",
      arguments: { namespaceIds: bodyList(artifactId, "Ids of namespaces.", MAX_KEYS) },
      result: {
        type: "array",
        items: {
          type: "object",
          required: ["id", "name"],
          properties: { id: { type: "string" }, name: { type: "string" }, parentId: { type: "string" } },
        },
      },
    },
    {
      operation:
        "query ($namespaceIds: [ArtifactId!]!) { names: namespaceNames(ids: $namespaceIds) { id name parentId } }",
      followsChain: false,
      answer: ({ names }: { names: readonly { id: string; name: string; parentId: string | null }[] }) =>
        json(names.map(({ id, name, parentId }) => ({ id, name, ...(parentId !== null && { parentId }) }))),
    },
  ),
  operationRoute(
    {
      method: "POST",
      path: "/namespaces/account/names",
      operationId: "getAccountsNames",
      tag,
      summary: "For each address, in the order of the request, the names of the namespaces that currently point to it.",
      arguments: { addresses: bodyList(address, "Addresses of accounts.", MAX_KEYS) },
      result: namesSchema("accountNames", "address"),
    },
    {
      operation: "query ($addresses: [Address!]!) { accounts: accountNames(addresses: $addresses) { names } }",
      followsChain: false,
      answer: ({ accounts }: { accounts: readonly { names: readonly string[] }[] }, { addresses }) =>
        json({
          accountNames: accounts.map(({ names }, index) => ({ address: formatHex(addresses[index] as Buffer), names })),
        }),
    },
  ),
  operationRoute(
    {
      method: "POST",
      path: "/namespaces/mosaic/names",
      operationId: "getMosaicsNames",
      tag,
      summary: "For each mosaic, in the order of the request, the names of the namespaces that currently point to it.",
      arguments: { mosaicIds: bodyList(artifactId, "Ids of mosaics.", MAX_KEYS) },
      result: namesSchema("mosaicNames", "mosaicId"),
    },
    {
      operation: "query ($mosaicIds: [ArtifactId!]!) { mosaics: mosaicNames(ids: $mosaicIds) { names } }",
      followsChain: false,
      answer: ({ mosaics }: { mosaics: readonly { names: readonly string[] }[] }, { mosaicIds }) =>
        json({
          mosaicNames: mosaics.map(({ names }, index) => ({ mosaicId: formatId(mosaicIds[index] as bigint), names })),
        }),
    },
  ),
];
