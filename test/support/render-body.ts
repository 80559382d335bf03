import { totalFee, totalTransactionsCount } from "../../catapult/entity/block.js";
import type { VerifiedBlock } from "../../catapult/entity/model.js";
import { statementsCount } from "../../catapult/entity/statement.js";
import { writeBlock } from "../../catapult/json/block.js";
import { type StatementSource, writeTransactionStatement } from "../../catapult/structs/statement.js";
import { rendered } from "../../catapult/values/body-writer.js";

interface WithBytes {
  readonly bytes: Buffer;
}

/** The REST document of a block, rendered as by the gateway. */
export function renderBlock(block: VerifiedBlock): string {
  return rendered(writeBlock, {
    height: block.height,
    hash: block.hash,
    generationHash: block.generationHash,
    header: block.bytes.subarray(0, block.headerSize),
    roots: Buffer.concat(block.subCacheMerkleRoots),
    totalFee: totalFee(block),
    transactionsCount: block.transactions.length,
    totalTransactionsCount: totalTransactionsCount(block),
    statementsCount: statementsCount(block.statement),
  });
}

/** The REST document of a transaction statement of a block. */
export function renderTransactionStatement(statement: WithBytes, block: VerifiedBlock): string {
  return rendered(writeTransactionStatement, sourceOf(statement, block));
}

/** The place in the ids of statements. */
const PLACE = { index: 0x1234, embeddedIndex: 0 };

function sourceOf({ bytes }: WithBytes, { height, timestamp }: VerifiedBlock): StatementSource {
  return { position: { height, ...PLACE }, timestamp, bytes };
}
