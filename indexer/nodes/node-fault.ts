import { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";
import { NodeError, NodeResponseError, PacketError, UnexpectedPacketError } from "../../catapult/wire/errors.js";
import { FinalizationProofError } from "../../ledger/finalization/verify-proof.js";
import type { FaultReason } from "../metrics/fault-reasons.js";
import { FinalizedBlockDroppedError, WrongNetworkError } from "../step/errors.js";

/** Invalid data that a node served. */
export interface NodeFault {
  /** `host:port`; undefined if the connection is lost and the error does not name the node. */
  readonly node: string | undefined;
  readonly reason: FaultReason;
  /** Height of the block that the data belong to, if any. */
  readonly height?: number;
  /** Such as `stateHash`. */
  readonly field: string;
  readonly message: string;
  /** Whether it is an invalid finalization proof. */
  readonly isOfProof?: boolean;
}

/** The node claims a higher score than the index has, and does not serve blocks with it. */
export class ClaimedScoreError extends Error {
  override readonly name = "ClaimedScoreError";

  /** @param ms for how long */
  constructor(claimed: bigint, indexed: bigint, ms: number) {
    super(
      `The node claims a chain with score ${claimed}, above the index's ${indexed}, but has not served its blocks ` +
        `within ${Math.round(ms / 1_000)} s`,
    );
  }
}

const FIELD_REASONS: readonly (readonly [RegExp, FaultReason])[] = [
  [/^stateHash$/, "state"],
  [/^(receiptsHash|transactionStatements|addressResolutions|mosaicResolutions|statement)/, "receipts"],
];

/**
 * What an error means about the data of a node; undefined if it is not about them, such as a lost connection.
 *
 * @param connectedNode `host:port` of the node that was connected when the error occurred
 */
export function nodeFaultOf(error: unknown, connectedNode: string | undefined): NodeFault | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message } = error;
  const fault = (reason: FaultReason, field: string, node = connectedNode): NodeFault => {
    return { node, reason, field, message };
  };
  if (error instanceof BlockRejectedError) {
    const [, reason = "block"] = FIELD_REASONS.find(([pattern]) => pattern.test(error.field)) ?? [];
    return { ...fault(reason, error.field), height: error.height };
  }
  if (error instanceof FinalizationProofError) {
    return { ...fault("finalization", error.field), height: error.height, isOfProof: true };
  }
  if (error instanceof FinalizedBlockDroppedError) {
    return { ...fault("finalization", "finalizedBlock"), height: error.finalizedHeight };
  }
  if (error instanceof WrongNetworkError) return fault("network", "generationHashSeed");
  if (error instanceof ClaimedScoreError) return fault("score", "score");
  if (error instanceof NodeResponseError) return fault("answer", error.field, error.node);
  if (error instanceof PacketError || error instanceof UnexpectedPacketError)
    return fault("answer", "packet", error.node);
  if (error instanceof NodeError && error.cause) return nodeFaultOf(error.cause, error.node);
  return undefined;
}
