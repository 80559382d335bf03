import { namespaceIdOfName } from "../../catapult/entity/namespace-name.js";
import { type ChildName, findChildNames } from "../../database/queries/namespace-names.js";
import { builder } from "../graph/builder.js";
import { typed } from "../graph/formats.js";
import { invalidArgument } from "../services/errors.js";
import { Namespace } from "../state/namespace.js";
import { type Connection, connectionType, cursorArguments, readConnection } from "./connection.js";
import { joinsOf } from "./joins.js";

/** What names and their beginnings consist of. */
const NAME = /^[a-z0-9_.-]*$/;
/** Characters of three parts and two dots. */
const MAX_PREFIX = 3 * 64 + 2;

const FoundName = builder.objectRef<ChildName>("FoundNamespace").implement({
  description: "A namespace that was registered at some time.",
  fields: (t) => ({
    name: t.exposeString("name", { description: "Full name, such as root.child." }),
    namespaceId: t.expose("id", { type: "ArtifactId", description: "Id of the namespace." }),
    namespace: t.field({
      type: Namespace,
      nullable: true,
      description: "The namespace; null once its end is final.",
      resolve: ({ id }, _args, context) => joinsOf(context).namespace.load(id),
    }),
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
