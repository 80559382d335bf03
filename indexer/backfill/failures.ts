import { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";
import { FinalizationProofError } from "../../ledger/finalization/verify-proof.js";
import { StoredStateError, UnknownNetworkError } from "../execution/errors.js";
import { WrongNetworkError } from "../step/errors.js";
import { BackfillRangeError } from "./errors.js";

/** Maximum number of consecutive failures without a block written in between. */
const MAX_FAILURES = 10;

/**
 * A block that does not follow the previous one: the node switched branch between two requests, unless it is
 * repeated.
 */
export function isForkRace(error: unknown): error is BlockRejectedError {
  return error instanceof BlockRejectedError && error.field === "previousHash";
}

/**
 * Whether trying again would not help. What is invalid is tried once more: a node may just have switched branch, and
 * votes may overrule what rejected a block.
 */
export function isFinal(error: unknown, failures: readonly unknown[]): boolean {
  const isOurs =
    error instanceof BackfillRangeError ||
    error instanceof WrongNetworkError ||
    error instanceof UnknownNetworkError ||
    error instanceof StoredStateError;
  if (isOurs) return true;
  const last = failures.at(-1);
  if (error instanceof BlockRejectedError) {
    return last instanceof BlockRejectedError && last.height === error.height && last.field === error.field;
  }
  if (error instanceof FinalizationProofError) {
    return last instanceof FinalizationProofError && last.message === error.message;
  }
  return failures.length + 1 >= MAX_FAILURES;
}
