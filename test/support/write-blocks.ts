import type { NetworkIdentity, VerifiedBlock } from "../../catapult/entity/model.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import type { Db } from "../../database/database.js";
import { RowMaker } from "../../indexer/chain/step/block-rows.js";
import type { ChainPosition } from "../../indexer/chain/step/chain-position.js";
import { insertHead } from "../../indexer/chain/step/network.js";
import { registrationRows } from "../../indexer/chain/step/registrations.js";
import type { StateChange, Step } from "../../indexer/chain/step/step.js";
import { readPosition } from "../../indexer/chain/write/head-row.js";
import { StepWriter } from "../../indexer/chain/write/write.js";
import type { ServedBlock } from "./branch-node.js";

/** A step that changes no state. */
export const NO_STATE_CHANGE: StateChange = {
  registrations: [],
  values: [],
  replaced: [],
  votingSets: [],
  missingRule: undefined,
  differing: [],
  difference: undefined,
  floor: 0,
};

/** A step without blocks, which changes no state. */
export function emptyStep(previous: ChainPosition, others: Partial<Step> = {}): Step {
  const nothing = { rows: [], raw: [], blocks: [], finalizations: [] };
  return { previous, ...nothing, state: NO_STATE_CHANGE, announce: false, ...others };
}

/** A step with these blocks after the head of an index, which changes no state but registrations. */
export async function stepOf(db: Db, blocks: readonly VerifiedBlock[]): Promise<Step> {
  const [{ height, previousHash }] = blocks as [VerifiedBlock];
  const previous = await readPosition(db, { height: height - 1, hash: previousHash });
  const state = { ...NO_STATE_CHANGE, registrations: blocks.flatMap(registrationRows) };
  const maker = new RowMaker(previous);
  maker.add(blocks);
  const raw = blocks.map(({ bytes, statementBytes: statement, subCacheMerkleRoots }) => {
    return { bytes, statement, subCacheMerkleRoots: Buffer.concat(subCacheMerkleRoots) };
  });
  return emptyStep(previous, { rows: [maker.rows()], raw, blocks, state });
}

/** Writes blocks that nothing can execute into an empty database, as an indexer does, but without state. */
export async function writeBlocks(db: Db, network: NetworkIdentity, blocks: readonly ServedBlock[]): Promise<void> {
  await insertHead(db, network);
  const writer = new StepWriter({ db, network });
  let previous: VerifiedBlock | undefined;
  for (const { block, statement } of blocks) {
    previous = verifyBlock({ bytes: block, statementBytes: statement, network, ...(previous && { previous }) });
    await writer.write({ ...(await stepOf(db, [previous])), announce: true });
  }
}
