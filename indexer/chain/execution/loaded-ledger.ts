import type { Logger } from "pino";
import { STATE_KINDS } from "../../../catapult/state/kind.js";
import type { Db } from "../../../database/database.js";
import { readRawBlocks } from "../../../database/queries/blocks.js";
import type { Head } from "../../../database/queries/head.js";
import type { NetworkConfig } from "../../../ledger/config/network-config.js";
import { ChainState } from "../../../ledger/engine/chain-state.js";
import { HeaderWindow } from "../../../ledger/header/header-window.js";
import { readDifference, type StoredDifference } from "../state/difference.js";
import { StoredStateError } from "../step/errors.js";
import { ExecutedChain } from "./executed-chain.js";
import { loadHeaders, loadLedger, loadVotingSets } from "./stored-ledger.js";

export interface LedgerSource {
  readonly db: Db;
  readonly config: NetworkConfig;
  readonly log: Logger;
}

/**
 * Loads the state after block `height` of the index (0: that before the nemesis block), and verifies its nine roots.
 *
 * @throws StoredStateError when stored rows do not match the state
 */
export async function openLoadedLedger(
  { db, config, log }: LedgerSource,
  height: number,
  { finalization }: Pick<Head, "finalization">,
): Promise<ExecutedChain> {
  if (height === 0) return new ExecutedChain(new ChainState(config), new HeaderWindow(), new Map());
  const startedAt = performance.now();
  const ledger = await loadLedger(db, config, height, finalization.height);
  const difference = await readDifference(db, height);
  if (difference) ledger.loadDifference(difference.since);
  await verifyRoots(db, ledger, height, difference);
  const headers = await loadHeaders(db, config, height, finalization.height);
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
