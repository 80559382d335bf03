import { sql } from "kysely";
import { EntityError } from "../../catapult/entity/entity-error.js";
import { BLOCK } from "../../catapult/entity/entity-layout.js";
import { sha3OfMany } from "../../catapult/entity/hashes.js";
import { inactiveReason } from "../../catapult/state/end.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { decodeState } from "../../catapult/state/state.js";
import { StateTreeRoot } from "../../catapult/state/tree-root.js";
import type { Db } from "../../database/database.js";
import { readRawBlocks } from "../../database/queries/blocks.js";
import { keyInColumn } from "../../database/queries/state-entries.js";
import { STATE_TABLES } from "../../database/queries/state-lists.js";
import { leafRemains } from "../../ledger/engine/omitted-part.js";
import { readDifference } from "../chain/state/difference.js";
import { readHidden } from "../chain/state/hidden.js";
import { textOf } from "./compare-rows.js";
import type { Findings } from "./findings.js";

/** Number of rows read at a time. */
const ROWS_AT_A_TIME = 2_000;
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
  const hidden = await readHidden(db, kind);
  const remaining = new Set(hidden.filter(({ history }) => leafRemains(kind, history)).map(({ key }) => textOf(key)));
  for await (const { key, value } of storedValues(db, kind)) {
    const nodeKey = keyInColumn(kind, key);
    if (isInTree(kind, value, height) || remaining.has(textOf(nodeKey))) tree.add(nodeKey, value);
  }
  for (const { key, value } of hidden) if (value && remaining.has(textOf(key))) tree.add(key, value);
  findings.countChecked("state trees", 1);
  findings.countChecked("entries of state trees", tree.count);
  const root = tree.compute();
  if (root.equals(expected)) return;
  const problem =
    `the root of the ${tree.count} entries is ${textOf(root)}, but that under the state hash of block ${height} is ` +
    `${textOf(expected)}: rows are missing, added or changed`;
  findings.add({ table: STATE_TABLES[kind].table, key: `sub-cache=${kind}`, problem });
}

/** All keys and values of a kind, in the order of their rows. */
async function* storedValues(
  db: Db,
  kind: StateKind,
): AsyncGenerator<{ readonly key: Buffer; readonly value: Buffer }> {
  const { table, keyColumn } = STATE_TABLES[kind];
  for (let after: Buffer = Buffer.alloc(0); ; ) {
    const { rows } = await sql<{ id: Buffer; key: Buffer; value: Buffer }>`
      select id, ${sql.ref(keyColumn)} as key, value from ${sql.table(table)}
      where value is not null and id > ${after} order by id limit ${ROWS_AT_A_TIME}`.execute(db);
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
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
