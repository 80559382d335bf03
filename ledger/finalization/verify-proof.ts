import { verifySignature } from "../../catapult/crypto/signature.js";
import type {
  FinalizationMessageGroup,
  FinalizationProof,
  FinalizationSignature,
} from "../../catapult/wire/finalization.js";
import { epochEnd, type FinalizationConfig } from "../config/finalization-config.js";
import type { NetworkConfig } from "../config/network-config.js";
import { heightAbove, RoundVotes } from "./round-votes.js";
import type { Voter, VotingSet } from "./voting-set.js";

/** A finalization proof is invalid. `field` names the invalid part. */
export class FinalizationProofError extends Error {
  override readonly name = "FinalizationProofError";
  readonly field: string;
  /** The height of the block that the proof is for. */
  readonly height: number;

  constructor(
    { epoch, point, height }: Pick<FinalizationProof, "epoch" | "point" | "height">,
    field: string,
    problem: string,
  ) {
    super(`finalization proof of epoch ${epoch}, point ${point}: ${field} ${problem}`);
    this.height = height;
    this.field = field;
  }
}

const VERSION = 1;
/** The votes name the point in 31 bits, so the upper one of a proof could have been set by any peer. */
const MAX_POINT = 0x7fff_ffff;
const STAGE = { prevote: 0, precommit: 1 } as const;
/** Of a group's stage, a node reads the lowest bit only. */
const STAGE_MASK = 1;

/** What votes prove: consecutive blocks, the lowest first. The proof is for the last one, the others are its ancestors. */
export interface VotedBranch {
  readonly epoch: number;
  readonly point: number;
  readonly blocks: readonly { readonly height: number; readonly hash: Buffer }[];
}

/** The rules of a network that proofs follow. */
export type ProofRules = Pick<NetworkConfig, "votingSetGrouping" | "finalization">;

/**
 * Verifies that the voters of an epoch made the block of a proof final: their keys, signatures and blocks, and the
 * weight of their votes. Each votes once in each stage. Source: `chain/FinalizationProofVerifier`,
 * `chain/RoundMessageAggregator`, `chain/RoundContext` and `model/FinalizationMessage` of catapult's
 * `extensions/finalization`.
 *
 * A node demands that the best block of the votes is the proof's. An ancestor with enough votes of its own is accepted
 * here too: which block is the best can differ between nodes where two accounts have the same voting key (`sumWeights`).
 *
 * @returns the proof's block, with its ancestors that have as many votes
 * @throws FinalizationProofError naming the invalid part
 */
export function verifyFinalizationProof(proof: FinalizationProof, set: VotingSet, rules: ProofRules): VotedBranch {
  if (proof.version !== VERSION) {
    throw new FinalizationProofError(proof, "version", `is ${proof.version} instead of ${VERSION}`);
  }
  if (proof.epoch !== set.epoch) {
    throw new FinalizationProofError(proof, "epoch", `is ${proof.epoch}, but the voters are those of ${set.epoch}`);
  }
  if (proof.point > MAX_POINT) {
    throw new FinalizationProofError(proof, "point", `is more than ${MAX_POINT}, the last one that can be voted on`);
  }
  const votes = verifiedVotes(proof, set, rules.votingSetGrouping);
  const total = set.voters.reduce((sum, { weight }) => sum + weight, 0n);
  const threshold = computeThreshold(total, rules.finalization);
  const block = { height: BigInt(proof.height), hash: proof.hash };
  const { prevoted, precommitted } = votes.sumWeights(block);
  const findProblem = (weight: bigint) => `of ${weight} of ${total}: ${threshold} are needed`;
  if (prevoted === 0n || prevoted < threshold) {
    throw new FinalizationProofError(proof, "hash", `has prevotes ${findProblem(prevoted)}`);
  }
  if (precommitted < threshold) {
    throw new FinalizationProofError(proof, "hash", `has precommits ${findProblem(precommitted)}`);
  }
  const best = votes.best(threshold);
  if (!best || !votes.isAncestor(block, best)) {
    throw new FinalizationProofError(
      proof,
      "hash",
      `is not on the branch of block ${best?.height}, which has the votes`,
    );
  }
  const blocks = votes.branchOf(block, threshold).map(({ height, hash }) => ({ height: Number(height), hash }));
  return { epoch: proof.epoch, point: proof.point, blocks };
}

/**
 * The weight that makes a block final. The product wraps at 64 bits as in a node: with the usual 6,700 of 10,000 from a
 * total of 2,753,245,384 XYM on, from where on less than that share is enough. Source: `CalculateWeightedThreshold` of
 * catapult's `chain/RoundMessageAggregator`.
 */
function computeThreshold(total: bigint, { threshold, size }: FinalizationConfig): bigint {
  return BigInt.asUintN(64, total * threshold) / size;
}

/** The votes of a proof. @throws FinalizationProofError for one that is not a voter's, not signed, or for other blocks */
function verifiedVotes(proof: FinalizationProof, set: VotingSet, votingSetGrouping: number): RoundVotes {
  const weights = sumWeights(set.voters);
  const votes = new RoundVotes();
  const seen = new Set<string>();
  for (const [index, group] of proof.messageGroups.entries()) {
    const path = `messageGroups[${index}]`;
    const reject = (field: string, problem: string): never => {
      throw new FinalizationProofError(proof, `${path}.${field}`, problem);
    };
    // Without signatures there are no votes: a node does not read the blocks.
    if (group.signatures.length === 0) continue;
    const isPrevote = readStage(group) === STAGE.prevote;
    const problem = problemOfRange(group, set, votingSetGrouping);
    if (problem) reject("hashes", problem);
    const message = votedMessage(proof, group);
    let voted = 0n;
    for (const [i, signature] of group.signatures.entries()) {
      const field = `signatures[${i}]`;
      const voter = signature.root.parentPublicKey.toString("hex");
      const weight = weights.get(voter) ?? reject(field, "is by a key that does not vote in this epoch");
      if (seen.has(`${voter} ${isPrevote}`)) reject(field, "is a second vote of the same key");
      seen.add(`${voter} ${isPrevote}`);
      if (!isSigned(signature, proof.epoch, message)) reject(field, "is invalid");
      voted += weight;
    }
    const { height, hashes } = group;
    if (isPrevote) votes.addPrevote(height, hashes, voted);
    else votes.addPrecommit({ height, hash: hashes[0]! }, voted);
  }
  return votes;
}

/**
 * The weight of each voting key (hex). Two accounts can link the same key: a node counts the votes by it with the
 * balance of one of them, which one depends on the order of its memory, and both balances in the total. The larger
 * balance accepts what any node accepts.
 */
function sumWeights(voters: readonly Voter[]): ReadonlyMap<string, bigint> {
  const weights = new Map<string, bigint>();
  for (const { publicKey, weight } of voters) {
    const key = publicKey.toString("hex");
    if (weight > (weights.get(key) ?? 0n)) weights.set(key, weight);
  }
  return weights;
}

/** A precommit may be for a block after the epoch: it has no effect, since no prevote can name that block. */
function problemOfRange(
  group: FinalizationMessageGroup,
  set: VotingSet,
  votingSetGrouping: number,
): string | undefined {
  const { height, hashes } = group;
  const stage = readStage(group);
  if (hashes.length === 0) return "are empty";
  const last = heightAbove(height, hashes.length - 1);
  if (stage === STAGE.precommit && hashes.length !== 1) return `are ${hashes.length} in a precommit`;
  if (height < set.height || last < set.height) return "belong to blocks of an earlier epoch";
  if (stage === STAGE.prevote && last > epochEnd(set.epoch, votingSetGrouping)) {
    return "belong to blocks of a later epoch";
  }
  return undefined;
}

function readStage({ stage }: Pick<FinalizationMessageGroup, "stage">): number {
  return stage & STAGE_MASK;
}

/** The bytes that a voter signs: a finalization message without size and signature. */
export function votedMessage(
  { epoch, point }: Pick<FinalizationProof, "epoch" | "point">,
  {
    height,
    hashes,
    ...group
  }: Pick<FinalizationMessageGroup, "stage" | "hashes"> & {
    readonly height: bigint | number;
  },
): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(VERSION, 0);
  header.writeUInt32LE(hashes.length, 4);
  header.writeUInt32LE(epoch, 8);
  header.writeUInt32LE(((point << 1) | readStage(group)) >>> 0, 12);
  header.writeBigUInt64LE(BigInt(height), 16);
  return Buffer.concat([header, ...hashes]);
}

/** Whether the root key signed the key of the epoch, and that one the message (catapult `crypto_voting`). */
function isSigned({ root, bottom }: FinalizationSignature, epoch: number, message: Buffer): boolean {
  const identifier = Buffer.alloc(8);
  identifier.writeBigUInt64LE(BigInt(epoch));
  const signedKey = Buffer.concat([bottom.parentPublicKey, identifier]);
  return (
    verifySignature(root.parentPublicKey, signedKey, root.signature) &&
    verifySignature(bottom.parentPublicKey, message, bottom.signature)
  );
}
