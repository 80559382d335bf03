import { blockHash } from "../../catapult/entity/hashes.js";
import type { Db } from "../../database/database.js";
import { findBlockHash, readRawBlocksWithin } from "../../database/queries/blocks.js";
import { readHead } from "../../database/queries/head.js";
import { SingleConnection } from "../../database/single-connection.js";
import { RecordedBranches } from "../finality/voted-branches.js";
import { positionAt } from "../follow/head-row.js";
import { networkRules } from "../state/options.js";
import { adoptNetwork, noteEpoch } from "../step/network.js";
import { BackfillRangeError } from "./errors.js";
import { type OtherIndex, readOtherHead } from "./other-index.js";
import type { Filling, PrepareOptions } from "./prepare.js";
import { RawSource } from "./raw-source.js";

/**
 * Prepares to fill an empty index from another database, or to continue after a stop. Blocks are verified as those of a
 * node; those that the other index has recorded as final count as proven, unless it had that from a node's claim.
 * @throws BackfillRangeError when the other database has no blocks, or another chain; WrongNetworkError
 */
export async function prepareFromIndex(
  { db, log, rules, executionOf }: Pick<PrepareOptions, "db" | "log" | "rules" | "executionOf">,
  { url, upTo }: OtherIndex,
): Promise<Filling> {
  const other = await SingleConnection.open(url, "symbol-gateway backfill");
  try {
    const head = await readOtherHead(other.db);
    const { network, epochAdjustment } = networkRules(await adoptNetwork(db, head.network), rules, log);
    await noteEpoch(db, epochAdjustment);
    const config = await executionOf(network);
    const start = await positionAt(db, (await readHead(db))?.height ?? 0);
    await requireSameChain(db, other.db, Math.min(start.height, head.height));
    const to = Math.max(start.height, upTo === "head" ? head.height : head.finalizedHeight);
    return {
      ...{ network, config, start, to },
      branches: await RecordedBranches.load(other.db, head.isExecuted ? to : 0),
      source: new RawSource(url),
      sourceHeight: head.height,
    };
  } finally {
    await other.close();
  }
}

async function requireSameChain(ours: Db, theirs: Db, height: number): Promise<void> {
  if (height === 0) return;
  const [block] = await readRawBlocksWithin(theirs, height, height, 1);
  const hash = await findBlockHash(ours, height);
  if (block && hash?.equals(blockHash(block.block))) return;
  throw new BackfillRangeError(`The database of --source has another block ${height} than this one: fill an empty one`);
}
