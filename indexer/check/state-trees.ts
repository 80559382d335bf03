import { EntityError } from "../../catapult/entity/entity-error.js";
import { BLOCK } from "../../catapult/entity/entity-layout.js";
import { sha3OfMany } from "../../catapult/entity/hashes.js";
import { inactiveReason } from "../../catapult/state/end.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { decodeState } from "../../catapult/state/state.js";
import { StateTreeRoot } from "../../catapult/state/tree-root.js";
import type { Db } from "../../database/database.js";
import { readRawBlocks } from "../../database/queries/blocks.js";
import { STATE_TABLES } from "../../database/queries/state-lists.js";
import { isRemoved, leafRemains } from "../../ledger/engine/omitted-part.js";
import { readDifference } from "../chain/state/difference.js";
import { readEntries } from "../chain/state/hidden.js";
import { textOf } from "./compare-rows.js";
import type { Findings } from "./findings.js";

const ROOT_SIZE = 32;

/**
 * Rebuilds the state trees of the head from the rows and compares their roots with those under the head's state hash:
 * the proof that no row is missing, added or changed. Memory: 64 bytes per row of one kind, see `StateTreeRoot`.
 * @param db a snapshot
 * @returns why they could not be compared, if so
 */
export async function checkStateTrees(db: Db, findings: Findings): Promise<string | undefined> {
  const { height } = await db.selectFrom("head").select("height").executeTakeFirstOrThrow();
  const difference = await readDifference(db, height);
  if (difference) return `the state differs since block ${difference.since}`;
  const roots = await rootsOfBlock(db, height);
  if (typeof roots === "string") return roots;
  for (const kind of STATE_KINDS) {
    await compareTree(db, findings, { kind, height, expected: roots[STATE_KINDS.indexOf(kind)]! });
  }
  return undefined;
}

/** The roots under the state hash of a stored block, in the order of the kinds, or why there are none. */
async function rootsOfBlock(db: Db, height: number): Promise<readonly Buffer[] | string> {
  const [raw] = await readRawBlocks(db, height, height);
  if (!raw) return `the bytes of block ${height} are missing`;
  const stateHash = raw.block.subarray(BLOCK.stateHash, BLOCK.stateHash + ROOT_SIZE);
  if (stateHash.every((byte) => byte === 0)) return "the network keeps no state trees";
  const bytes = raw.sub_cache_merkle_roots;
  if (!sha3OfMany([bytes]).equals(stateHash)) return `the stored roots of block ${height} do not match its state hash`;
  const count = bytes.length / ROOT_SIZE;
  if (count !== STATE_KINDS.length) return `the network has ${count} kinds of state, not ${STATE_KINDS.length}`;
  return STATE_KINDS.map((_, index) => bytes.subarray(index * ROOT_SIZE, (index + 1) * ROOT_SIZE));
}

interface ExpectedTree {
  readonly kind: StateKind;
  readonly height: number;
  readonly expected: Buffer;
}

async function compareTree(db: Db, findings: Findings, { kind, height, expected }: ExpectedTree): Promise<void> {
  const tree = new StateTreeRoot();
  for await (const { key, value, history } of readEntries(db, kind)) {
    const isActive = !isRemoved(kind, history) && isInTree(kind, value, height);
    if (isActive || leafRemains(kind, history)) tree.add(key, value);
  }
  findings.countChecked("state trees", 1);
  findings.countChecked("entries of state trees", tree.count);
  const root = tree.compute();
  if (root.equals(expected)) return;
  const problem =
    `the root of the ${tree.count} entries is ${textOf(root)}, but that under the state hash of block ${height} is ` +
    `${textOf(expected)}: rows are missing, added or changed`;
  findings.add({ table: STATE_TABLES[kind].table, key: `sub-cache=${kind}`, problem });
}

/** Used and expired entries are kept until their end is final, but are in no tree. */
function isInTree(kind: StateKind, value: Buffer, height: number): boolean {
  if (kind !== "hashLock" && kind !== "secretLock" && kind !== "namespace") return true;
  try {
    return inactiveReason(kind, decodeState(kind, value), height) === undefined;
  } catch (error) {
    // Reported where rows are compared with their values.
    if (error instanceof EntityError) return true;
    throw error;
  }
}
