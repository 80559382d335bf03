import type { NetworkIdentity, VerifiedBlock } from "../../catapult/entity/model.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import type { Db } from "../../database/database.js";
import { BlockRange } from "../../indexer/chain/step/block-range.js";
import { RowMaker } from "../../indexer/chain/step/block-rows.js";
import { readPosition } from "../../indexer/chain/step/chain-position.js";
import { insertHead } from "../../indexer/chain/step/network.js";
import { RangeWriter } from "../../indexer/chain/write/write.js";
import type { ServedBlock } from "./branch-node.js";
import { indexContext } from "./index-context.js";

/** A range with these blocks after the head of an index, which changes no state but registrations. */
export async function rangeOf(db: Db, blocks: readonly VerifiedBlock[]): Promise<BlockRange> {
  const [{ height, previousHash }] = blocks as [VerifiedBlock];
  const range = new BlockRange(await readPosition(db, { height: height - 1, hash: previousHash }));
  const maker = new RowMaker(range.parent);
  maker.add(blocks);
  range.addRows(maker.rows());
  for (const block of blocks) {
    const { bytes, statementBytes: statement, subCacheMerkleRoots } = block;
    range.addBlock(block, { bytes, statement, subCacheMerkleRoots: Buffer.concat(subCacheMerkleRoots) });
    range.decoded.push(block);
  }
  return range;
}

/** Writes blocks that nothing can execute into an empty database, as an indexer does, but without state. */
export async function writeBlocks(db: Db, network: NetworkIdentity, blocks: readonly ServedBlock[]): Promise<void> {
  await insertHead(db, network);
  const writer = new RangeWriter(indexContext(db, network));
  let previous: VerifiedBlock | undefined;
  for (const { block, statement } of blocks) {
    previous = verifyBlock({ bytes: block, statementBytes: statement, network, ...(previous && { previous }) });
    const range = await rangeOf(db, [previous]);
    range.emitsEvents = true;
    await writer.write(range);
  }
}
