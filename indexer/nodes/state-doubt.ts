import { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";
import { NodeError, NodeUnavailableError } from "../../catapult/wire/errors.js";
import { isOutage } from "../../database/outage.js";
import { FinalizedBlockDroppedError, WrongNetworkError } from "../step/errors.js";
import { ClaimedScoreError } from "./node-fault.js";

/**
 * Whether a failure of following may come from the state in memory. It does not if the node or the database could not
 * be used, if the node is on another chain than the database, or claims a score that its blocks do not have. Of a rejected
 * block the `LedgerFollower` knows whether it was executed. Every other failure may: also one whose cause is unknown.
 */
export function mayComeFromState(error: unknown): boolean {
  const isElsewhere =
    error instanceof NodeError ||
    error instanceof NodeUnavailableError ||
    error instanceof FinalizedBlockDroppedError ||
    error instanceof WrongNetworkError ||
    error instanceof ClaimedScoreError ||
    error instanceof BlockRejectedError;
  return !isElsewhere && !isOutage(error);
}
