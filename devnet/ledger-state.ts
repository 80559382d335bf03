import { LayeredMap } from "./layered-map.js";

/** What a devnet knows of an account. Never changed in place. */
export interface AccountState {
  /** 24 bytes. */
  readonly address: Buffer;
  /** Atomic units by mosaic id. */
  readonly balances: ReadonlyMap<bigint, bigint>;
  /** On an account that harvests for another: the address of that other one. */
  readonly harvestsFor?: Buffer;
  readonly vrfPublicKey?: Buffer;
  readonly votingPublicKey?: Buffer;
}

/** What a devnet knows of a mosaic. Never changed in place. */
export interface MosaicState {
  readonly id: bigint;
  readonly ownerAddress: Buffer;
  readonly supply: bigint;
}

/** A namespace, and what its name stands for. Never changed in place. */
export interface NamespaceState {
  readonly id: bigint;
  readonly ownerAddress: Buffer;
  readonly mosaicId?: bigint;
  readonly address?: Buffer;
}

/** All state; or, as a layer on top of other state, what some transactions would change in it. */
export interface LedgerState {
  readonly accounts: LayeredMap<AccountState>;
  readonly mosaics: LayeredMap<MosaicState>;
  readonly namespaces: LayeredMap<NamespaceState>;
  /** Deadlines by hash of the transactions in blocks: a transaction cannot be confirmed twice. */
  readonly confirmed: LayeredMap<number>;
}

/** What is needed to take a merged layer back. */
export type LedgerUndo = { readonly [K in keyof LedgerState]: ReturnType<LedgerState[K]["mergeDown"]> };

/** State without anything in it. */
export function emptyState(): LedgerState {
  return {
    accounts: new LayeredMap(),
    mosaics: new LayeredMap(),
    namespaces: new LayeredMap(),
    confirmed: new LayeredMap(),
  };
}

/** A new layer on top of some state. */
export function layerOn(state: LedgerState): LedgerState {
  return {
    accounts: state.accounts.layer(),
    mosaics: state.mosaics.layer(),
    namespaces: state.namespaces.layer(),
    confirmed: state.confirmed.layer(),
  };
}

/** Writes a layer into the state below it. */
export function mergeDown(layer: LedgerState): LedgerUndo {
  return {
    accounts: layer.accounts.mergeDown(),
    mosaics: layer.mosaics.mergeDown(),
    namespaces: layer.namespaces.mergeDown(),
    confirmed: layer.confirmed.mergeDown(),
  };
}

/** Takes back what `mergeDown` wrote into `state`. */
export function restore(state: LedgerState, undo: LedgerUndo): void {
  state.accounts.restore(undo.accounts);
  state.mosaics.restore(undo.mosaics);
  state.namespaces.restore(undo.namespaces);
  state.confirmed.restore(undo.confirmed);
}

/** Key of an address or hash in the maps. */
export function keyOf(bytes: Buffer): string {
  return bytes.toString("latin1");
}

/** The account at an address, without anything if nobody used it yet. */
export function accountAt(state: LedgerState, address: Buffer): AccountState {
  return state.accounts.get(keyOf(address)) ?? { address, balances: new Map() };
}

/** Replaces an account. */
export function putAccount(state: LedgerState, account: AccountState): void {
  state.accounts.set(keyOf(account.address), account);
}

/** Atomic units of a mosaic that an address owns. */
export function balanceOf(state: LedgerState, address: Buffer, mosaicId: bigint): bigint {
  return state.accounts.get(keyOf(address))?.balances.get(mosaicId) ?? 0n;
}

/** Adds to a balance (or takes from it); an account appears with its first use, also with an amount of 0. */
export function changeBalance(state: LedgerState, address: Buffer, mosaicId: bigint, amount: bigint): void {
  const account = accountAt(state, address);
  const balances = new Map(account.balances);
  const balance = (balances.get(mosaicId) ?? 0n) + amount;
  if (balance < 0n) throw new Error(`balance of ${address.toString("hex")} would be negative`);
  if (balance > 0n) balances.set(mosaicId, balance);
  else balances.delete(mosaicId);
  putAccount(state, { ...account, balances });
}
