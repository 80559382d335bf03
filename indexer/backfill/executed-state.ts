import type { StateKind } from "../../catapult/state/kind.js";
import type { EntryChange } from "../../ledger/engine/entry-changes.js";
import type { ProofClaim } from "../../ledger/header/generation-rules.js";
import type { Finalization } from "../../schema/db/head.js";
import type { VotingSetTable } from "../../schema/db/state.js";
import type { ReadState, ReplacedState } from "../state/change.js";

/** The statement and the roots of a block, where stored ones are others or missing. */
export interface RecomputedBytes {
  readonly height: number;
  readonly statement: Buffer;
  /** 32 bytes each, one behind the other. */
  readonly subCacheMerkleRoots: Buffer;
}

/** What executing some blocks in a row did to the state. */
export class ExecutedState {
  /** What became final with these blocks, the newest last. */
  readonly finalizations: Finalization[] = [];
  /** Whether a later block of the range is known to be final, and these are not yet proven by it. */
  awaitsProof = false;
  readonly votingSets: VotingSetTable[] = [];
  readonly recomputed: RecomputedBytes[] = [];
  /** Of the blocks that are not yet proven: to be verified, should they be written before they are. */
  readonly openClaims: ProofClaim[] = [];
  /** By kind, by key. */
  readonly #values = new Map<StateKind, Map<string, ReadState>>();
  #replaced: ReplacedState[] = [];

  /** The newest value of each key that was changed. */
  values(): ReadState[] {
    return [...this.#values.values()].flatMap((ofKind) => [...ofKind.values()]);
  }

  /** What blocks above `height` replaced. */
  replacedAbove(height: number): ReplacedState[] {
    return this.#replaced.filter((one) => one.height > height);
  }

  set(value: ReadState): void {
    this.#valuesOf(value.kind).set(value.key.toString("latin1"), value);
  }

  addReplaced(height: number, changes: readonly EntryChange[]): void {
    for (const change of changes) this.#replaced.push(new ReplacedEntry(height, change));
  }

  forgetReplaced(height: number): void {
    this.#replaced = this.replacedAbove(height);
  }

  /** Says that the newest of the blocks is final: what is below it is proven, and will not be taken back. */
  finalize(finalization: Finalization): void {
    this.finalizations.push(finalization);
    this.openClaims.length = 0;
    this.forgetReplaced(finalization.height);
  }

  /** Adds what the blocks behind these did. */
  append(later: ExecutedState): void {
    for (const [kind, values] of later.#values) {
      const ofKind = this.#valuesOf(kind);
      for (const [key, value] of values) ofKind.set(key, value);
    }
    for (const replaced of later.#replaced) this.#replaced.push(replaced);
    this.votingSets.push(...later.votingSets);
    this.recomputed.push(...later.recomputed);
    for (const finalization of later.finalizations) this.finalize(finalization);
    this.openClaims.push(...later.openClaims);
    this.awaitsProof = later.awaitsProof;
  }

  #valuesOf(kind: StateKind): Map<string, ReadState> {
    let values = this.#values.get(kind);
    if (!values) {
      values = new Map();
      this.#values.set(kind, values);
    }
    return values;
  }
}

/** Serializes what was replaced when it is asked for: most of it never is. */
class ReplacedEntry implements ReplacedState {
  readonly height: number;
  readonly #change: EntryChange;

  constructor(height: number, change: EntryChange) {
    this.height = height;
    this.#change = change;
  }

  get kind() {
    return this.#change.kind;
  }

  get key() {
    return this.#change.key;
  }

  get before() {
    return this.#change.before;
  }
}
