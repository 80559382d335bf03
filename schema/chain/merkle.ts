import { type MerklePathStep, merklePath } from "../../catapult/crypto/merkle.js";
import { hex } from "../../catapult/entity/hex.js";
import { renderMerklePath } from "../../catapult/json/merkle-path.js";
import type { Db } from "../../database/database.js";
import { findBlockHash } from "../../database/queries/blocks.js";
import { readStatementHashes } from "../../database/queries/statements.js";
import { transactionsTree } from "../../database/queries/transactions.js";
import { invalidArgument, notFound } from "../errors/errors.js";
import { bodyField } from "../graph/body.js";
import { builder } from "../graph/builder.js";

const Position = builder.enumType("MerklePosition", {
  description: "Side of a sibling in a hash tree.",
  values: {
    left: { value: "left", description: "The sibling is hashed first." },
    right: { value: "right", description: "The sibling is hashed second." },
  } as const,
});

const Step = builder.objectRef<MerklePathStep>("MerklePathStep").implement({
  description: "A step from a leaf to the root of a hash tree: the sibling and its side.",
  fields: (t) => ({
    hash: t.expose("hash", { description: "Hash of the sibling.", type: "Hash256" }),
    position: t.expose("position", { description: "Side of the sibling.", type: Position }),
  }),
});

const Path = builder.objectRef<readonly MerklePathStep[]>("MerklePath").implement({
  description: "The path from a leaf of a hash tree to its root.",
  fields: (t) => ({
    steps: t.field({
      description: "Steps of the path, from the leaf upwards.",
      type: [Step],
      resolve: (steps) => steps,
    }),
    body: bodyField(t, renderMerklePath),
  }),
});

builder.queryFields((t) => {
  const args = () => ({
    height: t.arg({ type: "SafeInt", required: true, description: "Height of the block." }),
    hash: t.arg({ type: "Hash256", required: true, description: "Hash of the transaction or statement." }),
  });
  return {
    transactionMerklePath: t.field({
      type: Path,
      description: "Merkle path from a transaction to the block's transactions hash.",
      args: args(),
      resolve: async (_root, { height, hash }, { db }) => {
        const transactions = await transactionsTree(db, height);
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
      description: "Merkle path from a statement to the block's receipts hash.",
      args: args(),
      resolve: async (_root, { height, hash }, { db }) => {
        const leaves = await readStatementHashes(db, height);
        const index = leaves.findIndex((leaf) => leaf.equals(hash));
        if (index < 0) throw await absence(db, height, hash);
        return merklePath(leaves, index);
      },
    }),
  };
});

/**
 * There is no such block, or it does not contain this hash: clients of the reference gateway distinguish these by the
 * code.
 */
async function absence(db: Db, height: number, hash: Buffer) {
  const block = await findBlockHash(db, height);
  if (!block) return notFound(height);
  // As worded by catapult-rest.
  return invalidArgument(`hash '${hex(hash)}' not included in block height '${height}'`);
}
