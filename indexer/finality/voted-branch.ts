import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import type { Finalization } from "../../database/queries/head.js";
import { type ProofRules, type VotedBranch, verifyFinalizationProof } from "../../ledger/finalization/verify-proof.js";
import type { VotingSet } from "../../ledger/finalization/voting-set.js";

/** The first block is always final: there are no votes for its epoch. */
export const NEMESIS_EPOCH = 1;

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
export function endOf({ epoch, point, blocks }: VotedBranch): Finalization {
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
