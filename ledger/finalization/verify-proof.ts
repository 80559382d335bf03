import { verifySignature } from "../../catapult/crypto/signature.js";
import type {
  FinalizationMessageGroup,
  FinalizationProof,
  FinalizationSignature,
} from "../../catapult/wire/finalization.js";
import { epochEnd } from "../state/epoch.js";
import type { VotingSet } from "./voting-set.js";

/** A finalization proof is invalid. `field` names the invalid part. */
export class FinalizationProofError extends Error {
  override readonly name = "FinalizationProofError";
  readonly field: string;
  /** Of the block that the proof is for. */
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
const STAGE = { prevote: 0, precommit: 1 } as const;
/** Two thirds of the weight: nodes require a little more, 70 % by default, each by its own configuration. */
const THRESHOLD = { numerator: 2n, denominator: 3n };

/** Votes of one voter for consecutive blocks. */
interface Vote {
  readonly weight: bigint;
  readonly height: number;
  readonly hashes: readonly Buffer[];
}

/**
 * Verifies that voters with two thirds of an epoch's weight prevoted and precommitted the block of a proof: their
 * keys, signatures and blocks. Each votes once in each stage. Source: `chain/FinalizationProofVerifier`,
 * `chain/RoundMessageAggregator`, `chain/RoundContext` and `model/FinalizationMessage` of catapult's
 * `extensions/finalization`.
 *
 * @throws FinalizationProofError naming the invalid part
 */
export function verifyFinalizationProof(proof: FinalizationProof, set: VotingSet, votingSetGrouping: number): void {
  const reject = (field: string, problem: string): never => {
    throw new FinalizationProofError(proof, field, problem);
  };
  if (proof.version !== VERSION) reject("version", `is ${proof.version} instead of ${VERSION}`);
  if (proof.epoch !== set.epoch) reject("epoch", `is ${proof.epoch}, but the voters are those of ${set.epoch}`);
  const weights = new Map(set.voters.map(({ publicKey, weight }) => [publicKey.toString("hex"), weight]));
  const prevotes: Vote[] = [];
  const precommits: Vote[] = [];
  const seen = new Set<string>();

  for (const [index, group] of proof.messageGroups.entries()) {
    const path = `messageGroups[${index}]`;
    const isPrevote = group.stage === STAGE.prevote;
    if (!isPrevote && group.stage !== STAGE.precommit) reject(`${path}.stage`, `is ${group.stage}`);
    const problem = problemOfRange(group, set, votingSetGrouping);
    if (problem) reject(`${path}.hashes`, problem);
    const message = votedMessage(proof, group);
    for (const [i, signature] of group.signatures.entries()) {
      const field = `${path}.signatures[${i}]`;
      const voter = signature.root.parentPublicKey.toString("hex");
      const weight = weights.get(voter);
      if (weight === undefined) {
        throw new FinalizationProofError(proof, field, "is by a key that does not vote in this epoch");
      }
      if (seen.has(`${voter} ${isPrevote}`)) reject(field, "is a second vote of the same key");
      seen.add(`${voter} ${isPrevote}`);
      if (!isSigned(signature, proof.epoch, message)) reject(field, "is invalid");
      (isPrevote ? prevotes : precommits).push({ weight, height: group.height, hashes: group.hashes });
    }
  }

  const total = set.voters.reduce((sum, { weight }) => sum + weight, 0n);
  const isEnough = (weight: bigint) => total > 0n && weight * THRESHOLD.denominator >= total * THRESHOLD.numerator;
  const prevoted = weightOf(prevotes.filter((vote) => contains(vote, proof)));
  if (!isEnough(prevoted)) reject("hash", `has prevotes of ${prevoted} of ${total}`);
  const precommitted = weightOf(precommits.filter((vote) => isAtOrAbove(vote, proof, prevotes)));
  if (!isEnough(precommitted)) reject("hash", `has precommits of ${precommitted} of ${total}`);
}

function problemOfRange(
  { stage, height, hashes }: FinalizationMessageGroup,
  set: VotingSet,
  votingSetGrouping: number,
): string | undefined {
  const last = height + hashes.length - 1;
  if (hashes.length === 0) return "are empty";
  if (stage === STAGE.precommit && hashes.length !== 1) return `are ${hashes.length} in a precommit`;
  const first = stage === STAGE.prevote ? height : last;
  if (first < set.height || last > epochEnd(set.epoch, votingSetGrouping)) return "belong to blocks of another epoch";
  return undefined;
}

/** The bytes that a voter signs: a finalization message without size and signature. */
export function votedMessage(
  { epoch, point }: Pick<FinalizationProof, "epoch" | "point">,
  { stage, height, hashes }: Pick<FinalizationMessageGroup, "stage" | "height" | "hashes">,
): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(VERSION, 0);
  header.writeUInt32LE(hashes.length, 4);
  header.writeUInt32LE(epoch, 8);
  header.writeUInt32LE(((point << 1) | stage) >>> 0, 12);
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

function weightOf(votes: readonly Vote[]): bigint {
  return votes.reduce((sum, { weight }) => sum + weight, 0n);
}

function contains(
  { height: first, hashes }: Vote,
  { height, hash }: { readonly height: number; readonly hash: Buffer },
): boolean {
  return hashes[height - first]?.equals(hash) === true;
}

/** Whether a precommit is for the block or for one above it on its branch, according to a prevote. */
function isAtOrAbove(precommit: Vote, block: FinalizationProof, prevotes: readonly Vote[]): boolean {
  const [hash] = precommit.hashes;
  if (!hash || precommit.height < block.height) return false;
  const voted = { height: precommit.height, hash };
  return prevotes.some((prevote) => contains(prevote, voted) && contains(prevote, block));
}
