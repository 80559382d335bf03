import { addressOfPublicKey } from "../../catapult/entity/address.js";
import {
  ACCOUNT_CODEC,
  ACCOUNT_TYPE,
  ACTIVITY_BUCKETS,
  type ActivityBucket,
  type Balance,
  type VotingKey,
} from "../../catapult/state/account.js";
import type { Journal } from "../trees/journal.js";
import { type Order, SortedList } from "../trees/sorted-list.js";
import { bytesOfMapKey, mapKey, StateTable } from "../trees/state-table.js";

/** An importance, as calculated at `height`; height 0 means empty. */
export interface ImportanceSnapshot {
  readonly importance: bigint;
  readonly height: number;
}

/** The balances of an account, by the ids of their mosaics. */
export type Balances = SortedList<bigint, Balance>;

/** The state of an account. All are made with these fields in this order: then V8 reads and copies them fast. */
export interface AccountState {
  readonly address: Buffer;
  readonly addressHeight: number;
  /** 32 zero bytes until the account has signed something; then `publicKeyHeight` is above 0. */
  readonly publicKey: Buffer;
  readonly publicKeyHeight: number;
  readonly type: number;
  /** The remote account of a main account, or vice versa. */
  readonly linkedPublicKey: Buffer | undefined;
  readonly nodePublicKey: Buffer | undefined;
  readonly vrfPublicKey: Buffer | undefined;
  /** The voting keys in the order of their epochs. */
  readonly votingKeys: readonly VotingKey[];
  /** Newest first, at most `IMPORTANCE_HISTORY_SIZE`. */
  readonly importances: readonly ImportanceSnapshot[];
  /** Newest first, at most `ACTIVITY_HISTORY_SIZE`. */
  readonly activity: readonly ActivityBucket[];
  /** The currency first, then in the order of the mosaic ids; never an amount of 0. */
  readonly balances: Balances;
}

const ROLLBACK_SIZE = 2;
/** Number of stored importances per account: the current one, and two for roll-backs. */
export const IMPORTANCE_HISTORY_SIZE = 1 + ROLLBACK_SIZE;
/** Number of stored activity buckets per account: those that count, and two for roll-backs. */
export const ACTIVITY_HISTORY_SIZE = ACTIVITY_BUCKETS + ROLLBACK_SIZE;

export const EMPTY_IMPORTANCE: ImportanceSnapshot = { importance: 0n, height: 0 };
export const EMPTY_BUCKET: ActivityBucket = { startHeight: 0, totalFeesPaid: 0n, beneficiaryCount: 0, rawScore: 0n };

const ZERO_KEY = Buffer.alloc(32);

/** The reference reads 32 zero bytes as no key: in the state, those of nodes and VRF (`AccountPublicKeys`). */
export function keyUnlessZero(publicKey: Buffer): Buffer | undefined {
  return publicKey.equals(ZERO_KEY) ? undefined : publicKey;
}

export class Accounts {
  readonly table: StateTable<string, AccountState>;
  readonly #networkIdentifier: number;
  readonly #balanceOrder: Order<bigint, Balance>;
  readonly #lastKey: { address: Buffer | undefined; key: string } = { address: undefined, key: "" };

  constructor(journal: Journal, networkIdentifier: number, currencyMosaicId: bigint, parent?: Accounts) {
    this.table = new StateTable(journal, { keyBytes: bytesOfMapKey, serialize: serializeAccount }, parent?.table);
    this.#networkIdentifier = networkIdentifier;
    this.#balanceOrder = {
      keyOf: ({ id }) => id,
      compare: (left, right) => {
        if (left === right) return 0;
        if (left === currencyMosaicId) return -1;
        return right === currencyMosaicId || left > right ? 1 : -1;
      },
    };
  }

  get(address: Buffer): AccountState | undefined {
    return this.table.get(this.#keyOf(address));
  }

  getByPublicKey(publicKey: Buffer): AccountState | undefined {
    return this.get(this.addressOf(publicKey));
  }

  /**
   * The account of a public key that is known: one that has received something, but never signed, is not found
   * (catapult looks these up in a map of known keys, `AccountStateCache`).
   */
  getByKnownPublicKey(publicKey: Buffer): AccountState | undefined {
    const account = this.getByPublicKey(publicKey);
    return account && account.publicKeyHeight > 0 ? account : undefined;
  }

  /** @throws Error if there is no such account. */
  require(address: Buffer): AccountState {
    return this.#require(this.#keyOf(address));
  }

  addressOf(publicKey: Buffer): Buffer {
    return addressOfPublicKey(publicKey, this.#networkIdentifier);
  }

  /** Creates an account at `height`, if it does not exist. */
  addAddress(address: Buffer, height: number): void {
    const key = mapKey(address);
    if (this.table.get(key)) return;
    this.table.set(key, {
      address,
      addressHeight: height,
      publicKey: ZERO_KEY,
      publicKeyHeight: 0,
      type: ACCOUNT_TYPE.unlinked,
      linkedPublicKey: undefined,
      nodePublicKey: undefined,
      vrfPublicKey: undefined,
      votingKeys: [],
      importances: [],
      activity: [],
      balances: this.packBalances([]),
    });
  }

  /** Creates an account and sets its public key at `height`, if not done yet. */
  addPublicKey(publicKey: Buffer, height: number): void {
    const address = this.addressOf(publicKey);
    const key = mapKey(address);
    if ((this.table.get(key)?.publicKeyHeight ?? 0) > 0) return;
    this.addAddress(address, height);
    // a copy, because the key may be part of a whole block's buffer
    this.table.set(key, { ...this.#require(key), publicKey: Buffer.from(publicKey), publicKeyHeight: height });
  }

  /** Balances in the order of the state. */
  packBalances(balances: readonly Balance[]): Balances {
    return SortedList.of(this.#balanceOrder, balances);
  }

  /** Adds an account that exists after block `height`. */
  load(account: AccountState, height: number): void {
    this.table.load(mapKey(account.address), account, height);
  }

  /** @throws Error if there is no such account. */
  update(address: Buffer, change: Partial<AccountState>): void {
    const key = this.#keyOf(address);
    this.table.set(key, { ...this.#require(key), ...change });
  }

  /** Replaces the activity of an account. @throws Error if there is no such account. */
  setActivity(address: Buffer, activity: readonly ActivityBucket[]): void {
    const key = this.#keyOf(address);
    this.table.set(key, { ...this.#require(key), activity });
  }

  /** The account that receives the harvest of `address`: the main account of a remote one, otherwise itself. */
  forwarded(address: Buffer): AccountState {
    const account = this.require(address);
    if (account.type !== ACCOUNT_TYPE.remote || !account.linkedPublicKey) return account;
    return this.require(this.addressOf(account.linkedPublicKey));
  }

  credit(address: Buffer, mosaicId: bigint, amount: bigint): void {
    if (amount === 0n) return;
    const key = this.#keyOf(address);
    const account = this.#require(key);
    this.#setBalance(key, account, mosaicId, balanceOf(account, mosaicId) + amount);
  }

  /** @throws Error if the balance is too low. */
  debit(address: Buffer, mosaicId: bigint, amount: bigint): void {
    if (amount === 0n) return;
    const key = this.#keyOf(address);
    const account = this.#require(key);
    const balance = balanceOf(account, mosaicId);
    if (amount > balance) {
      throw new Error(`debit of ${amount} from ${balance} of mosaic ${mosaicId.toString(16)}`);
    }
    this.#setBalance(key, account, mosaicId, balance - amount);
  }

  #setBalance(key: string, account: AccountState, mosaicId: bigint, amount: bigint): void {
    const balances =
      amount === 0n ? account.balances.without(mosaicId) : account.balances.with({ id: mosaicId, amount });
    this.table.set(key, { ...account, balances });
  }

  /**
   * The map key of an address. A step looks up the same account several times, by the same buffer, which is never
   * modified; a string that was looked up before is found faster.
   */
  #keyOf(address: Buffer): string {
    const lastKey = this.#lastKey;
    if (address === lastKey.address) return lastKey.key;
    const key = mapKey(address);
    lastKey.address = address;
    lastKey.key = key;
    return key;
  }

  #require(key: string): AccountState {
    const account = this.table.get(key);
    if (!account) throw new Error(`no account ${bytesOfMapKey(key).toString("hex")}`);
    return account;
  }
}

export function balanceOf({ balances }: Pick<AccountState, "balances">, mosaicId: bigint): bigint {
  return balances.get(mosaicId)?.amount ?? 0n;
}

/**
 * The key with which an account votes in an epoch; undefined if it has none. A linked key of 32 zero bytes is none
 * (catapult `FinalizationContext.cpp`, `ReadOnlyAccountStateCache.cpp`), though it is stored like any other.
 */
export function findVotingKey({ votingKeys }: Pick<AccountState, "votingKeys">, epoch: number): Buffer | undefined {
  const key = votingKeys.find(({ startEpoch, endEpoch }) => startEpoch <= epoch && epoch <= endEpoch);
  return key && keyUnlessZero(key.publicKey);
}

/** Whether the account has an importance now: then its importance and activity are part of its state value. */
function isHighValue(account: AccountState): boolean {
  return (account.importances[0]?.height ?? 0) !== 0;
}

function serializeAccount(account: AccountState): Buffer {
  const format = isHighValue(account) ? 1 : 0;
  const { importance, height } = account.importances[0] ?? EMPTY_IMPORTANCE;
  return ACCOUNT_CODEC.encode({
    address: account.address,
    addressHeight: account.addressHeight,
    publicKey: account.publicKey,
    publicKeyHeight: account.publicKeyHeight,
    accountType: account.type,
    format,
    supplementalPublicKeys: {
      linked: account.linkedPublicKey,
      node: account.nodePublicKey,
      vrf: account.vrfPublicKey,
      voting: account.votingKeys,
    },
    importance,
    importanceHeight: height,
    activityBuckets: format === 1 ? filled(account.activity, EMPTY_BUCKET, ACTIVITY_BUCKETS) : [],
    mosaics: [...account.balances],
  });
}

/** The first `count` values, with empty ones for those that are missing. */
export function filled<T>(values: readonly T[], empty: T, count: number): readonly T[] {
  return Array.from({ length: count }, (_, index) => values[index] ?? empty);
}
