import { computeEpoch, epochEnd } from "../config/finalization-config.js";
import type { NetworkConfig } from "../config/network-config.js";
import { balanceOf, findVotingKey } from "../tables/accounts.js";
import type { ChainTables } from "../tables/chain-tables.js";
import { bytesOfMapKey } from "../trees/state-table.js";

/** An account that votes for finalization. */
export interface Voter {
  /** Its voting key for the epoch, 32 bytes. */
  readonly publicKey: Buffer;
  /** Its balance of the harvesting mosaic, atomic units. */
  readonly weight: bigint;
}

/** The voters of an epoch. */
export interface VotingSet {
  readonly epoch: number;
  /** The last block of the previous epoch: the state after it determines the voters. */
  readonly height: number;
  readonly voters: readonly Voter[];
}

const VOTER_SIZE = 40;

/**
 * The voters of the epoch after block `height`, from the state after it; undefined unless it is the last block of an
 * epoch. Source: `FinalizationContext` of catapult's `extensions/finalization`.
 */
export function votingSetAfter(tables: ChainTables, config: NetworkConfig, height: number): VotingSet | undefined {
  const epoch = computeEpoch(height, config.votingSetGrouping) + 1;
  if (epochEnd(epoch - 1, config.votingSetGrouping) !== height) return undefined;
  const { treasuryReissuanceEpoch, ineligibleVoters } = config.finalization;
  const isEligible = (key: string) => epoch < treasuryReissuanceEpoch || !ineligibleVoters.has(key);
  const keys = tables.voters.ownValues().filter(isEligible);
  const voters = keys.flatMap((key) => {
    const account = tables.accounts.require(bytesOfMapKey(key));
    const publicKey = findVotingKey(account, epoch);
    const weight = balanceOf(account, config.harvestingMosaicId);
    return publicKey && weight > 0n ? [{ publicKey, weight }] : [];
  });
  voters.sort((left, right) => Buffer.compare(left.publicKey, right.publicKey) || Number(left.weight - right.weight));
  return { epoch, height, voters };
}

/** Key and weight (little-endian) of each voter, 40 bytes each. */
export function packVoters(voters: readonly Voter[]): Buffer {
  const bytes = Buffer.alloc(VOTER_SIZE * voters.length);
  for (const [index, { publicKey, weight }] of voters.entries()) {
    publicKey.copy(bytes, VOTER_SIZE * index);
    bytes.writeBigUInt64LE(weight, VOTER_SIZE * index + 32);
  }
  return bytes;
}

/** The inverse of `packVoters`. */
export function unpackVoters(bytes: Buffer): Voter[] {
  return Array.from({ length: bytes.length / VOTER_SIZE }, (_, index) => {
    const at = VOTER_SIZE * index;
    return { publicKey: Buffer.from(bytes.subarray(at, at + 32)), weight: bytes.readBigUInt64LE(at + 32) };
  });
}
