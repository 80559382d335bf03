import { votedMessage } from "../../ledger/finalization/verify-proof.js";
import type { DevnetKeys } from "../network/keys.js";

const VERSION = 1;
const PROOF_HEADER_SIZE = 56;
const GROUP_HEADER_SIZE = 24;

/** Stages of a finalization round. */
export const FinalizationStage = { prevote: 0, precommit: 1 } as const;

/** The result of a finalization round. */
export interface FinalizedRound {
  readonly epoch: number;
  readonly point: number;
  readonly height: number;
  /** Hash of the block at the height, 32 bytes. */
  readonly hash: Buffer;
}

/** The keys of a voter. */
export type VotingKeys = Pick<DevnetKeys, "votingRoot" | "votingKey">;

/** Equal votes of one stage: the hashes of consecutive blocks from a height on. */
export interface Votes {
  readonly stage: number;
  readonly height: number | bigint;
  readonly hashes: readonly Buffer[];
  /** The keys that sign. */
  readonly voters: readonly VotingKeys[];
}

/** Serializes the proof of a round, with the signatures of its voters (catapult `model/FinalizationProof`). */
export function writeFinalizationProof(round: FinalizedRound, votes: readonly Votes[]): Buffer {
  const groups = votes.map((group) => messageGroup(round, group));
  const header = Buffer.alloc(PROOF_HEADER_SIZE);
  header.writeUInt32LE(
    groups.reduce((size, group) => size + group.length, PROOF_HEADER_SIZE),
    0,
  );
  header.writeUInt32LE(VERSION, 4);
  header.writeUInt32LE(round.epoch, 8);
  header.writeUInt32LE(round.point, 12);
  header.writeBigUInt64LE(BigInt(round.height), 16);
  round.hash.copy(header, 24);
  return Buffer.concat([header, ...groups]);
}

/** Reads the round of a proof. */
export function readFinalizedRound(proof: Buffer): FinalizedRound {
  return {
    epoch: proof.readUInt32LE(8),
    point: proof.readUInt32LE(12),
    height: Number(proof.readBigUInt64LE(16)),
    hash: Buffer.from(proof.subarray(24, 56)),
  };
}

function messageGroup(round: FinalizedRound, votes: Votes): Buffer {
  const message = votedMessage(round, votes);
  const signatures = Buffer.concat(votes.voters.map((keys) => treeSignature(round.epoch, message, keys)));
  const header = Buffer.alloc(GROUP_HEADER_SIZE);
  header.writeUInt32LE(GROUP_HEADER_SIZE + 32 * votes.hashes.length + signatures.length, 0);
  header.writeUInt32LE(votes.hashes.length, 4);
  header.writeUInt32LE(votes.voters.length, 8);
  header.writeUInt32LE(votes.stage, 12);
  header.writeBigUInt64LE(BigInt(votes.height), 16);
  return Buffer.concat([header, ...votes.hashes, signatures]);
}

/**
 * Signs with the voting key of an epoch, and certifies with the root key that this voting key belongs to the epoch
 * (catapult `crypto_voting/BmTreeSignature`). 192 bytes.
 */
function treeSignature(epoch: number, message: Buffer, keys: VotingKeys): Buffer {
  const votingKey = keys.votingKey(epoch);
  const identifier = Buffer.alloc(8);
  identifier.writeBigUInt64LE(BigInt(epoch));
  return Buffer.concat([
    keys.votingRoot.publicKey,
    keys.votingRoot.sign(Buffer.concat([votingKey.publicKey, identifier])),
    votingKey.publicKey,
    votingKey.sign(message),
  ]);
}
