import { codeOfField } from "../../catapult/announcement/announcement-error.js";
import type { FailureName } from "../../catapult/announcement/status-code.js";
import { EntityError } from "../../catapult/entity/entity-error.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { checkTransaction } from "../../catapult/verify/check-transaction.js";
import type { ChainState } from "../../ledger/engine/chain-state.js";
import type { DevnetTransaction } from "../chain/transaction.js";

/**
 * The node's status code for a transaction with this error; undefined if it drops the whole packet without a status.
 */
export function failureOfError(error: EntityError): FailureName | undefined {
  return codeOfField(error.field);
}

/** Checks the signatures of a transaction and its cosignatures. Returns why a node would reject it. */
export function checkSignatures(transaction: DevnetTransaction, network: NetworkIdentity): FailureName | undefined {
  try {
    checkTransaction(transaction, network);
    return undefined;
  } catch (error) {
    const failure = error instanceof EntityError ? failureOfError(error) : undefined;
    if (!failure) throw error;
    return failure;
  }
}

/** Performs all stateless checks of a transaction. Returns why a node would reject it. */
export function findFailure(
  transaction: DevnetTransaction,
  state: ChainState,
  network: NetworkIdentity,
): FailureName | undefined {
  return state.checkStateless(transaction) ?? checkSignatures(transaction, network);
}
