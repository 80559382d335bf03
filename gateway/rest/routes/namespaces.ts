import { z } from "zod";
import { hex } from "../../../catapult/entity/hex.js";
import { idText } from "../../../catapult/json/format.js";
import { AddressHex, type BodyOf, MosaicId, NamespaceId } from "../../../catapult/values/scalars.js";
import { MAX_KEYS } from "../../../schema/graph/state.js";
import { bodyList } from "../route/argument.js";
import { address, artifactId } from "../route/argument-types.js";
import { json, operationRoute, type Route } from "../route/route.js";
import { stateRoutes } from "../route/state.js";

const NamespaceNameDTO = z
  .object({
    id: NamespaceId.describe("Id of the namespace."),
    name: z.string().describe("Last part of the name."),
    parentId: NamespaceId.describe("Absent for a root.").optional(),
  })
  .meta({ id: "NamespaceNameDTO" });

const names = z.array(z.string()).describe("Names of the namespaces that point to it, such as `root.child`.");

const AccountsNamesDTO = z
  .object({
    accountNames: z
      .array(
        z.object({ address: AddressHex.describe("Address of the account."), names }).meta({ id: "AccountNamesDTO" }),
      )
      .describe("Names by address, in the order of the request."),
  })
  .meta({ id: "AccountsNamesDTO" });

const MosaicsNamesDTO = z
  .object({
    mosaicNames: z
      .array(z.object({ mosaicId: MosaicId.describe("Id of the mosaic."), names }).meta({ id: "MosaicNamesDTO" }))
      .describe("Names by mosaic, in the order of the request."),
  })
  .meta({ id: "MosaicsNamesDTO" });

const tag = "Namespaces";

export const namespaceRoutes: readonly Route[] = [
  ...stateRoutes("namespace"),
  operationRoute(
    {
      method: "POST",
      path: "/namespaces/names",
      operationId: "getNamespacesNames",
      tag,
      summary: "Names of namespaces and all their parents: the requested ones, then their parents; each once.",
      arguments: { namespaceIds: bodyList(artifactId, "Ids of namespaces.", MAX_KEYS) },
      result: z.array(NamespaceNameDTO),
    },
    {
      operation:
        "query ($namespaceIds: [ArtifactId!]!) { names: namespaceNames(ids: $namespaceIds) { id name parentId } }",
      followsChain: false,
      answer: ({ names }: { names: readonly { id: string; name: string; parentId: string | null }[] }) =>
        json<readonly BodyOf<typeof NamespaceNameDTO>[]>(
          names.map(({ id, name, parentId }) => ({ id, name, ...(parentId !== null && { parentId }) })),
        ),
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
      result: AccountsNamesDTO,
    },
    {
      operation: "query ($addresses: [Address!]!) { accounts: accountNames(addresses: $addresses) { names } }",
      followsChain: false,
      answer: ({ accounts }: { accounts: readonly { names: readonly string[] }[] }, { addresses }) =>
        json<BodyOf<typeof AccountsNamesDTO>>({
          accountNames: accounts.map(({ names }, index) => ({ address: hex(addresses[index] as Buffer), names })),
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
      result: MosaicsNamesDTO,
    },
    {
      operation: "query ($mosaicIds: [ArtifactId!]!) { mosaics: mosaicNames(ids: $mosaicIds) { names } }",
      followsChain: false,
      answer: ({ mosaics }: { mosaics: readonly { names: readonly string[] }[] }, { mosaicIds }) =>
        json<BodyOf<typeof MosaicsNamesDTO>>({
          mosaicNames: mosaics.map(({ names }, index) => ({ mosaicId: idText(mosaicIds[index] as bigint), names })),
        }),
    },
  ),
];
