import type { Body } from "../entity/transaction-entity.js";
import { RESTRICTION_FLAG } from "../state/account-restriction.js";
import { type AnnouncementError, impossible } from "./announcement-error.js";
import type { EntityCheck } from "./entity-check.js";

/** Source: catapult's `model/AccountRestrictionFlags`. */

/** Allowed flags of each kind, besides `block`. */
const ALLOWED_FLAGS = {
  account_address_restriction: [RESTRICTION_FLAG.address, RESTRICTION_FLAG.address | RESTRICTION_FLAG.outgoing],
  account_mosaic_restriction: [RESTRICTION_FLAG.mosaicId],
  account_operation_restriction: [RESTRICTION_FLAG.transactionType | RESTRICTION_FLAG.outgoing],
} as const;

/** Entity types of transactions have this bit, and not that of blocks. */
const TRANSACTION_BIT = 0x4000;
const BASIC_TYPE_MASK = 0xc000;

type Restriction = Body<"account_address_restriction" | "account_mosaic_restriction" | "account_operation_restriction">;

/** Source: `plugins/txes/restriction_account/src/validators`. */
export function accountRestriction(
  tx: Restriction,
  { path, rules: { accountRestriction } }: EntityCheck,
): AnnouncementError | undefined {
  const flags = tx.restrictionFlags;
  const allowed: readonly number[] = ALLOWED_FLAGS[tx.kind];
  if (!allowed.includes(flags & ~RESTRICTION_FLAG.block))
    return impossible(
      `${path}.restrictionFlags`,
      `are ${flags}`,
      "Failure_RestrictionAccount_Invalid_Restriction_Flags",
    );
  const values = [...tx.restrictionAdditions, ...tx.restrictionDeletions];
  if (values.length > accountRestriction.maxValues) {
    const problem = `and restrictionDeletions have ${values.length} values, the maximum is ${accountRestriction.maxValues}`;
    const code = "Failure_RestrictionAccount_Modification_Count_Exceeded";
    return impossible(`${path}.restrictionAdditions`, problem, code);
  }
  if (new Set(values.map(keyOf)).size < values.length) {
    const problem = "and restrictionDeletions contain a value twice";
    return impossible(`${path}.restrictionAdditions`, problem, "Failure_RestrictionAccount_Redundant_Modification");
  }
  return undefined;
}

function keyOf(value: Buffer | bigint | number): string {
  return Buffer.isBuffer(value) ? value.toString("hex") : String(value);
}

/** The same, and that added values are types of transactions. */
export function operationRestriction(
  tx: Body<"account_operation_restriction">,
  check: EntityCheck,
): AnnouncementError | undefined {
  const error = accountRestriction(tx, check);
  if (error) return error;
  const wrong = tx.restrictionAdditions.find((type) => (type & BASIC_TYPE_MASK) !== TRANSACTION_BIT);
  return wrong !== undefined
    ? impossible(
        `${check.path}.restrictionAdditions`,
        `have ${wrong}, which is not a transaction type`,
        "Failure_RestrictionAccount_Invalid_Value",
      )
    : undefined;
}

/** The target may be any bytes but zeros: with them, the key of its entry would be that of the mosaic's rules. */
export function mosaicAddressRestriction(
  { targetAddress }: Body<"mosaic_address_restriction">,
  { path }: EntityCheck,
): AnnouncementError | undefined {
  const isZero = targetAddress.every((byte) => byte === 0);
  return isZero ? impossible(`${path}.targetAddress`, "is zero", "Failure_Core_Invalid_Address") : undefined;
}
