import { blockHeaderSize } from "../../../catapult/entity/block-entity.js";
import { BLOCK, VERIFIABLE } from "../../../catapult/entity/entity-layout.js";
import { blockHash } from "../../../catapult/entity/hashes.js";
import type { NetworkIdentity } from "../../../catapult/entity/model.js";
import { verifyBody } from "../../../catapult/verify/verify.js";
import { decodeFinalizationProof } from "../../../catapult/wire/finalization.js";
import type { Db } from "../../../database/database.js";
import type { Finalization } from "../../../database/queries/head.js";
import {
  type ProofRules,
  type VotedBranch,
  verifyFinalizationProof,
} from "../../../ledger/finalization/verify-proof.js";
import type { VotingSet } from "../../../ledger/finalization/voting-set.js";
import { MAX_RANGE } from "../step/range-limit.js";

/** Knows what votes prove about a range that is filled. */
export interface VotedBranches {
  /** The height of the newest block that is said to be final, proven or not. */
  readonly claimedHeight: number;
  /**
   * The branch that ends at block `height` or above it; undefined if none is proven.
   *
   * @param epoch of the block
   * @param set the voters of the epoch, if our state has determined them
   * @throws FinalizationProofError when a proof is invalid, NodeResponseError when it cannot be decoded
   */
  branchTo(height: number, epoch: number, set: VotingSet | undefined): Promise<VotedBranch | undefined>;
}

/** Number of proofs requested ahead of the executed epoch. */
const EPOCHS_AHEAD = 4;

/** A node, or what one once sent. */
export interface ProofSource {
  /** `host:port` of the node that answers at the moment. */
  readonly servedBy: string | undefined;
  /** Of consecutive blocks, `count` at most; none if there are none. */
  blockHashes(from: number, count: number): Promise<readonly Buffer[]>;
  /** The proof of an epoch, unverified; undefined if there is none. */
  finalizationProofAtEpoch(epoch: number): Promise<Buffer | undefined>;
}

/** Branches that proofs name, verified with the voters of our own state. */
export class ProvenBranches implements VotedBranches {
  readonly claimedHeight: number;
  readonly #proofs: ProofSource;
  readonly #claimed: Finalization;
  readonly #rules: ProofRules;
  readonly #requests = new Map<number, Promise<Buffer | undefined>>();

  /** @param claimed what the source claims to be final */
  constructor(proofs: ProofSource, claimed: Finalization, rules: ProofRules) {
    this.#proofs = proofs;
    this.#claimed = claimed;
    this.claimedHeight = claimed.height;
    this.#rules = rules;
  }

  async branchTo(height: number, epoch: number, set: VotingSet | undefined): Promise<VotedBranch | undefined> {
    const claimed = this.#claimed;
    if (epoch === NEMESIS_EPOCH) return nemesisBranch(claimed);
    if (!set || epoch > claimed.epoch || height > claimed.height) return undefined;
    for (let ahead = epoch; ahead <= Math.min(epoch + EPOCHS_AHEAD, claimed.epoch); ++ahead) this.#request(ahead);
    const bytes = await this.#requests.get(epoch);
    this.#requests.delete(epoch);
    if (!bytes) return undefined;
    const branch = branchProvenBy(bytes, set, this.#rules, this.#proofs.servedBy);
    return computeEnd(branch).height < height ? undefined : branch;
  }

  #request(epoch: number): void {
    if (this.#requests.has(epoch)) return;
    const request = this.#proofs.finalizationProofAtEpoch(epoch);
    // A proof is awaited when its epoch comes, if that ever does.
    request.catch(() => undefined);
    this.#requests.set(epoch, request);
  }
}

/** Blocks that votes have proven to the index before, for a rebuild from its own bytes. */
export async function readProvenBranches(db: Db): Promise<VotedBranches> {
  const lowestFirst = await db
    .selectFrom("finalized_blocks")
    .distinctOn("epoch")
    .select(["epoch", "point", "height", "hash"])
    .orderBy("epoch")
    .orderBy("point", "desc")
    .execute();
  return {
    claimedHeight: lowestFirst.at(-1)?.height ?? 0,
    branchTo: async (height) => {
      const final = lowestFirst.find((one) => one.height >= height);
      return final && branchOf(final);
    },
  };
}

/** The first block is always final: there are no votes for its epoch. */
export const NEMESIS_EPOCH = 1;

/** The first epoch with votes. They prove the first block too. */
export const FIRST_VOTED_EPOCH = NEMESIS_EPOCH + 1;

/** Of the first block, for every node (catapult `NemesisBlockNotifier`): a claim of another one proves nothing. */
const NEMESIS_POINT = 1;

/** The final block of the nemesis epoch, which needs no proof: the first block, and no other. */
export function nemesisBranch(claimed: Finalization): VotedBranch | undefined {
  const isFirstBlock = claimed.epoch === NEMESIS_EPOCH && claimed.height === 1;
  return isFirstBlock ? branchOf({ ...claimed, point: NEMESIS_POINT }) : undefined;
}

/** A branch of which only the last block is known. */
export function branchOf({ epoch, point, height, hash }: Finalization): VotedBranch {
  return { epoch, point, blocks: [{ height, hash }] };
}

/** The last block of a branch, for which its votes are. */
export function computeEnd({ epoch, point, blocks }: VotedBranch): Finalization {
  return { epoch, point, ...blocks.at(-1)! };
}

/**
 * What a proof makes final, if the voters of its epoch signed it: those of our own state, not of the proof.
 * @param bytes a finalization proof, as a node sends it
 * @param node `host:port` of the node, for errors
 * @throws FinalizationProofError when it is invalid, NodeResponseError when it cannot be decoded
 */
export function branchProvenBy(bytes: Buffer, voters: VotingSet, rules: ProofRules, node?: string): VotedBranch {
  return verifyFinalizationProof(decodeFinalizationProof(bytes, node), voters, rules);
}

/**
 * The hashes of consecutive blocks from `height` on that votes prove: those that they name, and the ancestors of these.
 *
 * Ancestors are read downwards, so the hash of each block is known before it is read, and nothing but that is kept. What
 * does not match ends the reading at once. The first block is read alone, and each time at most as many as were proven
 * before: so a node cannot send much for nothing.
 *
 * @param source of the chain that is compared with the votes; see `Source`
 * @returns undefined if there are none, or the chain is another one
 * @throws BlockRejectedError for a block whose transactions are not those of its header
 */
export async function provenHashes(
  { blocks }: VotedBranch,
  height: number,
  source: { blocks(from: number, to: number): Promise<readonly Buffer[]> },
  network: NetworkIdentity,
): Promise<Buffer[] | undefined> {
  const [lowest] = blocks;
  const named = blocks.filter((block) => block.height >= height).map(({ hash }) => hash);
  if (!lowest || named.length === 0) return undefined;
  const ancestors: Buffer[] = [];
  let expected = lowest.hash;
  let count = 1;
  for (let last = lowest.height; last > height; ) {
    const first = Math.max(height + 1, last - count + 1);
    const found = await source.blocks(first, last);
    if (found.length === 0) return undefined;
    if (found.length < last - first + 1) {
      count = Math.ceil(found.length / 2);
      continue;
    }
    for (const bytes of found.toReversed()) {
      if (!readBlockHash(bytes)?.equals(expected)) return undefined;
      verifyBody(bytes, network);
      expected = Buffer.from(bytes.subarray(BLOCK.previousBlockHash, BLOCK.transactionsHash));
      ancestors.push(expected);
      last -= 1;
    }
    count = Math.min(MAX_RANGE.maxBlocks, 2 * count);
  }
  return [...ancestors.reverse(), ...named];
}

/** The hash of a block, given its bytes; undefined if they have no header of a known type. */
export function readBlockHash(bytes: Buffer): Buffer | undefined {
  if (bytes.length < BLOCK.normalHeaderSize) return undefined;
  const size = blockHeaderSize(bytes.readUInt16LE(VERIFIABLE.type));
  return size !== undefined && bytes.length >= size ? blockHash(bytes, size) : undefined;
}

/** Blocks that votes prove although one of them was rejected here. */
export class ProvenHashes {
  #hashes = new Set<string>();

  /** Replaces those added before, which have been written by now. */
  add(hashes: readonly Buffer[]): void {
    this.#hashes = new Set(hashes.map((hash) => hash.toString("latin1")));
  }

  has(hash: Buffer): boolean {
    return this.#hashes.has(hash.toString("latin1"));
  }

  /** Whether votes prove a block, given its bytes. */
  hasBlock(bytes: Buffer): boolean {
    const hash = this.#hashes.size > 0 ? readBlockHash(bytes) : undefined;
    return hash !== undefined && this.has(hash);
  }
}
