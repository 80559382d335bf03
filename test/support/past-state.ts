import { decodeBlock } from "../../catapult/entity/block.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { decodeState } from "../../catapult/state/state.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { ChainState } from "../../ledger/engine/chain-state.js";

/** Accounts, mosaics and locks at a height. */
export interface PastState {
  /** Atomic units by mosaic id, then by address as upper-case hex. */
  readonly balances: ReadonlyMap<bigint, ReadonlyMap<string, bigint>>;
  /** Atomic units by mosaic id. */
  readonly supplies: ReadonlyMap<bigint, bigint>;
  /** Amounts in locks, atomic units by mosaic id. */
  readonly locked: ReadonlyMap<bigint, bigint>;
}

/** Executes a chain from its first block on, and returns the state at some heights: what an index should know of the past. */
export function executePast(
  blocks: readonly Buffer[],
  network: NetworkIdentity,
  config: NetworkConfig,
  heights: readonly number[],
): Map<number, PastState> {
  const state = new ChainState(config);
  const found = new Map<number, PastState>();
  for (const bytes of blocks) {
    const block = decodeBlock(bytes, network);
    state.execute(block);
    if (heights.includes(block.height)) found.set(block.height, pastStateOf(state, block.height));
  }
  return found;
}

function pastStateOf({ tables }: ChainState, height: number): PastState {
  const balances = new Map<bigint, Map<string, bigint>>();
  for (const value of tables.accounts.table.allSerialized()) {
    const { address, mosaics } = decodeState("account", value);
    for (const { id, amount } of mosaics) {
      const ofMosaic = balances.get(id) ?? new Map<string, bigint>();
      balances.set(id, ofMosaic.set(address.toString("hex").toUpperCase(), amount));
    }
  }
  const mosaics = tables.mosaics.table.allSerialized().map((value) => decodeState("mosaic", value));
  const locks = [
    ...tables.hashLocks.table.allSerialized().map((value) => decodeState("hashLock", value)),
    ...tables.secretLocks.table.allSerialized().map((value) => decodeState("secretLock", value)),
  ];
  const locked = new Map<bigint, bigint>();
  for (const { status, endHeight, mosaicId, amount } of locks) {
    if (status === 0 && endHeight > height) locked.set(mosaicId, (locked.get(mosaicId) ?? 0n) + amount);
  }
  return { balances, supplies: new Map(mosaics.map(({ id, supply }) => [id, supply])), locked };
}
