import { namespaceIdOfName } from "../../catapult/entity/generated-id.js";
import { hex } from "../../catapult/entity/hex.js";
import { idText } from "../../catapult/json/format.js";
import {
  type ChildName,
  findAccountNames,
  findChildNames,
  findMosaicNames,
  findNamespaceNames,
  type NamespaceName,
} from "../../database/queries/namespace-names.js";
import { invalidArgument } from "../errors/errors.js";
import { builder } from "../graph/builder.js";
import { type Connection, connectionType, cursorArguments, readConnection } from "../graph/connection.js";
import { typed } from "../graph/formats.js";
import { namespaceField } from "../graph/loaders.js";
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
      return ids.map((mosaicId) => ({ mosaicId, names: names.get(idText(mosaicId)) ?? [] }));
    },
  }),
}));

/** What names and their beginnings consist of. */
const NAME = /^[a-z0-9_.-]*$/;
/** Characters of three parts and two dots. */
const MAX_PREFIX = 3 * 64 + 2;

const FoundName = builder.objectRef<ChildName>("FoundNamespace").implement({
  description: "A namespace that was registered at some time.",
  fields: (t) => ({
    name: t.exposeString("name", { description: "Full name, such as root.child." }),
    namespaceId: t.expose("id", { type: "ArtifactId", description: "Id of the namespace." }),
    namespace: namespaceField(t, "The namespace; null once its end is final.", ({ id }) => id),
  }),
});

const FoundNames = connectionType("FoundNamespaces", {
  description: "Namespaces by name.",
  entry: FoundName,
  entries: "Namespaces of the page.",
  pageInfo: "Whether there are more namespaces, and from which cursor.",
  cursorOf: ({ name }) => name,
});

builder.queryField("namespacesByPrefix", (t) =>
  t.field({
    type: FoundNames,
    description: "Namespaces whose full name begins with a text, by name, including ended ones.",
    args: {
      prefix: t.arg.string({
        required: true,
        description: "Beginning of a root's name, or the full name of a parent, a dot, and the beginning of a child's.",
      }),
      ...cursorArguments,
    },
    resolve: async (_root, { prefix: text, first, after }, { db }): Promise<Connection<ChildName>> => {
      const prefix = typed(text).toLowerCase();
      if (prefix.length > MAX_PREFIX || !NAME.test(prefix)) {
        throw invalidArgument("prefix must be the beginning of a name: letters a to z, digits, _ and -, with dots");
      }
      const dot = prefix.lastIndexOf(".");
      const parent = prefix.slice(0, Math.max(0, dot));
      const parentId = dot < 0 ? undefined : namespaceIdOfName(parent);
      const before = dot < 0 ? "" : `${parent}.`;
      const read = async (count: number, start: string | undefined) => {
        // Nothing is below what no namespace can be called.
        if (dot >= 0 && parentId === undefined) return [];
        const page = { first: count, after: start?.slice(before.length) };
        const names = await findChildNames(db, { parentId, prefix: prefix.slice(before.length) }, page);
        return names.map(({ id, name }) => ({ id, name: before + name }));
      };
      const parseName = (cursor: string) => (cursor.startsWith(before) && NAME.test(cursor) ? cursor : undefined);
      return readConnection({ first, after }, parseName, read);
    },
  }),
);
