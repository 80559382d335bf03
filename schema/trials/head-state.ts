import type { Db } from "../../database/database.js";
import { inOneState } from "../../database/one-connection.js";
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
  /** @throws HeadMovedError */
  readonly read: ReadEntries;
  /**
   * Reads something else of the same state, on a snapshot of its own.
   *
   * @throws HeadMovedError
   */
  readonly at: <Result>(work: (snapshot: Db) => Promise<Result>) => Promise<Result>;
}

/** The head has changed since a state at the head was opened: what was tried on it is tried anew. */
export class HeadMovedError extends Error {
  override readonly name = "HeadMovedError";
}

/**
 * The state at the head; undefined before the first block. It holds no connection: each of its reads takes one for a
 * moment, and fails when the head has changed meanwhile.
 *
 * @param hashes of the transactions that will be tried
 */
export async function openHeadState(
  db: Db,
  config: NetworkConfig,
  hashes: readonly Buffer[],
): Promise<HeadState | undefined> {
  const opened = await inOneState(db, async (snapshot) => {
    const head = await readHead(snapshot);
    if (!head || head.height === 0) return undefined;
    const feeMultipliers = await latestFeeMultipliers(snapshot, config.maxDifficultyBlocks);
    const confirmed = await findConfirmed(snapshot, hashes);
    return { hash: head.hash, basis: { height: head.height, feeMultipliers, confirmed } };
  });
  if (!opened) return undefined;
  const { hash, basis } = opened;
  const at: HeadState["at"] = (work) =>
    inOneState(db, async (snapshot) => {
      const head = await readHead(snapshot);
      if (!head?.hash.equals(hash)) throw new HeadMovedError("The head has changed");
      return await work(snapshot);
    });
  return {
    config,
    basis,
    at,
    read: async (keys) => {
      const values = await at((snapshot) => readStateValues(snapshot, keys));
      return values.map(({ kind, value }) => ({ kind, entry: { value } }));
    },
  };
}
