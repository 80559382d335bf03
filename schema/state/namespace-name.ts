import { hex } from "../../catapult/entity/hex.js";
import {
  findAccountNames,
  findMosaicNames,
  findNamespaceNames,
  type NamespaceName,
} from "../../database/queries/namespace-names.js";
import { builder } from "../graph/builder.js";
import { formatId } from "../graph/formats.js";
import { checkKeys, stateDb } from "../graph/state.js";

const NamespaceNameType = builder.objectRef<NamespaceName>("NamespaceName").implement({
  description: "The last part of a namespace's name.",
  fields: (t) => ({
    id: t.expose("id", { description: "Of the namespace.", type: "ArtifactId" }),
    parentId: t.expose("parentId", { type: "ArtifactId", nullable: true, description: "Null for a root." }),
    name: t.exposeString("name", { description: "Without those above it." }),
  }),
});

interface AccountNames {
  /** 24 bytes. */
  readonly address: Buffer;
  readonly names: readonly string[];
}

const AccountNamesType = builder.objectRef<AccountNames>("AccountNames").implement({
  description: "Namespaces that stand for an address.",
  fields: (t) => ({
    address: t.expose("address", { description: "Of the account.", type: "Address" }),
    names: t.exposeStringList("names", { description: "Whole names, such as root.child." }),
  }),
});

interface MosaicNames {
  readonly mosaicId: bigint;
  readonly names: readonly string[];
}

const MosaicNamesType = builder.objectRef<MosaicNames>("MosaicNames").implement({
  description: "Namespaces that stand for a mosaic.",
  fields: (t) => ({
    mosaicId: t.expose("mosaicId", { description: "Of the mosaic.", type: "ArtifactId" }),
    names: t.exposeStringList("names", { description: "Whole names, such as symbol.xym." }),
  }),
});

builder.queryFields((t) => ({
  namespaceNames: t.field({
    type: [NamespaceNameType],
    description: "Names of namespaces and of all above them: those asked for, then their parents; each once.",
    args: { ids: t.arg({ description: "At most 1000.", type: ["ArtifactId"], required: true }) },
    resolve: async (_root, { ids }, context) => {
      checkKeys("ids", ids);
      return findNamespaceNames(await stateDb(context), ids);
    },
  }),
  accountNames: t.field({
    type: [AccountNamesType],
    description: "For each address, in the order asked, the namespaces that stand for it now.",
    args: { addresses: t.arg({ description: "At most 1000.", type: ["Address"], required: true }) },
    resolve: async (_root, { addresses }, context) => {
      checkKeys("addresses", addresses);
      const names = await findAccountNames(await stateDb(context), addresses);
      return addresses.map((address) => ({ address, names: names.get(hex(address)) ?? [] }));
    },
  }),
  mosaicNames: t.field({
    type: [MosaicNamesType],
    description: "For each mosaic, in the order asked, the namespaces that stand for it now.",
    args: { ids: t.arg({ description: "At most 1000.", type: ["ArtifactId"], required: true }) },
    resolve: async (_root, { ids }, context) => {
      checkKeys("ids", ids);
      const names = await findMosaicNames(await stateDb(context), ids);
      return ids.map((mosaicId) => ({ mosaicId, names: names.get(formatId(mosaicId)) ?? [] }));
    },
  }),
}));
