import { type MerklePathStep, merklePath } from "../../catapult/crypto/merkle.js";
import { hex } from "../../catapult/entity/hex.js";
import { renderMerklePath } from "../../catapult/json/merkle-path.js";
import type { Db } from "../../database/database.js";
import { findBlockHash } from "../../database/queries/blocks.js";
import { statementHashes } from "../../database/queries/statements.js";
import { merkleComponentHashes } from "../../database/queries/transactions.js";
import { builder } from "../graph/builder.js";
import { invalidArgument, notFound } from "../services/errors.js";

const Position = builder.enumType("MerklePosition", {
  description: "On which side a neighbour stands.",
  values: {
    left: { value: "left", description: "It is hashed before ours." },
    right: { value: "right", description: "It is hashed behind ours." },
  } as const,
});

const Step = builder.objectRef<MerklePathStep>("MerklePathStep").implement({
  description: "A step from a leaf to the root of a tree: the neighbour, and where it stands.",
  fields: (t) => ({
    hash: t.expose("hash", { description: "Of the neighbour.", type: "Hash256" }),
    position: t.expose("position", { description: "Where the neighbour stands.", type: Position }),
  }),
});

const Path = builder.objectRef<readonly MerklePathStep[]>("MerklePath").implement({
  description: "The way from a leaf of a tree to its root.",
  fields: (t) => ({
    steps: t.field({ description: "From the leaf upwards.", type: [Step], resolve: (steps) => steps }),
    document: t.string({ description: "The REST body as JSON text.", resolve: renderMerklePath }),
  }),
});

builder.queryFields((t) => {
  const args = () => ({
    height: t.arg({ type: "SafeInt", required: true, description: "Of the block." }),
    hash: t.arg({ type: "Hash256", required: true, description: "Of the transaction or statement." }),
  });
  return {
    transactionMerklePath: t.field({
      type: Path,
      description: "From a transaction to the block's transactions hash.",
      args: args(),
      resolve: async (_root, { height, hash }, { db }) => {
        const transactions = await merkleComponentHashes(db, height);
        const index = transactions.findIndex(
          (transaction) => transaction.hash.equals(hash) || transaction.leaf.equals(hash),
        );
        if (index < 0) throw await absence(db, height, hash);
        const leaves = transactions.map(({ leaf }) => leaf);
        return merklePath(leaves, index);
      },
    }),
    statementMerklePath: t.field({
      type: Path,
      description: "From a statement to the block's receipts hash.",
      args: args(),
      resolve: async (_root, { height, hash }, { db }) => {
        const leaves = await statementHashes(db, height);
        const index = leaves.findIndex((leaf) => leaf.equals(hash));
        if (index < 0) throw await absence(db, height, hash);
        return merklePath(leaves, index);
      },
    }),
  };
});

/** There is no such block, or it has not this hash: clients of the reference gateway tell these by the code. */
async function absence(db: Db, height: number, hash: Buffer) {
  const block = await findBlockHash(db, height);
  if (!block) return notFound(height);
  // The words of catapult-rest.
  return invalidArgument(`hash '${hex(hash)}' not included in block height '${height}'`);
}
