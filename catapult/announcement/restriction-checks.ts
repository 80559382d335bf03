import { models } from "symbol-sdk/symbol";
import { type AnnouncementError, impossible } from "./announcement-error.js";
import type { EntityCheck } from "./entity-check.js";

const { AccountRestrictionFlags: Flags } = models;

/** By transaction type: what its flags may be, apart from `BLOCK`. */
const ALLOWED_FLAGS = new Map<number, readonly number[]>([
  [
    models.TransactionType.ACCOUNT_ADDRESS_RESTRICTION.value,
    [Flags.ADDRESS.value, Flags.ADDRESS.value | Flags.OUTGOING.value],
  ],
  [models.TransactionType.ACCOUNT_MOSAIC_RESTRICTION.value, [Flags.MOSAIC_ID.value]],
  [models.TransactionType.ACCOUNT_OPERATION_RESTRICTION.value, [Flags.TRANSACTION_TYPE.value | Flags.OUTGOING.value]],
]);

/** Entity types of transactions have this bit, and not the one of blocks. */
const TRANSACTION_BIT = 0x4000;
const BASIC_TYPE_MASK = 0xc000;

type Restriction =
  | models.AccountAddressRestrictionTransactionV1
  | models.AccountMosaicRestrictionTransactionV1
  | models.AccountOperationRestrictionTransactionV1;

/** Source: `plugins/txes/restriction_account/src/validators`. */
export function accountRestriction(
  tx: Restriction,
  { path, rules: { accountRestriction } }: EntityCheck,
): AnnouncementError | undefined {
  const flags = tx.restrictionFlags.value;
  const allowed = ALLOWED_FLAGS.get(tx.type.value) ?? [];
  if (!allowed.includes(flags & ~Flags.BLOCK.value))
    return impossible(
      `${path}.restrictionFlags`,
      `are ${flags}`,
      "Failure_RestrictionAccount_Invalid_Restriction_Flags",
    );
  const values = [...tx.restrictionAdditions, ...tx.restrictionDeletions];
  if (values.length === 0) {
    const problem = "and restrictionDeletions are both empty";
    return impossible(`${path}.restrictionAdditions`, problem, "Failure_RestrictionAccount_No_Modifications");
  }
  if (values.length > accountRestriction.maxValues) {
    const problem = `and restrictionDeletions name ${values.length} values, at most ${accountRestriction.maxValues} are allowed`;
    const code = "Failure_RestrictionAccount_Modification_Count_Exceeded";
    return impossible(`${path}.restrictionAdditions`, problem, code);
  }
  if (new Set(values.map(keyOf)).size < values.length) {
    const problem = "and restrictionDeletions name a value twice";
    return impossible(`${path}.restrictionAdditions`, problem, "Failure_RestrictionAccount_Redundant_Modification");
  }
  return undefined;
}

function keyOf(value: models.UnresolvedAddress | models.UnresolvedMosaicId | models.TransactionType): string {
  return "bytes" in value ? Buffer.from(value.bytes).toString("hex") : String(value.value);
}

/** The same, and that what is added are types of transactions. */
export function operationRestriction(
  tx: models.AccountOperationRestrictionTransactionV1,
  check: EntityCheck,
): AnnouncementError | undefined {
  const error = accountRestriction(tx, check);
  if (error) return error;
  const wrong = tx.restrictionAdditions.find(({ value }) => (value & BASIC_TYPE_MASK) !== TRANSACTION_BIT);
  return wrong
    ? impossible(
        `${check.path}.restrictionAdditions`,
        `have ${wrong.value}, which is no transaction type`,
        "Failure_RestrictionAccount_Invalid_Value",
      )
    : undefined;
}
