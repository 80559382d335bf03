import type { StateKind } from "../../../catapult/state/kind.js";
import type { Finalization } from "../../../database/queries/head.js";
import type { VotingSetTable } from "../../../database/tables/state.js";
import type { StateDifference } from "../../../ledger/engine/chain-state.js";
import type { EndedEntry, EntryChange } from "../../../ledger/engine/entry-changes.js";
import type { OverruledCheck } from "../../../ledger/engine/overruled-check.js";
import type { ProofClaim } from "../../../ledger/header/generation-rules.js";
import type { Contradiction } from "../finality/finality.js";
import type { ChangedState, RecomputedBytes, ReplacedState, StateChange } from "../step/step.js";

/** What is written of consecutive executed blocks besides their rows. */
export class ExecutedState {
  /** Blocks that became final with these blocks, the newest last. */
  readonly finalizations: Finalization[] = [];
  /** What votes name in place of one of these blocks, unless a later round has made others final since. */
  contradiction: Contradiction | undefined;
  /** Of the block that is said to be final while these are executed; 0 if votes contradict the chain. */
  claimedHeight = 0;
  /** Whether a later block of the range is known to be final, and these are not yet proven by it. */
  awaitsProof = false;
  /** Voters that the blocks determined. */
  readonly votingSets: VotingSetTable[] = [];
  readonly recomputed: RecomputedBytes[] = [];
  /** Checks of ours that votes overruled. */
  readonly overruled: OverruledCheck[] = [];
  /** Heights of blocks that votes prove though their state hash is another one than computed. */
  readonly differing: number[] = [];
  /** How the state differs after the last of these blocks; undefined if it never did. */
  difference: StateDifference | undefined;
  /** Of the blocks that are not yet proven: to be verified if they are written before they are. */
  openClaims: ProofClaim[] = [];
  /** The newest change of each key, by kind, by key. */
  readonly #newest = new Map<StateKind, Map<string, Newest>>();
  /** Of each block, the lowest first. */
  #changes: BlockChanges[] = [];

  /** Without the registrations of namespaces. @param floor blocks up to here will not be rolled back */
  change(floor: number): Omit<StateChange, "registrations"> {
    const { votingSets, overruled, differing, difference } = this;
    return {
      values: this.#values(),
      replaced: this.#replacedAbove(floor),
      votingSets,
      overruled,
      differing,
      difference,
      floor,
    };
  }

  /** The newest value of each changed key. Serialized now: for a key that changes often, only the last value. */
  #values(): ChangedState[] {
    return [...this.#newest.values()].flatMap((ofKind) =>
      Array.from(ofKind.values(), ({ kind, key, after }) => {
        return { kind, key, value: after?.value, history: after?.history };
      }),
    );
  }

  /** Entries replaced by blocks above `height`; serialized when read. */
  #replacedAbove(height: number): ReplacedState[] {
    return (
      this.#changes
        // Below the first block there is nothing to go back to.
        .filter((block) => block.height > Math.max(1, height))
        .flatMap(({ height: at, changes }) => changes.filter(hasEffect).map((change) => new ReplacedEntry(at, change)))
    );
  }

  /** Records the changes of a block. */
  add(height: number, changes: readonly EntryChange[]): void {
    for (const change of changes) this.#note(change);
    this.#changes.push({ height, changes });
  }

  /** Records entries that no block has changed: they ended with a final block, or a roll-back restored them. */
  end(entries: readonly EndedEntry[]): void {
    for (const entry of entries) this.#note({ ...entry, name: entry.key.toString("latin1") });
  }

  forgetReplaced(height: number): void {
    if ((this.#changes[0]?.height ?? height + 1) > height) return;
    this.#changes = this.#changes.filter((block) => block.height > height);
  }

  /** Records that one of the blocks is final: everything below it is proven, and will not be rolled back. */
  finalize(finalization: Finalization): void {
    this.finalizations.push(finalization);
    this.openClaims = this.openClaims.filter(({ height }) => height > finalization.height);
    this.forgetReplaced(finalization.height);
    this.contradiction = undefined;
  }

  /** Adds the changes of the blocks after these. */
  append(later: ExecutedState): void {
    for (const [kind, newest] of later.#newest) {
      const ofKind = this.#newestOf(kind);
      for (const [key, change] of newest) ofKind.set(key, change);
    }
    for (const block of later.#changes) this.#changes.push(block);
    this.votingSets.push(...later.votingSets);
    this.recomputed.push(...later.recomputed);
    this.overruled.push(...later.overruled);
    for (const one of later.differing) this.differing.push(one);
    this.difference = later.difference;
    for (const finalization of later.finalizations) this.finalize(finalization);
    this.contradiction = later.contradiction ?? this.contradiction;
    this.claimedHeight = later.claimedHeight;
    this.openClaims.push(...later.openClaims);
    this.awaitsProof = later.awaitsProof;
  }

  #note(change: Newest): void {
    this.#newestOf(change.kind).set(change.name, change);
  }

  #newestOf(kind: StateKind): Map<string, Newest> {
    let newest = this.#newest.get(kind);
    if (!newest) {
      newest = new Map();
      this.#newest.set(kind, newest);
    }
    return newest;
  }
}

type Newest = Pick<EntryChange, "kind" | "key" | "name" | "after">;

interface BlockChanges {
  readonly height: number;
  readonly changes: readonly EntryChange[];
}

/** Whether an entry is another one than before: which ones are only written again depends on where the state was loaded. */
function hasEffect({ before, after }: EntryChange): boolean {
  if (!before || !after) return before !== after;
  return !isSame(before.value, after.value) || !isSame(before.history, after.history);
}

function isSame(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one && other ? one.equals(other) : one === other;
}

/** Serializes a replaced entry on demand: most are never needed. */
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
