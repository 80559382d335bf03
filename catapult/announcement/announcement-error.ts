import type { FailureName, StatusName } from "./status-code.js";

/**
 * `malformed`: the bytes are not a transaction; `impossible`: they are one that can never be valid, in any state;
 * `failing`: they are one that fails in the present state.
 */
export type AnnouncementProblem = "malformed" | "impossible" | "failing";

/** An announcement that must not reach a node. The message names the field, and the node's status code. */
export class AnnouncementError extends Error {
  override readonly name = "AnnouncementError";
  readonly problem: AnnouncementProblem;
  /** The node's status code for it, if there is one. */
  readonly code: StatusName | undefined;

  constructor(problem: AnnouncementProblem, message: string, code?: StatusName, options?: ErrorOptions) {
    super(code === undefined ? message : `${message} (${code})`, options);
    this.problem = problem;
    this.code = code;
  }
}

/** The error of a transaction that can never be valid: `path` is the field, `problem` the reason. */
export function impossible(path: string, problem: string, code?: StatusName): AnnouncementError {
  return new AnnouncementError("impossible", `${path}: ${problem}`, code);
}

/** The error of a transaction that fails in the present state. */
export function failing(reason: string, code: StatusName): AnnouncementError {
  return new AnnouncementError("failing", reason, code);
}

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
