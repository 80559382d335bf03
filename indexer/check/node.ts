import { sql } from "kysely";
import { BLOCK } from "../../catapult/entity/entity-layout.js";
import { sha3OfMany, splitHashes } from "../../catapult/entity/hashes.js";
import type { NetworkIdentity, VerifiedBlock } from "../../catapult/entity/model.js";
import { hasEnded } from "../../catapult/state/end.js";
import type { StateKey } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { StateKeySet } from "../../catapult/state/state-key-set.js";
import { addTouchedKeys } from "../../catapult/state/touched.js";
import { ConnectionClosedError, NodeError } from "../../catapult/wire/errors.js";
import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { findBlockHash, readRawBlocks } from "../../database/queries/blocks.js";
import { type Head, readHead } from "../../database/queries/head.js";
import { stateKindNumber } from "../../database/queries/state.js";
import { keyInColumn } from "../../database/queries/state-entries.js";
import { hasBlock } from "../finality/finality.js";
import { readStates, type StatePoint } from "../state/read.js";
import { STATE_TABLES } from "../state/tables.js";
import { keyOf, textOf } from "./compare-rows.js";
import type { Findings } from "./findings.js";
import type { StateRow } from "./state.js";

/** A node sends at most 84 hashes by default. */
const HASHES_AT_A_TIME = 50;
/** Number of finalization proofs requested at a time. */
const EPOCHS_AT_A_TIME = 50;

/** Options for checks against a node. */
export interface NodeCheckOptions {
  readonly node: NodeClient;
  readonly network: NetworkIdentity;
  readonly findings: Findings;
}

/**
 * Compares the stored hashes of the blocks `from` to `to` (inclusive) with the node's.
 * @returns the first height above the finalized one at which the node is on another branch
 */
export async function checkBlockHashes(
  db: Db,
  { from, to }: { readonly from: number; readonly to: number },
  { node, findings }: NodeCheckOptions,
): Promise<number | undefined> {
  const finalizedHeight = (await readHead(db))?.finalization.height ?? 0;
  const rows = await db
    .selectFrom("blocks")
    .select(["height", "hash"])
    .where("height", ">=", from)
    .where("height", "<=", to)
    .execute();
  const stored = new Map(rows.map(({ height, hash }) => [height, hash]));
  let branch: number | undefined;
  for (let first = from; first <= to; first += HASHES_AT_A_TIME) {
    const hashes = await node.blockHashes(first, Math.min(HASHES_AT_A_TIME, to - first + 1));
    for (const [index, hash] of hashes.entries()) {
      const height = first + index;
      const ours = stored.get(height);
      if (!ours || ours.equals(hash)) continue;
      if (height > finalizedHeight) branch ??= height;
      else {
        const problem = `is ${textOf(ours)}, not ${textOf(hash)} as on the node`;
        findings.add({ table: "blocks", key: `height=${height}`, column: "hash", problem });
      }
    }
    findings.countChecked("block hashes of the node", hashes.length);
  }
  return branch;
}

/**
 * Compares finalized blocks with the node's proofs: all, or a random sample.
 * @returns proofs that are for blocks which neither the index nor the node has, in words
 */
export async function checkFinalizationProofs(
  db: Db,
  sample: number | undefined,
  { node, findings }: NodeCheckOptions,
): Promise<readonly string[]> {
  const outside: string[] = [];
  const { rows } = await sql<{ epoch: number; point: number; height: number; hash: Buffer }>`
    select distinct on (epoch) * from finalized_blocks order by epoch, point desc`.execute(db);
  // The proof of the current epoch may be of a later point than ours, or an earlier one.
  const ended = rows.slice(0, -1);
  const chosen = sample === undefined ? ended : ended.sort(() => Math.random() - 0.5).slice(0, sample);
  for (let start = 0; start < chosen.length; start += EPOCHS_AT_A_TIME) {
    const some = chosen.slice(start, start + EPOCHS_AT_A_TIME);
    const proofs = await Promise.all(some.map(({ epoch }) => node.finalizationProofAtEpoch(epoch)));
    for (const [index, row] of some.entries()) {
      const bytes = proofs[index];
      if (!bytes) continue;
      const proof = decodeFinalizationProof(bytes);
      const block = await findBlockHash(db, proof.height);
      if (block && !block.equals(proof.hash) && !(await hasBlock(node, proof))) {
        outside.push(`the proof of epoch ${row.epoch}: it is for a block ${proof.height} that the node does not have`);
        continue;
      }
      const name = `epoch=${row.epoch} point=${row.point}`;
      for (const [column, theirs] of [
        ["point", proof.point],
        ["height", proof.height],
      ] as const) {
        // We may have missed the epoch's last rounds.
        if (row[column] === theirs || (row.point < proof.point && row[column] < theirs)) continue;
        const problem = `is ${row[column]}, not ${theirs} as in the proof of the epoch`;
        findings.add({ table: "finalized_blocks", key: name, column, problem });
      }
      findings.countChecked("finalization proofs of the node", 1);
      if (!block || block.equals(proof.hash)) continue;
      const problem = `is ${textOf(block)}, not ${textOf(proof.hash)} as in the proof of epoch ${row.epoch}`;
      findings.add({ table: "blocks", key: `height=${proof.height}`, column: "hash", problem });
    }
  }
  return outside;
}

/**
 * Keys of state that blocks changed and that have no row in the database and are not pending: the node must have none
 * either.
 */
export async function keysWithoutRows(db: Db, network: NetworkIdentity, blocks: readonly VerifiedBlock[]) {
  const touched = new StateKeySet();
  for (const block of blocks) addTouchedKeys(touched, block, { network });
  const missing: StateKey[] = [];
  for (const kind of STATE_KINDS) {
    const keys = [...touched].filter((one) => one.kind === kind).map(({ key }) => key);
    if (keys.length === 0) continue;
    const { table, rowColumn } = STATE_TABLES[kind];
    const { rows } = await sql<{ key: Buffer }>`
      select k.key from unnest(${keys}::bytea[], ${keys.map((key) => keyInColumn(kind, key))}::bytea[]) k (key, stored)
      where not exists (select from ${sql.table(table)} t where t.${sql.ref(rowColumn)} = k.stored)
        and not exists (select from pending_states p where p.kind = ${stateKindNumber(kind)} and p.key = k.key)`.execute(
      db,
    );
    missing.push(...rows.map(({ key }) => ({ kind, key })));
  }
  return missing;
}

/** The result of comparing state with the node's: it is possible only while both have the same head. */
export type StateComparison = "compared" | "moved";

/**
 * Compares values with those of the node, each proven against the state hash of the head.
 * @param db the snapshot in which `rows` were read
 * @param absent keys without a row in the database
 * @throws ConnectionClosedError when the node serves no state to this host
 */
export async function compareWithNode(
  db: Db,
  kind: StateKind,
  { rows, absent }: { readonly rows: readonly StateRow[]; readonly absent: readonly StateKey[] },
  { node, network, findings }: NodeCheckOptions,
): Promise<StateComparison> {
  const head = await readHead(db);
  const point = head && (await pointOf(db, head, node));
  if (!head || !point) return "moved";
  const { table, keyColumn } = STATE_TABLES[kind];
  const pending = await pendingKeys(db, kind);
  const stored = new Map(
    rows
      .map((row) => [textOf(keyOnWire(kind, row[keyColumn] as Buffer)), row] as const)
      .filter(([key]) => !pending.has(key)),
  );
  const keys = [...[...stored.keys()].map((key) => ({ kind, key: Buffer.from(key, "hex") })), ...absent];
  const reading = await readStates(node, network.identifier, keys, point);
  if (reading.result === "moved") return "moved";
  for (const { kind: ofKind, key, value } of reading.values) {
    const row = ofKind === kind ? stored.get(textOf(key)) : undefined;
    if (row) {
      if (value ? value.equals(row.value) : mayBeForgotten(row, head)) continue;
      const problem = value
        ? `is ${textOf(row.value)}, not ${textOf(value)} as proven by the node`
        : "exists, but the node proves its absence";
      findings.add({ table, key: keyOf(row, [keyColumn]), column: "value", problem });
    } else if (value && absent.some((one) => one.kind === ofKind && one.key.equals(key))) {
      const name = `${STATE_TABLES[ofKind].keyColumn}=${textOf(keyInColumn(ofKind, key))}`;
      findings.add({ table: STATE_TABLES[ofKind].table, key: name, problem: "is missing: the node has a value" });
    }
  }
  findings.countChecked("state values of the node", reading.values.length);
  if (reading.unknown.length > 0) findings.countChecked("state values of unknown versions", reading.unknown.length);
  if (reading.rejected.length > 0)
    findings.countChecked("state values that the node could not prove", reading.rejected.length);
  return "compared";
}

/** Locks and namespaces that ended before the finalized block are about to be deleted. */
function mayBeForgotten(row: StateRow, { finalization }: Head): boolean {
  return typeof row.end_height === "number" && hasEnded(row.end_height, finalization.height);
}

/** Ids are little-endian on the wire and big-endian in the database; the conversion is its own inverse. */
const keyOnWire = keyInColumn;

/** Keys of a kind, as hex, whose rows are known to be outdated. */
async function pendingKeys(db: Db, kind: StateKind): Promise<Set<string>> {
  const rows = await db.selectFrom("pending_states").select("key").where("kind", "=", stateKindNumber(kind)).execute();
  return new Set(rows.map(({ key }) => textOf(key)));
}

/** The state hash and roots of the head; undefined if the node sends no roots for it. */
async function pointOf(db: Db, { height, hash }: Head, node: NodeClient): Promise<StatePoint | undefined> {
  const [raw] = await readRawBlocks(db, height, height);
  if (!raw) return undefined;
  const stateHash = raw.block.subarray(BLOCK.stateHash, BLOCK.stateHash + 32);
  if (stateHash.every((byte) => byte === 0)) return { height, hash, stateHash, subCacheMerkleRoots: [] };
  const stored = splitHashes(raw.sub_cache_merkle_roots ?? Buffer.alloc(0));
  if (sha3OfMany(stored).equals(stateHash)) return { height, hash, stateHash, subCacheMerkleRoots: stored };
  try {
    const subCacheMerkleRoots = await node.subCacheMerkleRoots(height);
    return { height, hash, stateHash, subCacheMerkleRoots };
  } catch (error) {
    if (error instanceof NodeError && !(error instanceof ConnectionClosedError)) return undefined;
    throw error;
  }
}
