import { addressOfPublicKey } from "../../catapult/entity/address.js";
import type { NetworkIdentity, VerifiedBlock } from "../../catapult/entity/model.js";
import { ACCOUNT_TYPE } from "../../catapult/state/account.js";
import { idBytes } from "../../catapult/state/composite-hash.js";
import type { StateKey } from "../../catapult/state/key.js";
import type { StateKind } from "../../catapult/state/kind.js";
import { StateKeySet } from "../../catapult/state/state-key-set.js";
import { addTouchedKeys, type HarvestingRules } from "../../catapult/state/touched.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import type { Db } from "../../database/database.js";
import { readRawBlocks } from "../../database/queries/blocks.js";
import { hasEndedAt } from "../../database/queries/end-height.js";
import { importanceKeys, keysReadSince, lowestImportanceHeight } from "./importance.js";

/** Inputs for computing keys of state. */
export interface TouchOptions {
  readonly db: Db;
  readonly network: NetworkIdentity;
  /** Undefined if the network's are unknown. */
  readonly harvestingRules: HarvestingRules | undefined;
  /** The account (24 bytes) that receives the network's share of fees, if known. */
  readonly harvestFeeSink?: Buffer | undefined;
}

const RAW_BLOCKS_AT_A_TIME = 500;

/** Adds all keys that blocks may change when they are added on top of the database. */
export async function addKeysOfBlocks(
  keys: StateKeySet,
  blocks: readonly VerifiedBlock[],
  options: TouchOptions,
): Promise<void> {
  const { network, harvestFeeSink } = options;
  for (const block of blocks) addTouchedKeys(keys, block, { network, ...(harvestFeeSink && { harvestFeeSink }) });
  await addKeysOutsideBlocks(
    keys,
    {
      beneficiaryAddresses: blocks.map(({ beneficiaryAddress }) => beneficiaryAddress),
      hasImportanceBlock: lowestImportanceHeight(blocks) !== undefined,
    },
    options,
  );
}

/** Properties of blocks that determine changed keys outside the blocks. */
export interface BlockTraits {
  /** 24 bytes each. */
  readonly beneficiaryAddresses: readonly Buffer[];
  readonly hasImportanceBlock: boolean;
}

/** Adds the keys that blocks change although they are not in them: those known to the database. */
export async function addKeysOutsideBlocks(
  keys: StateKeySet,
  { beneficiaryAddresses, hasImportanceBlock }: BlockTraits,
  { db, network, harvestingRules }: TouchOptions,
): Promise<void> {
  keys.addAll(await mainAccountsOf(db, network, beneficiaryAddresses));
  if (hasImportanceBlock) keys.addAll(await importanceKeys(db, harvestingRules));
}

/** Adds all keys that change when the blocks `from` to `to` (inclusive) of the database are rolled back. */
export async function addKeysOfDroppedBlocks(
  keys: StateKeySet,
  from: number,
  to: number,
  { db, network }: TouchOptions,
): Promise<void> {
  let importanceHeight: number | undefined;
  for await (const blocks of storedBlocks(db, network, from, to)) {
    for (const block of blocks) addTouchedKeys(keys, block, { network });
    const beneficiaries = blocks.map(({ beneficiaryAddress }) => beneficiaryAddress);
    keys.addAll(await mainAccountsOf(db, network, beneficiaries));
    importanceHeight ??= lowestImportanceHeight(blocks);
  }
  if (importanceHeight !== undefined) keys.addAll(await keysReadSince(db, importanceHeight));
}

/** Blocks `from` to `to` (inclusive) of the database, some at a time. They were verified before they were written. */
export async function* storedBlocks(
  db: Db,
  network: NetworkIdentity,
  from: number,
  to: number,
): AsyncGenerator<VerifiedBlock[]> {
  for (let first = from; first <= to; first += RAW_BLOCKS_AT_A_TIME) {
    const rows = await readRawBlocks(db, first, Math.min(to, first + RAW_BLOCKS_AT_A_TIME - 1));
    yield rows.map(({ block, statement }) =>
      verifyBlock({ bytes: block, statementBytes: statement, network, checkSignatures: false }),
    );
  }
}

/**
 * A block whose beneficiary is a remote account counts for its main account. Pending ones are resolved when they are
 * read.
 */
async function mainAccountsOf(
  db: Db,
  network: NetworkIdentity,
  beneficiaryAddresses: readonly Buffer[],
): Promise<StateKey[]> {
  if (beneficiaryAddresses.length === 0) return [];
  const rows = await db
    .selectFrom("accounts")
    .select("linked_public_key")
    .where("address", "in", [...beneficiaryAddresses])
    .where("account_type", "=", ACCOUNT_TYPE.remote)
    .execute();
  return rows.flatMap(({ linked_public_key: key }) =>
    key ? [{ kind: "account" as const, key: addressOfPublicKey(key, network.identifier) }] : [],
  );
}

/** Maximum number at a time; the others come with the next block. */
const MAX_FORGOTTEN = 1_000;

/**
 * Keys of locks and root namespaces that the node deletes once `finalizedHeight` is final, with its next block; each
 * is requested again until it is gone.
 */
export async function forgottenKeys(db: Db, finalizedHeight: number): Promise<StateKey[]> {
  const keys: StateKey[] = [];
  const tables: readonly [StateKind, "hash_locks" | "secret_locks", "hash" | "composite_hash"][] = [
    ["hashLock", "hash_locks", "hash"],
    ["secretLock", "secret_locks", "composite_hash"],
  ];
  for (const [kind, table, column] of tables) {
    const rows = await db
      .selectFrom(table)
      .select(column as never)
      .where(hasEndedAt("end_height", finalizedHeight))
      .orderBy("end_height")
      .limit(MAX_FORGOTTEN)
      .execute();
    for (const row of rows as Record<string, Buffer>[]) keys.push({ kind, key: row[column] as Buffer });
  }
  const roots = await db
    .selectFrom("namespaces")
    .select("namespace_id")
    .where(hasEndedAt("end_height", finalizedHeight))
    .where("registration_type", "=", 0)
    .orderBy("end_height")
    .limit(MAX_FORGOTTEN)
    .execute();
  for (const { namespace_id } of roots) keys.push({ kind: "namespace", key: idBytes(namespace_id.readBigUInt64BE()) });
  return keys;
}

/** The same keys, with the root in place of a child namespace known to the database: the node stores roots. */
export async function withRoots(db: Db, keys: readonly StateKey[]): Promise<RootedKeys> {
  const namespaces = keys.filter(({ kind }) => kind === "namespace");
  if (namespaces.length === 0) return { keys, children: [] };
  const rows = await db
    .selectFrom("namespaces")
    .select(["namespace_id", "level0"])
    .where(
      "namespace_id",
      "in",
      namespaces.map(({ key }) => Buffer.from(key).reverse()),
    )
    .where("registration_type", "=", 1)
    .execute();
  const roots = new Map(
    rows.map((row) => [Buffer.from(row.namespace_id).reverse().toString("hex"), Buffer.from(row.level0).reverse()]),
  );
  const rooted = new StateKeySet();
  const children: { child: StateKey; root: StateKey }[] = [];
  for (const key of keys) {
    const root = key.kind === "namespace" ? roots.get(key.key.toString("hex")) : undefined;
    if (root) children.push({ child: key, root: { kind: "namespace", key: root } });
    rooted.addAll([root ? { kind: "namespace", key: root } : key]);
  }
  return { keys: [...rooted], children };
}

/** Keys to request, and the children that are settled with their roots. */
export interface RootedKeys {
  readonly keys: readonly StateKey[];
  readonly children: readonly { readonly child: StateKey; readonly root: StateKey }[];
}
