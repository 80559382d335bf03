import {
  RESTRICTION_FLAG,
  type AccountRestriction as RestrictionValues,
} from "../../catapult/state/account-restriction.js";
import {
  idBytes,
  mosaicRestrictionCompositeHash,
  secretLockCompositeHash,
} from "../../catapult/state/composite-hash.js";
import type { StateKind } from "../../catapult/state/kind.js";
import { LOCK_STATUS, type LockState } from "../../catapult/state/lock.js";
import { MOSAIC_RESTRICTION_ENTRY } from "../../catapult/state/mosaic-restriction.js";
import { decodeState, type StateByKind } from "../../catapult/state/state.js";
import { readHistory } from "../tables/account-history.js";
import type { ChainTables } from "../tables/chain-tables.js";
import { type HashLock, type LockHistory, type LockInfo, OlderLocks, type SecretLock } from "../tables/locks.js";
import { metadataHash } from "../tables/metadata.js";
import { NO_ALIAS } from "../tables/namespaces.js";
import { mapKey } from "../trees/state-table.js";
import { isRemoved, leafRemains, olderLocks } from "./omitted-part.js";

/** The data of a chain's state after block `height`, besides its entries. */
export interface StateBasis {
  readonly height: number;
  readonly finalizedHeight: number;
  /** Of the last blocks up to `height`, newest first: as many as the network's `maxDifficultyBlocks`. */
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

/** Copied, because decoded values share the bytes of a whole database response. */
const own = (bytes: Buffer) => Buffer.from(bytes);

const LOADERS: Loaders = {
  account: (tables, state, height, { history }) => {
    const key = (bytes: Buffer | undefined) => bytes && own(bytes);
    const keys = state.supplementalPublicKeys;
    const kept = history
      ? readHistory(history)
      : {
          importances: state.format === 1 ? [{ importance: state.importance, height: state.importanceHeight }] : [],
          activity: state.activityBuckets,
        };
    tables.accounts.load(
      {
        address: own(state.address),
        addressHeight: state.addressHeight,
        publicKey: own(state.publicKey),
        publicKeyHeight: state.publicKeyHeight,
        type: state.accountType,
        linkedPublicKey: key(keys.linked),
        nodePublicKey: key(keys.node),
        vrfPublicKey: key(keys.vrf),
        votingKeys: keys.voting.map((one) => ({ ...one, publicKey: own(one.publicKey) })),
        ...kept,
        balances: state.mosaics.map(({ id, amount }) => ({ mosaicId: id, amount })),
      },
      height,
    );
  },
  namespace: (tables, { id, ownerAddress, startHeight, endHeight, entries }, height, { history }) => {
    const aliasOf = (alias: (typeof entries)[number]["alias"]) =>
      alias.kind === "address" ? { ...alias, address: own(alias.address) } : alias;
    const [root, ...children] = entries;
    tables.namespaces.load(
      {
        id,
        owner: own(ownerAddress),
        start: startHeight,
        end: endHeight,
        alias: root ? aliasOf(root.alias) : NO_ALIAS,
        children: new Map(children.map((child) => [child.id, { path: child.path, alias: aliasOf(child.alias) }])),
        isRemoved: isRemoved("namespace", history),
      },
      height,
    );
  },
  mosaic: (tables, { ownerAddress, ...mosaic }, height) =>
    tables.mosaics.load({ ...mosaic, owner: own(ownerAddress) }, height),
  multisig: ({ multisigs }, state, height) => {
    const { minApproval, minRemoval, cosignatoryAddresses, multisigAddresses } = state;
    const address = own(state.accountAddress);
    const links = { cosignatories: cosignatoryAddresses.map(own), multisigs: multisigAddresses.map(own) };
    multisigs.table.load(mapKey(address), { address, minApproval, minRemoval, ...links }, height);
  },
  hashLock: ({ hashLocks }, state, height, entry) =>
    hashLocks.load(lockHistory("hashLock", hashLock(state), hashLock, entry), height),
  secretLock: ({ secretLocks }, state, height, entry) =>
    secretLocks.load(lockHistory("secretLock", secretLock(state), secretLock, entry), height),
  accountRestriction: ({ accountRestrictions }, { address, restrictions }, height) => {
    const lists = new Map(
      restrictions.map((one) => [
        one.flags & ~RESTRICTION_FLAG.block,
        { isBlock: (one.flags & RESTRICTION_FLAG.block) !== 0, values: restrictedValues(one) },
      ]),
    );
    accountRestrictions.table.load(mapKey(address), { address: own(address), lists }, height);
  },
  mosaicRestriction: ({ mosaicRestrictions: { table } }, state, height) => {
    const { mosaicId } = state;
    if (state.entryType === MOSAIC_RESTRICTION_ENTRY.global) {
      const rules = new Map(
        state.restrictions.map(({ key, restriction: { referenceMosaicId, restrictionValue, restrictionType } }) => [
          key,
          { referenceMosaicId, value: restrictionValue, type: restrictionType },
        ]),
      );
      table.load(mapKey(mosaicRestrictionCompositeHash(mosaicId)), { kind: "global", mosaicId, rules }, height);
      return;
    }
    const address = own(state.targetAddress);
    const values = new Map(state.restrictions.map(({ key, value }) => [key, value]));
    table.load(
      mapKey(mosaicRestrictionCompositeHash(mosaicId, address)),
      { kind: "address", mosaicId, address, values },
      height,
    );
  },
  metadata: ({ metadata }, state, height) => {
    const key = {
      source: own(state.sourceAddress),
      target: own(state.targetAddress),
      scopedKey: state.scopedMetadataKey,
      targetId: state.targetId,
      type: state.metadataType,
    };
    metadata.table.load(mapKey(metadataHash(key)), { ...key, value: own(state.value) }, height);
  },
};

/** The locks of an id, from the value of the newest and what it omits. */
function lockHistory<K extends "hashLock" | "secretLock", T extends LockInfo>(
  kind: K,
  newest: T,
  create: (state: StateByKind[K]) => T,
  { value, history }: StoredEntry,
): LockHistory<T> {
  return {
    older: OlderLocks.of(olderLocks(history, value.length).map((bytes) => create(decodeState(kind, bytes)))),
    newest: isRemoved(kind, history) ? undefined : newest,
    remaining: leafRemains(kind, history) ? newest : undefined,
  };
}

function hashLock(state: StateByKind["hashLock"]): HashLock {
  return { id: own(state.hash), ...lockOf(state) };
}

function secretLock(state: StateByKind["secretLock"]): SecretLock {
  const { hashAlgorithm } = state;
  const [secret, recipient] = [own(state.secret), own(state.recipientAddress)];
  return { id: secretLockCompositeHash(secret, recipient), ...lockOf(state), hashAlgorithm, secret, recipient };
}

function lockOf({ ownerAddress, mosaicId, amount, endHeight, status }: LockState) {
  return { owner: own(ownerAddress), mosaicId, amount, endHeight, isUsed: status === LOCK_STATUS.used };
}

/** The values of a list of restrictions in serialized form. */
function restrictedValues({ kind, values }: RestrictionValues): Buffer[] {
  switch (kind) {
    case "address":
      return values.map(own);
    case "mosaicId":
      return values.map(idBytes);
    case "transactionType":
      return values.map((type) => Buffer.of(type & 0xff, type >> 8));
  }
}

/**
 * Adds a stored entry to tables with the state after block `height`.
 *
 * @throws EntityError naming the field when the bytes are not a value of this kind, RangeError for an invalid history
 */
export function loadEntry<K extends StateKind>(tables: ChainTables, kind: K, entry: StoredEntry, height: number): void {
  LOADERS[kind](tables, decodeState(kind, entry.value), height, entry);
}
