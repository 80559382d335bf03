import type { Db } from "../../database/database.js";
import { latestFeeMultipliers } from "../../database/queries/blocks.js";
import { readHead } from "../../database/queries/head.js";
import { findConfirmed, readStateValues } from "../../database/queries/state-entries.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import type { StateBasis } from "../../ledger/engine/entry-loader.js";
import type { ReadEntries } from "../../ledger/engine/sparse-state.js";

/** The state at the head, of which trials read what they look up. */
export interface HeadState {
  readonly config: NetworkConfig;
  readonly basis: Omit<StateBasis, "finalizedHeight">;
  readonly read: ReadEntries;
}

/**
 * The state at the head; undefined before the first block.
 *
 * @param snapshot of the database, for as long as the state is used
 * @param hashes of the transactions that will be tried
 */
export async function openHeadState(
  snapshot: Db,
  config: NetworkConfig,
  hashes: readonly Buffer[],
): Promise<HeadState | undefined> {
  const head = await readHead(snapshot);
  if (!head || head.height === 0) return undefined;
  const feeMultipliers = await latestFeeMultipliers(snapshot, config.maxDifficultyBlocks);
  const confirmed = await findConfirmed(snapshot, hashes);
  return {
    config,
    basis: { height: head.height, feeMultipliers, confirmed },
    read: async (keys) =>
      (await readStateValues(snapshot, keys)).map(({ kind, value }) => ({ kind, entry: { value } })),
  };
}
