import type { Block, VerifiedBlock } from "../../../catapult/entity/model.js";
import type { StateKey } from "../../../catapult/state/key.js";
import type { StateKind } from "../../../catapult/state/kind.js";
import { withOutcome } from "../../../catapult/verify/verify.js";
import type { Finalization } from "../../../database/queries/head.js";
import type { MissingRule } from "../../../database/queries/missing-rules.js";
import type { VotingSetTable } from "../../../database/tables/state.js";
import type { StateDifference } from "../../../ledger/engine/chain-state.js";
import type { EndedEntry, EntryChange } from "../../../ledger/engine/entry-changes.js";
import type { StoredEntry } from "../../../ledger/engine/entry-loader.js";
import type { ProofClaim } from "../../../ledger/header/generation-rules.js";
import type { EncodedRows } from "./block-rows.js";
import { type ChainEnd, type ChainPosition, endAfter } from "./chain-position.js";
import type { RawBlock } from "./raw-rows.js";

/** The bytes of a block with the results of its execution, and what is left to be verified of them. */
export interface ExecutedBytes extends RawBlock {
  /** The upper limit of its generation hash's hit, if the network verifies hits. */
  readonly target?: bigint | undefined;
  /** Whether votes prove it, so that it was executed without checks: see `BlockToVerify`. */
  readonly isProven?: boolean;
}

/** Votes made another block final than the chain has. */
export interface Contradiction {
  /** The block of the votes. */
  readonly vote: Finalization;
  /** The lowest block of the chain in whose place the votes name another one. */
  readonly own: ChainPosition;
}

/** A state value; undefined if there is none. */
export interface ChangedState extends StateKey {
  readonly value: Buffer | undefined;
  /** What the value omits (`ledger/engine/omitted-part.ts`). */
  readonly history?: Buffer | undefined;
}

/**
 * Consecutive blocks on their way from a source into the database. Each stage completes them: the executor adds blocks
 * with what they change, verification their rows, finality what votes say of them, and the writer writes all of it in one
 * transaction. It may have no blocks: then it is what a roll-back restores, or what becomes final.
 */
export class BlockRange {
  /** The block before them. */
  readonly parent: ChainEnd;
  /** The bytes of the blocks; none of them if they are stored already. */
  readonly bytes: ExecutedBytes[] = [];
  /** The same blocks, decoded; none far below the head. */
  readonly decoded: Block[] = [];
  /** Near the head: the verification of their signatures. */
  readonly signatures: Promise<void>[] = [];
  /** Their rows, in parts, once everything about them is verified. */
  readonly rows: EncodedRows[] = [];
  /** Statements and roots that are stored in another form, or not at all, by height. */
  readonly recomputed = new Map<number, RawBlock>();
  /** Voters that the blocks determined. */
  readonly votingSets: VotingSetTable[] = [];
  /** Why one of the blocks was rejected, which votes prove nevertheless. */
  missingRule: MissingRule | undefined;
  /** Heights of blocks that votes prove though their state hash is another one than computed. */
  readonly differing: number[] = [];
  /** How the state differs after the last block; undefined if it never did. */
  difference: StateDifference | undefined;
  /** Proofs of generation hashes that are not verified yet: those of blocks that votes are expected to prove. */
  openClaims: ProofClaim[] = [];
  /** Whether a block after these is known to be final, and these are not yet proven by it. */
  awaitsProof = false;
  /** Blocks that became final, the newest last; at most as high as the last block. */
  readonly finalizations: Finalization[] = [];
  /** What votes name in place of one of these blocks, unless a later round has made others final since. */
  contradiction: Contradiction | undefined;
  /** The height of the block that is said to be final while the range is executed; 0 if votes contradict the chain. */
  claimedHeight = 0;
  /** Blocks up to here will not be rolled back. */
  floor = 0;
  /** The position of the index before these are written: above `parent` if blocks are dropped for them. */
  indexed: ChainPosition;
  /** Whether events are emitted of what is written. */
  emitsEvents = false;
  end: ChainEnd;
  /** Number of transactions, without embedded ones. */
  transactions = 0;
  /** Size of what is written, in bytes. */
  size = 0;
  /** The newest change of each key, by kind, by key. */
  readonly #newest = new Map<StateKind, Map<string, NewestEntry>>();
  /** The changes of each block, the lowest first. */
  #changes: { readonly height: number; readonly changes: readonly EntryChange[] }[] = [];

  constructor(parent: ChainEnd) {
    this.parent = parent;
    this.indexed = parent;
    this.end = parent;
  }

  /** Number of blocks. */
  get blocks(): number {
    return this.end.height - this.parent.height;
  }

  /** The newest block that became final. */
  get final(): Finalization | undefined {
    return this.finalizations.at(-1);
  }

  /** The last kept block, if others are dropped. */
  get rollBackTo(): ChainPosition | undefined {
    return this.parent.height < this.indexed.height ? this.parent : undefined;
  }

  addBlock(block: Block, bytes: ExecutedBytes): void {
    this.end = endAfter(this.end, block);
    this.transactions += block.transactions.length;
    this.size += sizeOf(bytes);
    this.bytes.push(bytes);
  }

  /** Adds the rows of all blocks. */
  addRows(rows: EncodedRows): void {
    this.rows.push(rows);
    this.size += rows.lists.ids.byteLength + rows.tables.reduce((total, { bytes }) => total + bytes.length, 0);
  }

  /** Forgets the bytes of the blocks: they are stored already. */
  forgetBytes(): void {
    for (const bytes of this.bytes.splice(0)) this.size -= sizeOf(bytes);
  }

  /** Adds what a block changes. */
  addChanges(height: number, changes: readonly EntryChange[]): void {
    for (const change of changes) this.#newestOf(change.kind).set(change.name, change);
    this.#changes.push({ height, changes });
  }

  /** Adds entries that no block has changed: they ended with a final block, or a roll-back restored them. */
  addEntries(entries: readonly EndedEntry[]): void {
    for (const entry of entries) this.#newestOf(entry.kind).set(entry.key.toString("latin1"), entry);
  }

  /** One of the blocks is final: everything below it is proven, and will not be rolled back. */
  finalize(finalization: Finalization): void {
    this.finalizations.push(finalization);
    this.openClaims = this.openClaims.filter(({ height }) => height > finalization.height);
    this.forgetReplaced(finalization.height);
    this.contradiction = undefined;
  }

  /** Forgets the entries that blocks up to this height replaced. */
  forgetReplaced(height: number): void {
    if ((this.#changes[0]?.height ?? height + 1) > height) return;
    this.#changes = this.#changes.filter((block) => block.height > height);
  }

  /** Adds the blocks after these. @throws RangeError if they do not follow */
  append(later: BlockRange): void {
    if (!later.parent.hash.equals(this.end.hash))
      throw new RangeError(`block ${later.parent.height + 1} does not follow`);
    this.end = later.end;
    this.transactions += later.transactions;
    this.size += later.size;
    for (const one of later.bytes) this.bytes.push(one);
    this.decoded.push(...later.decoded);
    this.rows.push(...later.rows);
    for (const [height, bytes] of later.recomputed) this.recomputed.set(height, bytes);
    this.votingSets.push(...later.votingSets);
    this.missingRule ??= later.missingRule;
    for (const height of later.differing) this.differing.push(height);
    this.difference = later.difference;
    for (const [kind, newest] of later.#newest) {
      const ofKind = this.#newestOf(kind);
      for (const [name, entry] of newest) ofKind.set(name, entry);
    }
    for (const block of later.#changes) this.#changes.push(block);
    for (const finalization of later.finalizations) this.finalize(finalization);
    this.contradiction = later.contradiction ?? this.contradiction;
    this.claimedHeight = later.claimedHeight;
    this.openClaims.push(...later.openClaims);
    this.awaitsProof = later.awaitsProof;
  }

  /** Near the head: the blocks with the results of their execution. */
  verifiedBlocks(): VerifiedBlock[] {
    return this.decoded.map((block, index) => withOutcome(block, this.bytes[index]!));
  }

  get changedValues(): number {
    return [...this.#newest.values()].reduce((total, { size }) => total + size, 0);
  }

  /**
   * The values of a kind after the last block. They are serialized now: of a key that changes often, only the last value
   * is. A namespace's key is that of its root.
   */
  values(kind: StateKind): ChangedState[] {
    return Array.from(this.#newest.get(kind)?.values() ?? [], ({ key, after }) => {
      return { kind, key, value: after?.value, history: after?.history };
    });
  }

  /** Entries replaced by blocks that may still be dropped. Below the first block there is nothing to go back to. */
  *replaced(): Generator<StateKey & { readonly height: number; readonly before: StoredEntry | undefined }> {
    for (const { height, changes } of this.#changes) {
      if (height <= Math.max(1, this.floor)) continue;
      for (const change of changes) {
        const { kind, key, before } = change;
        if (hasEffect(change)) yield { height, kind, key, before };
      }
    }
  }

  #newestOf(kind: StateKind): Map<string, NewestEntry> {
    const newest = this.#newest.get(kind) ?? new Map<string, NewestEntry>();
    this.#newest.set(kind, newest);
    return newest;
  }
}

/** Whether an entry is another one than before: which ones are only written again depends on where the state was loaded. */
function hasEffect({ before, after }: EntryChange): boolean {
  if (!before || !after) return before !== after;
  return !isSame(before.value, after.value) || !isSame(before.history, after.history);
}

function isSame(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one && other ? one.equals(other) : one === other;
}

/** An entry after a block; serialized when it is read. */
type NewestEntry = Pick<EntryChange, "key" | "after">;

/** Bytes of a block with its statement and roots. */
export function sizeOf({ bytes, statement, subCacheMerkleRoots }: RawBlock): number {
  return bytes.length + statement.length + subCacheMerkleRoots.length;
}
