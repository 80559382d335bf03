import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import { findNamespaceNames, findRootRegistration } from "../../database/queries/namespace-names.js";
import { searchTransactionStatements } from "../../database/queries/statements.js";
import { bodyOf, transactionOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import type { Context } from "../graph/context.js";
import { accountField, loadersOf } from "../graph/loaders.js";
import { members } from "../graph/members.js";

/** A namespace that is not in the state any more. */
interface EndedNamespace {
  readonly id: bigint;
  readonly name: string;
  /** The height of the block that ended it; undefined if that block has no receipt of it. */
  readonly height: number | undefined;
  readonly ownerAddress: Buffer | undefined;
}

const EndedNamespaceType = builder.objectRef<EndedNamespace>("EndedNamespace").implement({
  description: "A namespace whose end is final.",
  fields: (t) => ({
    ...members(t, {
      name: ["String", "Full name, such as symbol.xym."],
      height: ["SafeInt?", "Height of the block at which it ended, after its grace period."],
      ownerAddress: ["Address?", "Address of the account that registered its root last."],
    }),
    namespaceId: t.field({ type: "ArtifactId", description: "Its id.", resolve: ({ id }) => id }),
    owner: accountField(t, "Account that registered its root last.", ({ ownerAddress }) => ownerAddress),
  }),
});

/** @returns undefined for a namespace that was never registered, and for one that is in the state */
async function findEnded(id: bigint, context: Context): Promise<EndedNamespace | undefined> {
  const { db } = context;
  const joins = loadersOf(context);
  if (await joins.namespace.load(id)) return undefined;
  const names = new Map((await findNamespaceNames(db, [id])).map((one) => [one.id, one]));
  const path = [];
  for (let one = names.get(id); one; one = one.parentId === undefined ? undefined : names.get(one.parentId)) {
    path.unshift(one);
  }
  const [root] = path;
  if (!root) return undefined;
  const newest = { pageNumber: 1, pageSize: 1, order: "desc" } as const;
  const ends = { artifactId: root.id, receiptTypes: [RECEIPT_TYPE.namespace_deleted] };
  const [end] = (await searchTransactionStatements(db, ends, newest)).data;
  const registration = await findRootRegistration(db, root.id);
  const transaction = registration && (await joins.transaction.load(registration));
  const signer = transaction && transactionOf(transaction);
  return {
    id,
    name: path.map(({ name }) => name).join("."),
    height: end && Number(bodyOf<{ statement: { height: string } }>(end).statement.height),
    ownerAddress: signer && (await joins.addressOfKey(signer.signerPublicKey)),
  };
}

builder.queryField("endedNamespace", (t) =>
  t.field({
    type: EndedNamespaceType,
    nullable: true,
    description: "A namespace that was registered once and whose end is final; null for any other.",
    args: { id: t.arg({ description: "Id of the namespace.", type: "ArtifactId", required: true }) },
    resolve: async (_root, { id }, context) => (await findEnded(id, context)) ?? null,
  }),
);
