import { metadataCompositeHash } from "../../catapult/state/composite-hash.js";
import { keyOfState } from "../../catapult/state/key.js";
import type { StateKind } from "../../catapult/state/kind.js";
import { decodeState, type StateByKind } from "../../catapult/state/state.js";
import { readHistory } from "../tables/account-history.js";
import type { ChainTables } from "../tables/chain-tables.js";
import { type LockHistory, type LockKind, OlderLocks } from "../tables/locks.js";
import { entriesOf } from "../tables/namespaces.js";
import { mapKey } from "../trees/state-table.js";
import { isRemoved, leafRemains, olderLocks } from "./omitted-part.js";

/** The data of a chain's state after block `height`, besides its entries. */
export interface StateBasis {
  readonly height: number;
  readonly finalizedHeight: number;
  /**
   * The fee multipliers of the last blocks up to `height`, newest first: as many as the network's
   * `maxDifficultyBlocks`.
   */
  readonly feeMultipliers: readonly number[];
  /** Hashes and deadlines (ms since the network's epoch) of the transactions whose deadline has not passed. */
  readonly confirmed: Iterable<{ readonly hash: Buffer; readonly deadline: number }>;
}

/** An entry of the state in its stored form. */
export interface StoredEntry {
  /** The bytes as sent by a node, whose hash is in the state tree. */
  readonly value: Buffer;
  /** What the value omits: see `OmittedPart`. */
  readonly history?: Buffer | undefined;
}

type Loaders = {
  readonly [K in StateKind]: (tables: ChainTables, state: StateByKind[K], height: number, entry: StoredEntry) => void;
};

const LOADERS: Loaders = {
  account: (tables, state, height, { history }) => {
    const keys = state.supplementalPublicKeys;
    const kept = history
      ? readHistory(history)
      : {
          importances: state.format === 1 ? [{ importance: state.importance, height: state.importanceHeight }] : [],
          activity: state.activityBuckets,
        };
    tables.accounts.load(
      {
        address: state.address,
        addressHeight: state.addressHeight,
        publicKey: state.publicKey,
        publicKeyHeight: state.publicKeyHeight,
        type: state.accountType,
        linkedPublicKey: keys.linked,
        nodePublicKey: keys.node,
        vrfPublicKey: keys.vrf,
        votingKeys: keys.voting,
        ...kept,
        balances: tables.accounts.packBalances(state.mosaics),
      },
      height,
    );
  },
  namespace: ({ namespaces }, state, height, { history }) =>
    namespaces.load(
      { ...state, entries: entriesOf(state.entries), isRemoved: isRemoved("namespace", history) },
      height,
    ),
  mosaic: ({ mosaics }, state, height) => mosaics.load(state, height),
  multisig: ({ multisigs }, state, height) => multisigs.table.load(mapKey(state.accountAddress), state, height),
  hashLock: ({ hashLocks }, state, height, entry) => hashLocks.load(lockHistory("hashLock", state, entry), height),
  secretLock: ({ secretLocks }, state, height, entry) =>
    secretLocks.load(lockHistory("secretLock", state, entry), height),
  accountRestriction: ({ accountRestrictions }, state, height) => accountRestrictions.load(state, height),
  mosaicRestriction: ({ mosaicRestrictions }, state, height) =>
    mosaicRestrictions.table.load(mapKey(keyOfState("mosaicRestriction", state)), state, height),
  metadata: ({ metadata }, state, height) => metadata.table.load(mapKey(metadataCompositeHash(state)), state, height),
};

/** The locks of an id, from the value of the newest and what it omits. */
function lockHistory<K extends LockKind>(
  kind: K,
  newest: StateByKind[K],
  { value, history }: StoredEntry,
): LockHistory<StateByKind[K]> {
  return {
    older: OlderLocks.of(olderLocks(history, value.length).map((bytes) => decodeState(kind, Buffer.from(bytes)))),
    newest: isRemoved(kind, history) ? undefined : newest,
    remaining: leafRemains(kind, history) ? newest : undefined,
  };
}

/**
 * Adds a stored entry to tables with the state after block `height`.
 *
 * @throws EntityError naming the field when the bytes are not a value of this kind, RangeError for an invalid history
 */
export function loadEntry<K extends StateKind>(tables: ChainTables, kind: K, entry: StoredEntry, height: number): void {
  // A copy, because a value shares the bytes of a whole database response
  LOADERS[kind](tables, decodeState(kind, Buffer.from(entry.value)), height, entry);
}
