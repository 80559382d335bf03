import type { FailureName } from "./status-code.js";

/** The node's status code when a field of this name is invalid. */
const CODE_OF_FIELD: readonly (readonly [RegExp, FailureName])[] = [
  [/\.network$/, "Failure_Core_Wrong_Network"],
  [/\.(reserved|cosignatures\[\d+\]\.version)$/, "Failure_Core_Nonzero_Internal_Padding"],
  [/\.version$/, "Failure_Core_Invalid_Version"],
  [/\.mosaics$/, "Failure_Transfer_Out_Of_Order_Mosaics"],
  [/\.transactionsHash$/, "Failure_Aggregate_Transactions_Hash_Mismatch"],
  [/\.hashAlgorithm$/, "Failure_LockSecret_Invalid_Hash_Algorithm"],
  [/\.action$/, "Failure_Mosaic_Invalid_Supply_Change_Action"],
  [/\.aliasAction$/, "Failure_Namespace_Alias_Invalid_Action"],
  [/\.linkAction$/, "Failure_Core_Invalid_Link_Action"],
  [/\.(new|previous)RestrictionType$/, "Failure_RestrictionMosaic_Invalid_Restriction_Type"],
  [/\.signature$/, "Failure_Consumer_Batch_Signature_Not_Verifiable"],
];

/** The node's status code for a transaction with an error in this field; undefined if the bytes are no transaction. */
export function codeOfField(field: string): FailureName | undefined {
  return CODE_OF_FIELD.find(([pattern]) => pattern.test(field))?.[1];
}
