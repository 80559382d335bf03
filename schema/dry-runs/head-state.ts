import type { Db } from "../../database/database.js";
import { inOneState } from "../../database/one-connection.js";
import { latestFeeMultipliers } from "../../database/queries/blocks.js";
import { readHead } from "../../database/queries/head.js";
import { findConfirmed, readStateValuesAtHead } from "../../database/queries/state-entries.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import type { StateBasis } from "../../ledger/engine/entry-loader.js";
import type { ReadEntries } from "../../ledger/engine/sparse-state.js";

/** The state at the head, of which dry runs read what they look up. */
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
 * @param alsoRead what else is read of the same state, at once
 */
export async function openHeadState<Also = undefined>(
  db: Db,
  config: NetworkConfig,
  hashes: readonly Buffer[],
  alsoRead?: (snapshot: Db) => Promise<Also>,
): Promise<{ readonly state: HeadState; readonly also: Also | undefined } | undefined> {
  const opened = await inOneState(db, async (snapshot) => {
    const head = await readHead(snapshot);
    if (!head || head.height === 0) return undefined;
    const feeMultipliers = await latestFeeMultipliers(snapshot, config.maxDifficultyBlocks);
    const confirmed = await findConfirmed(snapshot, hashes);
    const basis = { height: head.height, feeMultipliers, confirmed };
    return { hash: head.hash, basis, also: await alsoRead?.(snapshot) };
  });
  if (!opened) return undefined;
  const { hash, basis, also } = opened;
  const checkHead = (head: Buffer | undefined): void => {
    if (!head?.equals(hash)) throw new HeadMovedError("The head has changed");
  };
  const state: HeadState = {
    config,
    basis,
    at: (work) =>
      inOneState(db, async (snapshot) => {
        checkHead((await readHead(snapshot))?.hash);
        return await work(snapshot);
      }),
    read: async (keys) => {
      const { head, values } = await readStateValuesAtHead(db, keys);
      checkHead(head);
      return values.map(({ kind, value }) => ({ kind, entry: { value } }));
    },
  };
  return { state, also };
}
