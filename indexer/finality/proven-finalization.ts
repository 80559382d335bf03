import type { Logger } from "pino";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Finalization, Head } from "../../database/queries/head.js";
import { FinalizationProofError } from "../../ledger/finalization/verify-proof.js";
import type { VotingSet } from "../../ledger/finalization/voting-set.js";
import { epochEnd, epochOf } from "../../ledger/state/epoch.js";
import type { NetworkConfig } from "../../ledger/state/network-config.js";
import { finalizationProvenBy, NEMESIS_EPOCH, nemesisFinalization } from "./finalization-proof.js";
import type { InvalidProofs } from "./invalid-proofs.js";

/** The node's claim of what is final, and the position of the index. */
export interface FinalizationClaim {
  readonly head: Head;
  readonly claimed: Finalization;
  /** Of the newest block that the ledger has executed. */
  readonly height: number;
  readonly log: Logger;
  readonly invalidProofs?: InvalidProofs | undefined;
}

/** Our own state of the voters, and what they have proven. */
export interface ProvenState {
  /** The rules of the state; undefined before it is loaded. */
  readonly ledger: { readonly config: NetworkConfig } | undefined;
  /** The voters of an epoch; undefined if they are not determined yet, or the epoch has long been final. */
  votingSet(epoch: number): VotingSet | undefined;
  /** The newest finalized block of an epoch that was proven before; it may be above the ledger. */
  provenFinalization(epoch: number): Finalization | undefined;
  noteProven(finalization: Finalization): void;
}

/**
 * The newest finalized block proven by votes, up to the height of the index: verified with the voters of our own
 * state, never by the node's claim.
 *
 * @throws FinalizationProofError when the node's proof is invalid, and such are not ignored; NodeResponseError when it
 *   cannot be decoded
 */
export async function provenFinalization(
  node: NodeClient,
  ledger: ProvenState,
  { head, claimed, height, log, invalidProofs }: FinalizationClaim,
): Promise<Finalization | undefined> {
  if (height === 0) return undefined;
  if (claimed.epoch === NEMESIS_EPOCH) return nemesisFinalization(claimed);
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
    if (invalidProofs?.isKnown(epoch, { node: node.connectedNode?.node, claimed })) continue;
    const bytes = await node.finalizationProofAtEpoch(epoch);
    if (!bytes) {
      log.debug({ epoch }, "The node has no finalization proof of the epoch");
      continue;
    }
    const connected = node.connectedNode?.node;
    try {
      const proven = finalizationProvenBy(bytes, set, config, connected);
      ledger.noteProven(proven);
      if (proven.height > height) continue;
      invalidProofs?.reset();
      return proven;
    } catch (error) {
      if (!invalidProofs || !(error instanceof FinalizationProofError)) throw error;
      invalidProofs.note(error, epoch, { node: connected, claimed });
    }
  }
  return undefined;
}

/** Whether the index already has everything that the node can prove of an epoch: then there is nothing to request. */
function isKnown(epoch: number, claimed: Finalization, { finalization }: Head, epochEnd: number): boolean {
  if (epoch !== finalization.epoch) return false;
  return finalization.height === epochEnd || (epoch === claimed.epoch && claimed.point <= finalization.point);
}
