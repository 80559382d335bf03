import type { StateKey } from "../../catapult/state/key.js";
import type { StateKind } from "../../catapult/state/kind.js";
import { StateKeySet } from "../../catapult/state/state-key-set.js";
import type { NetworkConfig } from "../config/network-config.js";
import { createRuleBook } from "../rules/all-rules.js";
import type { RuleBook } from "../rules/rule-book.js";
import { ChainTables } from "../tables/chain-tables.js";
import { dynamicFeeMultiplier } from "../tables/fee-multiplier.js";
import { mapKey } from "../trees/state-table.js";
import { DryRun, DryRunLimitError } from "./dry-run.js";
import { loadEntry, type StateBasis, type StoredEntry } from "./entry-loader.js";

/** An entry of the state, and its kind. */
export interface KindedEntry {
  readonly kind: StateKind;
  readonly entry: StoredEntry;
}

/**
 * Reads the entries of these keys, as far as they exist. The key of a namespace may be that of a child: its root is
 * read.
 */
export type ReadEntries = (keys: readonly StateKey[]) => Promise<readonly KindedEntry[]>;

/** More entries are not loaded: a transaction cannot make the process work for seconds. */
const MAX_ENTRIES = 20_000;
/**
 * Each round finds what the entries of the previous one point to; a chain of aliases and multisig accounts is shorter.
 */
const MAX_ROUNDS = 16;

/** Look-ups of entries in all rounds: less than a second of work, whatever the chain contains. */
const MAX_LOOK_UPS = 2_000_000;

/**
 * A state of which only those entries are in memory that dry runs look up. A dry run runs on what is known; while it
 * looks up something that was never read, that is read, and the dry run is run anew.
 */
export class SparseState {
  readonly #rules: RuleBook;
  readonly #tables: ChainTables;
  readonly #height: number;
  readonly #read: ReadEntries;
  readonly #requested = new StateKeySet();
  readonly #loadedNames = new Set<string>();

  /** @param read reads from the state after block `basis.height`, always the same one */
  constructor(config: NetworkConfig, basis: Omit<StateBasis, "finalizedHeight">, read: ReadEntries) {
    this.#rules = createRuleBook(config);
    this.#tables = new ChainTables(config);
    this.#height = basis.height;
    this.#read = read;
    const { dynamicFeeMultiplier: multiplier, confirmed } = this.#tables;
    multiplier.load(dynamicFeeMultiplier(config, basis.feeMultipliers));
    for (const { hash, deadline } of basis.confirmed) confirmed.load(mapKey(hash), BigInt(deadline));
  }

  /** Height of the last block. */
  get height(): number {
    return this.#height;
  }

  /** The present factor of rental fees: the median of the last blocks' fee multipliers. */
  get feeMultiplier(): number {
    return this.#tables.dynamicFeeMultiplier.get();
  }

  /**
   * The result of `work`, which may be called several times, each time with fresh dry runs.
   *
   * @throws DryRunLimitError if it looks up too much, errors of `work` and of reading
   */
  async run<T>(work: (startDryRun: () => DryRun) => T): Promise<T> {
    let left = MAX_LOOK_UPS;
    for (let round = 0; round < MAX_ROUNDS; ++round) {
      const unknown = new StateKeySet();
      const lookUps = {
        get size() {
          return unknown.size;
        },
        note: (key: StateKey | undefined) => {
          left -= 1;
          if (left < 0) throw new DryRunLimitError(`needs more than ${MAX_LOOK_UPS} look-ups of the state`);
          if (key && !this.#requested.has(key.kind, key.key)) unknown.add(key.kind, key.key);
        },
      };
      const attempt = runAttempt(() => work(() => new DryRun(this.#rules, this.#tables, this.#height, lookUps)));
      if ("error" in attempt && (unknown.size === 0 || attempt.error instanceof DryRunLimitError)) throw attempt.error;
      if ("result" in attempt && unknown.size === 0) {
        return attempt.result;
      }
      await this.#load([...unknown]);
    }
    throw new DryRunLimitError(`needs more than ${MAX_ROUNDS} rounds of reading the state`);
  }

  async #load(keys: readonly StateKey[]): Promise<void> {
    if (this.#requested.size + keys.length > MAX_ENTRIES) {
      throw new DryRunLimitError(`needs more than ${MAX_ENTRIES} entries of the state`);
    }
    this.#requested.addAll(keys);
    for (const { kind, entry } of await this.#read(keys)) {
      // Two children may have led to the same root.
      const name = `${kind} ${mapKey(entry.value)}`;
      if (this.#loadedNames.has(name)) continue;
      this.#loadedNames.add(name);
      loadEntry(this.#tables, kind, entry, this.#height);
    }
  }
}

function runAttempt<T>(work: () => T): { readonly result: T } | { readonly error: unknown } {
  try {
    return { result: work() };
  } catch (error) {
    return { error };
  }
}
