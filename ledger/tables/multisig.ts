import { MULTISIG_CODEC, type MultisigState } from "../../catapult/state/multisig.js";
import type { Journal } from "../trees/journal.js";
import { itemIn, type Order, withItem, withoutItem } from "../trees/sorted-list.js";
import { bytesOfMapKey, mapKey, StateTable } from "../trees/state-table.js";

const BY_BYTES: Order<Buffer, Buffer> = { keyOf: (address) => address, compare: Buffer.compare };

/** Whether an account is one of the cosignatories of a multisig account. */
export function hasCosignatory({ cosignatoryAddresses }: MultisigState, address: Buffer): boolean {
  return itemIn(cosignatoryAddresses, address, BY_BYTES) !== undefined;
}

/** The links of an account, in the order of the addresses, and its settings. */
export interface MultisigLinks {
  readonly minApproval: number;
  readonly minRemoval: number;
  /** Map keys of its cosignatories. */
  readonly below: readonly string[];
  /** Map keys of the accounts that it is a cosignatory of. */
  readonly above: readonly string[];
}

type Direction = "below" | "above";

const NO_LINKS: MultisigLinks = { minApproval: 0, minRemoval: 0, below: [], above: [] };
/** Walks come to the same entries again and again, and ask for map keys only. */
const linksOfEntries = new WeakMap<MultisigState, MultisigLinks>();

/** What is known of the graph since a section of the journal began. */
interface Derived {
  readonly section: number;
  readonly levels: Readonly<Record<Direction, Map<string, number>>>;
  readonly changes: string[];
}

function derivedAt(section: number): Derived {
  return { section, levels: { below: new Map(), above: new Map() }, changes: [] };
}

/** The multisig accounts of the chain. An entry without any link is removed. */
export class MultisigEntries {
  readonly table: StateTable<string, MultisigState>;
  readonly #journal: Journal;
  #derived: Derived;

  constructor(journal: Journal, parent?: MultisigEntries) {
    this.#journal = journal;
    this.#derived = derivedAt(journal.section);
    this.table = new StateTable(journal, { keyBytes: bytesOfMapKey, serialize: MULTISIG_CODEC.encode }, parent?.table);
  }

  get(address: Buffer): MultisigState | undefined {
    return this.getByKey(mapKey(address));
  }

  /** The entry of the account with this map key. */
  getByKey(key: string): MultisigState | undefined {
    return this.table.get(key);
  }

  addCosignatory(multisig: Buffer, cosignatory: Buffer): void {
    const upper = this.#findEntry(multisig);
    this.#forgetLevels(mapKey(multisig), "below");
    this.#forgetLevels(mapKey(cosignatory), "above");
    this.#put({ ...upper, cosignatoryAddresses: withItem(upper.cosignatoryAddresses, cosignatory, BY_BYTES) });
    const lower = this.#findEntry(cosignatory);
    this.#put({ ...lower, multisigAddresses: withItem(lower.multisigAddresses, multisig, BY_BYTES) });
  }

  removeCosignatory(multisig: Buffer, cosignatory: Buffer): void {
    const upper = this.#findEntry(multisig);
    this.#forgetLevels(mapKey(multisig), "below");
    this.#forgetLevels(mapKey(cosignatory), "above");
    this.#put({ ...upper, cosignatoryAddresses: withoutItem(upper.cosignatoryAddresses, cosignatory, BY_BYTES) });
    const lower = this.#findEntry(cosignatory);
    this.#put({ ...lower, multisigAddresses: withoutItem(lower.multisigAddresses, multisig, BY_BYTES) });
    this.removeIfUnlinked(cosignatory);
  }

  removeIfUnlinked(address: Buffer): void {
    const entry = this.get(address);
    if (!entry || entry.cosignatoryAddresses.length || entry.multisigAddresses.length) return;
    this.#present().changes.push(mapKey(address));
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

  /** The links and settings of the account with this map key. */
  findLinks(key: string): MultisigLinks {
    const entry = this.getByKey(key);
    if (entry === undefined) return NO_LINKS;
    let links = linksOfEntries.get(entry);
    if (links === undefined) {
      const { minApproval, minRemoval, cosignatoryAddresses, multisigAddresses } = entry;
      const [below, above] = [cosignatoryAddresses, multisigAddresses].map((addresses) => addresses.map(mapKey));
      links = { minApproval, minRemoval, below: below!, above: above! };
      linksOfEntries.set(entry, links);
    }
    return links;
  }

  /** Levels of the accounts above one (that it cosigns for, directly or not), or below one. */
  levels(address: Buffer, direction: Direction): number {
    return this.#countLevels(mapKey(address), direction, this.#present());
  }

  /** Whether an account cosigns for another one, directly or not. */
  isBelow(address: Buffer, upper: Buffer): boolean {
    const searched = mapKey(upper);
    const found = new Set([mapKey(address)]);
    // What is added while the set is walked is walked too.
    for (const key of found) {
      for (const one of this.findLinks(key).above) found.add(one);
      if (found.has(searched)) return true;
    }
    return false;
  }

  /** The map keys of the accounts that changed, in their order; another list after each checkpoint and roll-back. */
  get changes(): readonly string[] {
    return this.#present().changes;
  }

  #countLevels(key: string, direction: Direction, { levels }: Derived): number {
    const known = levels[direction].get(key);
    if (known !== undefined) return known;
    // A loop, which only votes against the rules can confirm, must not be walked for ever.
    levels[direction].set(key, 0);
    let count = 0;
    for (const one of this.findLinks(key)[direction]) {
      count = Math.max(count, this.#countLevels(one, direction, this.#derived) + 1);
    }
    levels[direction].set(key, count);
    return count;
  }

  /** Forgets a number of levels, and those that depend on it: each was computed once since they were last forgotten. */
  #forgetLevels(key: string, direction: Direction): void {
    if (!this.#present().levels[direction].delete(key)) return;
    const others = direction === "below" ? this.findLinks(key).above : this.findLinks(key).below;
    for (const one of others) this.#forgetLevels(one, direction);
  }

  /** What is derived from the entries is derived anew after a checkpoint, because it does not go back with them. */
  #present(): Derived {
    if (this.#derived.section !== this.#journal.section) this.#derived = derivedAt(this.#journal.section);
    return this.#derived;
  }

  #findEntry(address: Buffer): MultisigState {
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
    this.#present().changes.push(mapKey(entry.accountAddress));
    this.table.set(mapKey(entry.accountAddress), entry);
  }
}
