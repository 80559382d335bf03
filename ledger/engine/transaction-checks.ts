import type { FailureName } from "../../catapult/announcement/status-code.js";
import type { TransactionEntity } from "../../catapult/entity/transaction-entity.js";
import type { KnownKind } from "../../catapult/entity/transaction-layouts.js";
import { publishCosignatories } from "../rules/aggregate.js";
import type { ExecutableTransaction, Notification, Notify } from "../state/notifications.js";
import type { RuleBook, ValidationContext } from "../state/rule-book.js";
import { publishBody, publishTransaction, publishWithoutBody } from "./publish.js";

/** Why a transaction is invalid in any state, signatures aside. */
export function checkStateless(rules: RuleBook, transaction: ExecutableTransaction): FailureName | undefined {
  return firstFailure(
    (notify) => publishTransaction(rules, transaction, maxFeeOf(transaction), 0, notify),
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
      (notify) => publishWithoutBody(rules, aggregate, maxFeeOf(aggregate), notify),
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
const EMBEDDED_ONLY: ReadonlySet<string> = new Set<KnownKind>([
  "accountMetadata",
  "mosaicMetadata",
  "namespaceMetadata",
  "multisigAccountModification",
]);

/** Whether a transaction is only valid inside an aggregate: the node does not even decode a block that has it outside. */
export function isEmbeddedOnly({ kind }: TransactionEntity): boolean {
  return EMBEDDED_ONLY.has(kind);
}

/** The maximum fee (atomic units) of a transaction, which is used until it is in a block. */
export function maxFeeOf({ entity }: ExecutableTransaction): bigint {
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
