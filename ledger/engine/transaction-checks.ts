import type { FailureName } from "../../catapult/announcement/status-code.js";
import type { TransactionEntity } from "../../catapult/entity/transaction-entity.js";
import { TRANSACTION_TYPE, type TransactionKind } from "../../catapult/structs/type-names.js";
import type { NetworkConfig } from "../config/network-config.js";
import { publishCosignatories } from "../rules/aggregate.js";
import type { ExecutableTransaction, Notification, Notify } from "../rules/notifications.js";
import type { RuleBook, ValidationContext } from "../rules/rule-book.js";
import { publishBody, publishTransaction, publishWithoutBody } from "./publish.js";

/** Why a transaction is invalid in any state, signatures aside. */
export function checkStateless(rules: RuleBook, transaction: ExecutableTransaction): FailureName | undefined {
  return firstFailure(
    (notify) => publishTransaction(rules, transaction, computeMaxFee(transaction), 0, notify),
    (notification) => rules.checkStateless(notification),
  );
}

/** Why a bonded aggregate, without its cosignatures, may not be partial (catapult `PtValidator`). */
export function checkPartial(
  rules: RuleBook,
  aggregate: ExecutableTransaction,
  context: ValidationContext,
): FailureName | undefined {
  return (
    firstFailure(
      (notify) => publishWithoutBody(rules, aggregate, computeMaxFee(aggregate), notify),
      (notification) => rules.checkStateless(notification) ?? rules.checkStateful(notification, context),
    ) ??
    firstFailure(
      (notify) => publishBody(rules, aggregate, 0, notify),
      (notification) => rules.checkStateless(notification),
    )
  );
}

/** Whether these cosigners are eligible for an aggregate, and sufficient. */
export function checkCosignatories(
  rules: RuleBook,
  aggregate: ExecutableTransaction,
  cosignerPublicKeys: readonly Buffer[],
  context: ValidationContext,
): FailureName | undefined {
  return firstFailure(
    (notify) => publishCosignatories(rules, aggregate, cosignerPublicKeys, notify),
    (notification) => rules.checkStateless(notification) ?? rules.checkStateful(notification, context),
  );
}

/** Kinds of transactions that the node knows as parts of aggregates only (`Only_Embeddable`). */
const EMBEDDED_ONLY: ReadonlySet<string> = new Set<TransactionKind>([
  "account_metadata",
  "mosaic_metadata",
  "namespace_metadata",
  "multisig_account_modification",
]);

/** Why nodes of the network cannot even decode a block with a transaction of this kind; undefined if they can. */
export function findPlacementProblem(
  { kind, type }: TransactionEntity,
  { aggregate }: NetworkConfig,
): string | undefined {
  if (EMBEDDED_ONLY.has(kind)) return "is only allowed in an aggregate";
  const isUnsupported = type === TRANSACTION_TYPE.aggregate_bonded && !aggregate.bondedSupport;
  return isUnsupported ? "is a bonded aggregate, which the network does not support" : undefined;
}

/** The maximum fee (atomic units) of a transaction, which is used until it is in a block. */
export function computeMaxFee({ entity }: ExecutableTransaction): bigint {
  return entity.maxFee;
}

function firstFailure(
  publish: (notify: Notify) => void,
  check: (notification: Notification) => FailureName | undefined,
): FailureName | undefined {
  let failure: FailureName | undefined;
  publish((notification) => {
    failure ??= check(notification);
  });
  return failure;
}
