import { totalFee, totalTransactionsCount } from "../../catapult/entity/block.js";
import type { VerifiedBlock } from "../../catapult/entity/model.js";
import { statementsCount } from "../../catapult/entity/statement.js";
import { writeBlock } from "../../catapult/json/block.js";
import { rendered } from "../../catapult/json/body-writer.js";
import {
  type StatementSource,
  writeAddressResolution,
  writeMosaicResolution,
  writeTransactionStatement,
} from "../../catapult/json/statement.js";

interface WithBytes {
  readonly bytes: Buffer;
}

/** The REST document of a block, rendered as by the gateway; `id` is 24 hex digits. */
export function renderBlock(block: VerifiedBlock, id: string): string {
  const roots = Buffer.concat(block.subCacheMerkleRoots);
  const header = block.hash.length + block.generationHash.length;
  return rendered(writeBlock, {
    id: Buffer.from(id, "hex"),
    bytes: Buffer.concat([block.hash, block.generationHash, block.bytes.subarray(0, block.headerSize), roots]),
    hash: 0,
    generationHash: block.hash.length,
    header,
    headerEnd: header + block.headerSize,
    roots: header + block.headerSize,
    rootsEnd: header + block.headerSize + roots.length,
    totalFee: totalFee(block),
    transactionsCount: block.transactions.length,
    totalTransactionsCount: totalTransactionsCount(block),
    statementsCount: statementsCount(block.statement),
  });
}

/** The REST document of a transaction statement of a block. */
export function renderTransactionStatement(statement: WithBytes, block: VerifiedBlock, id: string): string {
  return rendered(writeTransactionStatement, sourceOf(statement, block, id));
}

/** The REST document of an address resolution of a block. */
export function renderAddressResolution(statement: WithBytes, block: VerifiedBlock, id: string): string {
  return rendered(writeAddressResolution, sourceOf(statement, block, id));
}

/** The REST document of a mosaic resolution of a block. */
export function renderMosaicResolution(statement: WithBytes, block: VerifiedBlock, id: string): string {
  return rendered(writeMosaicResolution, sourceOf(statement, block, id));
}

function sourceOf({ bytes }: WithBytes, { height, timestamp }: VerifiedBlock, id: string): StatementSource {
  return { id: Buffer.from(id, "hex"), height, timestamp, bytes, start: 0, end: bytes.length };
}
