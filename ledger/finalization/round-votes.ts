/** A block as votes name it. */
export interface VotedBlock {
  /** 64 bits: a voter may name a block that does not exist. */
  readonly height: bigint;
  /** 32 bytes. */
  readonly hash: Buffer;
}

/** A block that was prevoted, with what was voted for it. */
interface Candidate extends VotedBlock {
  /** The block below it in the first prevote that named both; undefined if that began with this one. */
  readonly parent: Candidate | undefined;
  prevoted: bigint;
  precommitted: bigint;
}

/**
 * The votes of one round, added in the order of their messages. Source: `chain/RoundContext` and
 * `chain/FinalizationHashTree` of catapult's `extensions/finalization`.
 */
export class RoundVotes {
  readonly #candidates = new Map<string, Candidate>();
  /** Weight of precommits by block, until a prevote names the block. */
  readonly #pending = new Map<string, bigint>();

  /** Adds a prevote for consecutive blocks, the first one at `height`. */
  addPrevote(height: bigint, hashes: readonly Buffer[], weight: bigint): void {
    let parent: Candidate | undefined;
    const branch = hashes.map((hash, index) => {
      parent = this.#candidate({ height: heightAbove(height, index), hash }, parent);
      return parent;
    });
    for (const candidate of branch) {
      candidate.prevoted += weight;
      const key = keyOf(candidate);
      addPrecommit(candidate, this.#pending.get(key) ?? 0n);
      this.#pending.delete(key);
    }
  }

  /** Adds a precommit, which counts for the block and for its ancestors in the prevotes. */
  addPrecommit(block: VotedBlock, weight: bigint): void {
    const key = keyOf(block);
    const candidate = this.#candidates.get(key);
    if (candidate) addPrecommit(candidate, weight);
    else this.#pending.set(key, (this.#pending.get(key) ?? 0n) + weight);
  }

  /** The weight that was voted for a block. */
  sumWeights(block: VotedBlock): { readonly prevoted: bigint; readonly precommitted: bigint } {
    return this.#candidates.get(keyOf(block)) ?? { prevoted: 0n, precommitted: 0n };
  }

  /** The block with enough prevotes and precommits: the highest, of several at one height that with the highest hash. */
  best(threshold: bigint): VotedBlock | undefined {
    let best: Candidate | undefined;
    for (const candidate of this.#candidates.values()) {
      if (candidate.prevoted < threshold || candidate.precommitted < threshold) continue;
      if (!best || isAbove(candidate, best)) best = candidate;
    }
    return best;
  }

  /** A block that has enough votes, and those below it in the prevotes that have enough too: the lowest first. */
  branchOf(block: VotedBlock, threshold: bigint): VotedBlock[] {
    const branch: VotedBlock[] = [];
    for (let one = this.#candidates.get(keyOf(block)); one; one = one.parent) {
      if (one.prevoted < threshold || one.precommitted < threshold) break;
      branch.push({ height: one.height, hash: one.hash });
    }
    return branch.reverse();
  }

  /** Whether a block is `descendant`, or an ancestor of it in the prevotes. */
  isAncestor(block: VotedBlock, descendant: VotedBlock): boolean {
    const ancestor = this.#candidates.get(keyOf(block));
    for (let one = this.#candidates.get(keyOf(descendant)); one; one = one.parent) if (one === ancestor) return true;
    return false;
  }

  #candidate(block: VotedBlock, parent: Candidate | undefined): Candidate {
    const key = keyOf(block);
    let candidate = this.#candidates.get(key);
    if (!candidate) {
      candidate = { ...block, parent, prevoted: 0n, precommitted: 0n };
      this.#candidates.set(key, candidate);
    }
    return candidate;
  }
}

function addPrecommit(candidate: Candidate, weight: bigint): void {
  for (let one: Candidate | undefined = candidate; one; one = one.parent) one.precommitted += weight;
}

/** The height of a block above another one; it wraps as in a node. */
export function heightAbove(height: bigint, blocks: number): bigint {
  return BigInt.asUintN(64, height + BigInt(blocks));
}

function isAbove(left: VotedBlock, right: VotedBlock): boolean {
  return left.height === right.height ? Buffer.compare(left.hash, right.hash) > 0 : left.height > right.height;
}

function keyOf({ height, hash }: VotedBlock): string {
  return `${height} ${hash.toString("latin1")}`;
}
