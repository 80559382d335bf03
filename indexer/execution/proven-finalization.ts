import type { Logger } from "pino";
import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Finalization, Head } from "../../database/queries/head.js";
import { verifyFinalizationProof } from "../../ledger/finalization/verify-proof.js";
import { epochEnd, epochOf } from "../../ledger/state/epoch.js";
import type { LedgerFollower } from "./ledger-follower.js";

/** The node's claim of what is final, and the position of the index. */
export interface FinalizationClaim {
  readonly head: Head;
  readonly claimed: Finalization;
  /** Of the newest block that the ledger has executed. */
  readonly height: number;
  readonly log: Logger;
}

/** The first block is always final: there are no votes for its epoch. */
const NEMESIS_EPOCH = 1;

/**
 * The newest finalized block proven by votes, up to the height of the index: verified with the voters of our own
 * state, never by the node's claim.
 *
 * @throws FinalizationProofError when the node's proof is invalid, NodeResponseError when it cannot be decoded
 */
export async function provenFinalization(
  node: NodeClient,
  ledger: LedgerFollower,
  { head, claimed, height, log }: FinalizationClaim,
): Promise<Finalization | undefined> {
  if (height === 0) return undefined;
  if (claimed.epoch === NEMESIS_EPOCH) return claimed.height === 1 ? claimed : undefined;
  const config = ledger.ledger?.config;
  if (!config) return undefined;
  const newest = Math.min(claimed.epoch, epochOf(height, config.votingSetGrouping));
  const oldest = Math.max(2, head.finalization.epoch);
  for (let epoch = newest; epoch >= Math.max(oldest, newest - 1); --epoch) {
    if (isKnown(epoch, claimed, head, epochEnd(epoch, config.votingSetGrouping))) return undefined;
    const set = ledger.votingSet(epoch);
    if (!set) continue;
    const known = ledger.provenFinalization(epoch);
    if (known && (epoch < claimed.epoch || known.point >= claimed.point)) {
      if (known.height <= height) return known;
      continue;
    }
    const bytes = await node.finalizationProofAtEpoch(epoch);
    if (!bytes) {
      log.debug({ epoch }, "The node has no finalization proof of the epoch");
      continue;
    }
    const proof = decodeFinalizationProof(bytes);
    verifyFinalizationProof(proof, set, config.votingSetGrouping);
    const { point, hash } = proof;
    ledger.noteProven({ epoch, point, height: proof.height, hash });
    if (proof.height <= height) return { epoch, point, height: proof.height, hash };
  }
  return undefined;
}

/** Whether the index already has everything that the node can prove of an epoch: then there is nothing to request. */
function isKnown(epoch: number, claimed: Finalization, { finalization }: Head, epochEnd: number): boolean {
  if (epoch !== finalization.epoch) return false;
  return finalization.height === epochEnd || (epoch === claimed.epoch && claimed.point <= finalization.point);
}
