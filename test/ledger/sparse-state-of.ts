import type { BlockTransaction } from "../../catapult/entity/model.js";
import { idBytes } from "../../catapult/state/composite-hash.js";
import type { StateKey } from "../../catapult/state/key.js";
import type { ChainState } from "../../ledger/engine/chain-state.js";
import { type KindedEntry, SparseState } from "../../ledger/engine/sparse-state.js";

/**
 * The part of a state that dry runs look up, without the hashes of other transactions in the chain, as it is in an
 * index.
 */
export function sparseStateOf(state: ChainState, transactions: readonly BlockTransaction[]): SparseState {
  const { tables, height } = state;
  const confirmed = transactions
    .filter(({ hash }) => state.isConfirmed(hash))
    .map(({ hash, entity }) => ({ hash, deadline: Number(entity.deadline) }));
  const basis = { height, feeMultipliers: tables.feeMultipliers.get(), confirmed };
  return new SparseState(state.config, basis, async (keys) => entriesOf(state, keys));
}

/** The entries of these keys, as they are read from an index. */
export function entriesOf(state: ChainState, keys: readonly StateKey[]): readonly KindedEntry[] {
  const { namespaces } = state.tables;
  return keys.flatMap(({ kind, key }): KindedEntry[] => {
    const root = kind === "namespace" ? namespaces.rootOf(key.readBigUInt64LE()) : undefined;
    const entry = state.entry({ kind, key: root ? idBytes(root.id) : key });
    return entry ? [{ kind, entry }] : [];
  });
}
