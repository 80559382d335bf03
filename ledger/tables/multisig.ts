import { MULTISIG_CODEC, type MultisigState } from "../../catapult/state/multisig.js";
import type { Journal } from "../trees/journal.js";
import { itemIn, type Order, withItem, withoutItem } from "../trees/sorted-list.js";
import { bytesOfMapKey, mapKey, StateTable } from "../trees/state-table.js";

const BY_BYTES: Order<Buffer, Buffer> = { keyOf: (address) => address, compare: Buffer.compare };

/** Whether an account is one of the cosignatories of a multisig account. */
export function isCosignatoryOf({ cosignatoryAddresses }: MultisigState, address: Buffer): boolean {
  return itemIn(cosignatoryAddresses, address, BY_BYTES) !== undefined;
}

/** The multisig accounts of the chain. An entry without any link is removed. */
export class MultisigEntries {
  readonly table: StateTable<string, MultisigState>;
  #revision = 0;

  constructor(journal: Journal, parent?: MultisigEntries) {
    this.table = new StateTable(journal, { keyBytes: bytesOfMapKey, serialize: MULTISIG_CODEC.encode }, parent?.table);
  }

  get(address: Buffer): MultisigState | undefined {
    return this.getByKey(mapKey(address));
  }

  /** The entry of the account with this map key. */
  getByKey(key: string): MultisigState | undefined {
    return this.table.get(key);
  }

  /** Grows with each change, as long as nothing is rolled back. */
  get revision(): number {
    return this.#revision;
  }

  addCosignatory(multisig: Buffer, cosignatory: Buffer): void {
    const upper = this.#entryOf(multisig);
    this.#put({ ...upper, cosignatoryAddresses: withItem(upper.cosignatoryAddresses, cosignatory, BY_BYTES) });
    const lower = this.#entryOf(cosignatory);
    this.#put({ ...lower, multisigAddresses: withItem(lower.multisigAddresses, multisig, BY_BYTES) });
  }

  removeCosignatory(multisig: Buffer, cosignatory: Buffer): void {
    const upper = this.#entryOf(multisig);
    this.#put({ ...upper, cosignatoryAddresses: withoutItem(upper.cosignatoryAddresses, cosignatory, BY_BYTES) });
    const lower = this.#entryOf(cosignatory);
    this.#put({ ...lower, multisigAddresses: withoutItem(lower.multisigAddresses, multisig, BY_BYTES) });
    this.removeIfUnlinked(cosignatory);
  }

  removeIfUnlinked(address: Buffer): void {
    const entry = this.get(address);
    if (!entry || entry.cosignatoryAddresses.length || entry.multisigAddresses.length) return;
    this.#revision += 1;
    this.table.delete(mapKey(address));
  }

  /** Changes the number of required signatures; no effect on an account that is not in the table. */
  changeSettings(address: Buffer, minApprovalDelta: number, minRemovalDelta: number): void {
    const entry = this.get(address);
    if (!entry) return;
    this.#put({
      ...entry,
      minApproval: entry.minApproval + minApprovalDelta,
      minRemoval: entry.minRemoval + minRemovalDelta,
    });
  }

  /**
   * Adds the accounts above `address` (that it cosigns for, directly or not) to `found`; returns the number of
   * levels.
   */
  findAncestors(address: Buffer, found: Set<string>): number {
    return this.#findAll(address, found, (entry) => entry.multisigAddresses);
  }

  /**
   * Adds the accounts below `address` (its cosignatories, directly or not) to `found`; returns the number of levels.
   */
  findDescendants(address: Buffer, found: Set<string>): number {
    return this.#findAll(address, found, (entry) => entry.cosignatoryAddresses);
  }

  #findAll(address: Buffer, found: Set<string>, linksOf: (entry: MultisigState) => readonly Buffer[]): number {
    // Many paths lead to an account of a graph: the levels beyond it are counted once.
    const levelsAt = new Map<string, number>();
    const visit = (key: string): number => {
      const known = levelsAt.get(key);
      if (known !== undefined) return known;
      levelsAt.set(key, 0);
      const entry = this.getByKey(key);
      let levels = 0;
      for (const link of entry ? linksOf(entry) : []) {
        const linked = mapKey(link);
        found.add(linked);
        levels = Math.max(levels, visit(linked) + 1);
      }
      levelsAt.set(key, levels);
      return levels;
    };
    return visit(mapKey(address));
  }

  #entryOf(address: Buffer): MultisigState {
    return (
      this.get(address) ?? {
        accountAddress: address,
        minApproval: 0,
        minRemoval: 0,
        cosignatoryAddresses: [],
        multisigAddresses: [],
      }
    );
  }

  #put(entry: MultisigState): void {
    this.#revision += 1;
    this.table.set(mapKey(entry.accountAddress), entry);
  }
}
