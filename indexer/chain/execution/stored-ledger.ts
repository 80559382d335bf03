import { entityNumber } from "../../../catapult/json/entity-id.js";
import type { StateKey } from "../../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../../catapult/state/kind.js";
import type { Db } from "../../../database/database.js";
import { latestFeeMultipliers, readRawBlocks } from "../../../database/queries/blocks.js";
import type { Head } from "../../../database/queries/head.js";
import { stateKindNumber } from "../../../database/queries/state-entries.js";
import { embeddedIs } from "../../../database/tables/embedded-flag.js";
import type { NetworkConfig } from "../../../ledger/config/network-config.js";
import { ChainState } from "../../../ledger/engine/chain-state.js";
import type { StoredEntry } from "../../../ledger/engine/entry-loader.js";
import { unpackVoters, type VotingSet } from "../../../ledger/finalization/voting-set.js";
import { headersNeeded } from "../../../ledger/header/header-rules.js";
import { HeaderWindow } from "../../../ledger/header/header-window.js";
import { readDifference, type StoredDifference } from "../state/difference.js";
import { readEntries } from "../state/hidden.js";
import { StoredStateError } from "../step/errors.js";
import type { IndexContext } from "../step/index-context.js";
import { ExecutedChain } from "./executed-chain.js";

/**
 * Loads the state after block `height` of the index (0: that before the nemesis block): the head, or a block below it that
 * is not below the finalized one. Verifies its nine roots.
 *
 * @throws StoredStateError when stored rows do not match the state; EntityError when a stored entry cannot be decoded
 */
export async function openLoadedLedger(
  { db, config, log }: Pick<IndexContext, "db" | "config" | "log">,
  height: number,
  { finalization }: Pick<Head, "finalization">,
): Promise<ExecutedChain> {
  if (height === 0) return new ExecutedChain(new ChainState(config), new HeaderWindow(), new Map());
  const startedAt = performance.now();
  const { height: finalizedHeight } = finalization;
  const [feeMultipliers, confirmed] = await Promise.all([
    latestFeeMultipliers(db, config.maxDifficultyBlocks, height),
    readConfirmed(db, config, height, finalizedHeight),
  ]);
  const basis = { height, finalizedHeight, feeMultipliers, confirmed };
  const ledger = await ChainState.load(config, basis, readEntriesAfter(db, height));
  const difference = await readDifference(db, height);
  if (difference) ledger.loadDifference(difference.since);
  await verifyRoots(db, ledger, height, difference);
  const headers = await loadHeaders(db, config, height, finalizedHeight);
  const votingSets = await loadVotingSets(db, finalization.epoch, height);
  const accounts = ledger.tables.accounts.table.size;
  log.info({ height, accounts, ms: Math.round(performance.now() - startedAt) }, "Loaded the state");
  return new ExecutedChain(ledger, headers, new Map(votingSets.map((set) => [set.epoch, set])));
}

/** While the state differs from the network's, the roots are those that this program had computed. */
async function verifyRoots(
  db: Db,
  ledger: ChainState,
  height: number,
  difference: StoredDifference | undefined,
): Promise<void> {
  if (difference && !difference.roots) return;
  const [stored] = difference ? [] : await readRawBlocks(db, height, height);
  const roots = difference?.roots ?? stored?.sub_cache_merkle_roots ?? Buffer.alloc(0);
  const wrong = ledger
    .subCacheMerkleRoots()
    .flatMap((root, index) => (root.equals(roots.subarray(32 * index, 32 * index + 32)) ? [] : [STATE_KINDS[index]!]));
  if (wrong.length > 0) throw new StoredStateError(height, wrong);
}

/** The headers of the index up to `height` that are needed to verify those of later blocks, also after a roll-back. */
async function loadHeaders(
  db: Db,
  config: NetworkConfig,
  height: number,
  finalizedHeight: number,
): Promise<HeaderWindow> {
  const rows = await db
    .selectFrom("blocks")
    .select(["height", "hash", "generation_hash", "timestamp", "difficulty"])
    .where("height", ">", Math.min(finalizedHeight, height) - headersNeeded(config))
    .where("height", "<=", height)
    .orderBy("height")
    .execute();
  return new HeaderWindow(
    rows.map(({ generation_hash, difficulty, ...row }) => ({
      ...row,
      generationHash: generation_hash,
      difficulty: BigInt(difficulty),
    })),
  );
}

/** The voters of the epochs from `epoch` on, as far as they are determined at block `height`. */
async function loadVotingSets(db: Db, epoch: number, height: number): Promise<VotingSet[]> {
  const rows = await db
    .selectFrom("voting_sets")
    .selectAll()
    .where("epoch", ">=", epoch)
    .where("height", "<=", height)
    .execute();
  return rows.map(({ voters, ...set }) => ({ ...set, voters: unpackVoters(voters) }));
}

/** Keys of the entries that blocks above `height` replaced: their stored values differ from those after that block. */
export async function replacedKeys(db: Db, height: number): Promise<StateKey[]> {
  const rows = await db
    .selectFrom("replaced_states")
    .select(["kind", "key"])
    .distinct()
    .where("height", ">", height)
    .execute();
  return rows.map(({ kind, key }) => ({ kind: STATE_KINDS[kind]!, key }));
}

/**
 * Transactions that could still be repeated in a block: those whose deadline is not before the last finalized block.
 */
async function readConfirmed(db: Db, config: NetworkConfig, height: number, finalizedHeight: number) {
  const finalized = await db
    .selectFrom("blocks")
    .select("timestamp")
    .where("height", "=", finalizedHeight)
    .executeTakeFirst();
  const since = finalized?.timestamp ?? 0;
  const lifetime = Math.max(config.maxTransactionLifetime, config.aggregate.maxBondedLifetime);
  const oldest = await db
    .selectFrom("blocks")
    .select("height")
    .where("timestamp", ">=", Math.max(0, since - lifetime))
    .orderBy("timestamp")
    .limit(1)
    .executeTakeFirst();
  const rows = await db
    .selectFrom("transactions")
    .select(["hash", "deadline"])
    .where("id", ">=", entityNumber(oldest?.height ?? 0))
    .where("id", "<", entityNumber(height + 1))
    .where(embeddedIs("type", false))
    .where("deadline", ">=", since)
    .execute();
  return rows.flatMap(({ hash, deadline }) => (hash && deadline !== null ? [{ hash, deadline }] : []));
}

/**
 * All entries after block `height`: the stored ones, with entries replaced by later blocks in place of the new ones.
 */
async function* readEntriesAfter(
  db: Db,
  height: number,
): AsyncGenerator<{ readonly kind: StateKind; readonly entry: StoredEntry }> {
  for (const kind of STATE_KINDS) {
    const replaced = await readReplaced(db, kind, height);
    for await (const entry of readEntries(db, kind)) {
      if (!replaced.has(entry.key.toString("hex"))) yield { kind, entry };
    }
    for (const entry of replaced.values()) if (entry) yield { kind, entry };
  }
}

/** By key, as hex digits; undefined if there was no entry after block `height`. */
async function readReplaced(db: Db, kind: StateKind, height: number): Promise<Map<string, StoredEntry | undefined>> {
  const rows = await db
    .selectFrom("replaced_states")
    .distinctOn("key")
    .select(["key", "value", "history"])
    .where("kind", "=", stateKindNumber(kind))
    .where("height", ">", height)
    .orderBy("key")
    .orderBy("height")
    .execute();
  return new Map(
    rows.map(({ key, value, history }) => [
      key.toString("hex"),
      value ? { value, history: history ?? undefined } : undefined,
    ]),
  );
}
