import { type StateKey, stateKeySize } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import type { HashLockState, SecretLockState } from "../../catapult/state/lock.js";
import type { NetworkConfig } from "../config/network-config.js";
import { Journal, JournaledMap, JournaledValue } from "../trees/journal.js";
import { mapKey, type StateTable } from "../trees/state-table.js";
import { AccountRestrictionEntries } from "./account-restrictions.js";
import { Accounts } from "./accounts.js";
import { Locks } from "./locks.js";
import { MetadataEntries } from "./metadata.js";
import { MosaicRestrictions } from "./mosaic-restrictions.js";
import { Mosaics } from "./mosaics.js";
import { MultisigEntries } from "./multisig.js";
import { Namespaces } from "./namespaces.js";

/** A table of any kind, for operations on all of them. */
export type AnyStateTable = StateTable<string | bigint, unknown>;

/** Everything that blocks change: the nine sub-caches of the state hash, and the data needed to compute them. */
export class ChainTables {
  readonly journal = new Journal();
  readonly accounts: Accounts;
  readonly namespaces: Namespaces;
  readonly mosaics: Mosaics;
  readonly multisigs: MultisigEntries;
  readonly hashLocks: Locks<HashLockState>;
  readonly secretLocks: Locks<SecretLockState>;
  readonly accountRestrictions: AccountRestrictionEntries;
  readonly mosaicRestrictions: MosaicRestrictions;
  readonly metadata: MetadataEntries;

  /** Map keys of the accounts with enough of the harvesting mosaic. */
  readonly highValueAccounts: JournaledMap<string, string>;
  /** Map keys of the accounts that had enough, as long as they have importances or activity from that time. */
  readonly formerHighValueAccounts: JournaledMap<string, string>;
  /** Map keys of the accounts with a voting key and enough of the harvesting mosaic to vote. */
  readonly voters: JournaledMap<string, string>;
  /** Height for which importances were last calculated. */
  readonly lastImportanceHeight: JournaledValue<number>;
  /** Fee multipliers of the last blocks, newest first. */
  readonly feeMultipliers: JournaledValue<readonly number[]>;
  /** Factor of rental fees; 0 during the first block, before which there are no statistics. */
  readonly dynamicFeeMultiplier: JournaledValue<number>;
  /** Deadlines (ms since the network's epoch) of the transactions in the chain, by map keys of their hashes. */
  readonly confirmed: JournaledMap<string, bigint>;
  /** Height since which the state differs from that of the network; 0 while it does not. */
  readonly differsSince: JournaledValue<number>;
  readonly #byKind: Readonly<Record<StateKind, { readonly table: unknown }>>;
  readonly #stateTables: readonly AnyStateTable[];

  /** @param parent tables below these: see `JournaledMap`. */
  constructor(config: NetworkConfig, parent?: ChainTables) {
    const { journal } = this;
    this.accounts = new Accounts(journal, config.networkIdentifier, config.currencyMosaicId, parent?.accounts);
    this.namespaces = new Namespaces(journal, parent?.namespaces);
    this.mosaics = new Mosaics(journal, parent?.mosaics);
    this.multisigs = new MultisigEntries(journal, parent?.multisigs);
    this.hashLocks = new Locks(journal, "hashLock", parent?.hashLocks);
    this.secretLocks = new Locks(journal, "secretLock", parent?.secretLocks);
    this.accountRestrictions = new AccountRestrictionEntries(journal, parent?.accountRestrictions);
    this.mosaicRestrictions = new MosaicRestrictions(journal, parent?.mosaicRestrictions);
    this.metadata = new MetadataEntries(journal, parent?.metadata);
    this.highValueAccounts = new JournaledMap(journal, parent?.highValueAccounts);
    this.formerHighValueAccounts = new JournaledMap(journal, parent?.formerHighValueAccounts);
    this.voters = new JournaledMap(journal, parent?.voters);
    this.lastImportanceHeight = new JournaledValue(journal, parent?.lastImportanceHeight.get() ?? 0);
    this.feeMultipliers = new JournaledValue(journal, parent?.feeMultipliers.get() ?? []);
    this.dynamicFeeMultiplier = new JournaledValue(journal, parent?.dynamicFeeMultiplier.get() ?? 0);
    this.confirmed = new JournaledMap(journal, parent?.confirmed);
    this.differsSince = new JournaledValue(journal, 0);
    this.#byKind = {
      account: this.accounts,
      namespace: this.namespaces,
      mosaic: this.mosaics,
      multisig: this.multisigs,
      hashLock: this.hashLocks,
      secretLock: this.secretLocks,
      accountRestriction: this.accountRestrictions,
      mosaicRestriction: this.mosaicRestrictions,
      metadata: this.metadata,
    };
    this.#stateTables = STATE_KINDS.map((kind) => this.byKind(kind));
  }

  isConfirmed(hash: Buffer): boolean {
    return this.confirmed.has(mapKey(hash));
  }

  /** Calls `onLookUp` whenever a key is looked up: with it if it has no entry. A namespace may be a child, or its root. */
  watch(onLookUp: (unknown: StateKey | undefined) => void): void {
    for (const kind of STATE_KINDS) {
      const watched = kind === "namespace" ? this.namespaces : this.byKind(kind);
      watched.watch((key) => onLookUp(key && { kind, key }));
    }
  }

  /** The tables whose trees make the state hash, in its order. */
  stateTables(): readonly AnyStateTable[] {
    return this.#stateTables;
  }

  /**
   * The nodes of a kind's tree from its root towards a key, as in the node's state path packets: they prove that an entry
   * exists, or that none does. @throws RangeError for a key of another size
   */
  statePath(kind: StateKind, key: Buffer): Buffer {
    const size = stateKeySize(kind);
    if (key.length !== size) throw new RangeError(`a key of ${kind} has ${size} bytes, not ${key.length}`);
    return this.byKind(kind).path(key);
  }

  /** The table of a kind; its keys are bigints for mosaics and namespaces, otherwise map keys. */
  byKind(kind: StateKind): AnyStateTable {
    return this.#byKind[kind].table as unknown as AnyStateTable;
  }
}
