import { blockHash } from "../../catapult/entity/hashes.js";
import type { Db } from "../../database/database.js";
import { readRawBlocks } from "../../database/queries/blocks.js";
import { describeDifference, Findings } from "../check/findings.js";
import { checkHead } from "../check/head.js";
import { checkStateTrees } from "../check/state-trees.js";
import { SnapshotError } from "./errors.js";

/**
 * Verifies the roots of the nine state trees against the head's state hash, the head row against the newest block,
 * and the hash of that block against its bytes.
 * @param db a snapshot of the database
 * @throws SnapshotError naming the first difference
 */
export async function verifyState(db: Db): Promise<void> {
  const findings = new Findings((difference) => {
    throw new SnapshotError(`The tables are not those of the chain: ${describeDifference(difference)}`);
  }, 1);
  await checkHead(db, findings);
  const head = await db.selectFrom("head").select(["height", "hash"]).executeTakeFirstOrThrow();
  const [raw] = await readRawBlocks(db, head.height, head.height);
  if (!raw || !blockHash(raw.block).equals(head.hash)) {
    throw new SnapshotError(`The bytes of block ${head.height} do not have the hash of the head`);
  }
  const uncompared = await checkStateTrees(db, findings);
  if (uncompared?.isTemporary) throw new SnapshotError(`The state cannot be verified: ${uncompared.reason}`);
}
