import { hex } from "../../catapult/entity/hex.js";
import {
  findAccountNames,
  findMosaicNames,
  findNamespaceNames,
  type NamespaceName,
} from "../../database/queries/namespace-names.js";
import { builder } from "../graph/builder.js";
import { formatId } from "../graph/formats.js";
import { members } from "../graph/members.js";
import { checkKeys, stateDb } from "../graph/state.js";

const NamespaceNameType = builder.objectRef<NamespaceName>("NamespaceName").implement({
  description: "The last part of a namespace's name.",
  fields: (t) =>
    members(t, {
      id: ["ArtifactId", "Id of the namespace."],
      parentId: ["ArtifactId?", "Id of the parent; null for a root."],
      name: ["String", "Name without its parents."],
    }),
});

interface AccountNames {
  /** 24 bytes. */
  readonly address: Buffer;
  readonly names: readonly string[];
}

const AccountNamesType = builder.objectRef<AccountNames>("AccountNames").implement({
  description: "Namespaces that point to an address.",
  fields: (t) => ({
    address: t.expose("address", { description: "Address of the account.", type: "Address" }),
    names: t.exposeStringList("names", { description: "Full names, such as root.child." }),
  }),
});

interface MosaicNames {
  readonly mosaicId: bigint;
  readonly names: readonly string[];
}

const MosaicNamesType = builder.objectRef<MosaicNames>("MosaicNames").implement({
  description: "Namespaces that point to a mosaic.",
  fields: (t) => ({
    mosaicId: t.expose("mosaicId", { description: "Id of the mosaic.", type: "ArtifactId" }),
    names: t.exposeStringList("names", { description: "Full names, such as symbol.xym." }),
  }),
});

builder.queryFields((t) => ({
  namespaceNames: t.field({
    type: [NamespaceNameType],
    description: "Names of namespaces and all their parents: the requested ones, then their parents; each once.",
    args: { ids: t.arg({ description: "Ids of namespaces, at most 1000.", type: ["ArtifactId"], required: true }) },
    resolve: async (_root, { ids }, context) => {
      checkKeys("ids", ids);
      return findNamespaceNames(await stateDb(context), ids);
    },
  }),
  accountNames: t.field({
    type: [AccountNamesType],
    description: "For each address, in the order of the request, the namespaces that currently point to it.",
    args: { addresses: t.arg({ description: "Addresses, at most 1000.", type: ["Address"], required: true }) },
    resolve: async (_root, { addresses }, context) => {
      checkKeys("addresses", addresses);
      const names = await findAccountNames(await stateDb(context), addresses);
      return addresses.map((address) => ({ address, names: names.get(hex(address)) ?? [] }));
    },
  }),
  mosaicNames: t.field({
    type: [MosaicNamesType],
    description: "For each mosaic, in the order of the request, the namespaces that currently point to it.",
    args: { ids: t.arg({ description: "Ids of mosaics, at most 1000.", type: ["ArtifactId"], required: true }) },
    resolve: async (_root, { ids }, context) => {
      checkKeys("ids", ids);
      const names = await findMosaicNames(await stateDb(context), ids);
      return ids.map((mosaicId) => ({ mosaicId, names: names.get(formatId(mosaicId)) ?? [] }));
    },
  }),
}));
