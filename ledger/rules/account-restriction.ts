import { RESTRICTION_FLAG } from "../../catapult/state/account-restriction.js";
import { idBytes } from "../../catapult/state/composite-hash.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import type { RestrictionList } from "../tables/account-restrictions.js";
import { mapKey } from "../trees/state-table.js";
import type { NotificationOf, Notify } from "./notifications.js";
import type { Publishers, RuleBook, ValidationContext } from "./rule-book.js";
import { bytesOf } from "./wire.js";

const ADDRESS = RESTRICTION_FLAG.address;
const OUTGOING_ADDRESS = RESTRICTION_FLAG.address | RESTRICTION_FLAG.outgoing;
const OUTGOING_TYPE = RESTRICTION_FLAG.transactionType | RESTRICTION_FLAG.outgoing;
/** Of the two highest bits of an entity type, transactions have only the lower one. */
const TYPE_MASK = 0xc000;
const TRANSACTION_BIT = 0x4000;
const OWN_TYPE = typeBytes(TRANSACTION_TYPE.account_operation_restriction);

const PUBLISHERS = {
  account_address_restriction: (entity, { signerAddress }, notify) =>
    publishList(notify, signerAddress, entity, bytesOf),
  account_mosaic_restriction: (entity, { signerAddress }, notify) =>
    publishList(notify, signerAddress, entity, idBytes),
  account_operation_restriction: (entity, { signerAddress }, notify) =>
    publishList(notify, signerAddress, entity, typeBytes),
} satisfies Partial<Publishers>;

/** Account restrictions (catapult `plugins/txes/restriction_account`). */
export function addAccountRestrictionRules(rules: RuleBook) {
  addListRules(rules);
  addValueRules(rules);
  addInteractionRules(rules);
  return PUBLISHERS;
}

interface ListChange<T> {
  readonly restrictionFlags: number;
  readonly restrictionAdditions: readonly T[];
  readonly restrictionDeletions: readonly T[];
}

function publishList<T>(notify: Notify, address: Buffer, change: ListChange<T>, bytesOfValue: (value: T) => Buffer) {
  const flags = change.restrictionFlags;
  const additions = change.restrictionAdditions.map((value) => bytesOfValue(value));
  const deletions = change.restrictionDeletions.map((value) => bytesOfValue(value));
  notify({ kind: "accountRestrictionFlags", flags });
  notify({ kind: "accountRestrictionList", address, flags, additions, deletions });
  for (const value of additions) notify({ kind: "accountRestrictionValue", address, flags, value, isAddition: true });
  for (const value of deletions) notify({ kind: "accountRestrictionValue", address, flags, value, isAddition: false });
}

function addListRules(rules: RuleBook): void {
  rules.stateless("accountRestrictionFlags", ({ flags }) => {
    const direction = flags & ~RESTRICTION_FLAG.block;
    const isValid = [ADDRESS, OUTGOING_ADDRESS, RESTRICTION_FLAG.mosaicId, OUTGOING_TYPE].some(
      (valid) => valid === direction,
    );
    return isValid ? undefined : "Failure_RestrictionAccount_Invalid_Restriction_Flags";
  });

  rules.stateless("accountRestrictionList", ({ flags, additions }) => {
    if (!(flags & RESTRICTION_FLAG.transactionType)) return undefined;
    const areTypes = additions.every((value) => (value.readUInt16LE() & TYPE_MASK) === TRANSACTION_BIT);
    return areTypes ? undefined : "Failure_RestrictionAccount_Invalid_Value";
  });

  rules.stateful("accountRestrictionList", ({ address, additions, deletions }, { tables }) => {
    const values = [...additions, ...deletions];
    if (new Set(values.map(mapKey)).size !== values.length) {
      return "Failure_RestrictionAccount_Redundant_Modification";
    }
    const hasLists = tables.accountRestrictions.has(address);
    return deletions.length && !hasLists ? "Failure_RestrictionAccount_Invalid_Modification" : undefined;
  });
  rules.stateful("accountRestrictionList", ({ address, flags, additions, deletions }, { tables, config }) => {
    const { maxValues } = config.accountRestriction;
    if (additions.length + deletions.length > maxValues) {
      return "Failure_RestrictionAccount_Modification_Count_Exceeded";
    }
    if (!tables.accountRestrictions.has(address)) return undefined;
    const current = tables.accountRestrictions.get(address, flags)?.values.length ?? 0;
    // In the node the count has no sign: fewer than none are too many.
    const count = current + additions.length - deletions.length;
    return count < 0 || count > maxValues ? "Failure_RestrictionAccount_Values_Count_Exceeded" : undefined;
  });
}

function addValueRules(rules: RuleBook): void {
  rules.stateful("accountRestrictionValue", (notification, context) => {
    const { address, flags, isAddition } = notification;
    const { accountRestrictions } = context.tables;
    if (!accountRestrictions.has(address)) return undefined;
    const list = accountRestrictions.get(address, flags);
    const isContained = list?.values.has(resolvedValue(notification, context)) ?? false;
    const isAllowed = (!list || isBlock(list.flags) === isBlock(flags)) && isContained !== isAddition;
    return isAllowed ? undefined : "Failure_RestrictionAccount_Invalid_Modification";
  });
  rules.stateful("accountRestrictionValue", (notification, context) => {
    if (!(notification.flags & RESTRICTION_FLAG.address)) return undefined;
    const isSelf = notification.address.equals(resolvedValue(notification, context));
    return isSelf ? "Failure_RestrictionAccount_Invalid_Modification_Address" : undefined;
  });
  // an account must not remove its own ability to change its restrictions
  rules.stateful("accountRestrictionValue", ({ address, flags, value, isAddition }, { tables }) => {
    if (!(flags & RESTRICTION_FLAG.transactionType)) return undefined;
    const isAllow = !(flags & RESTRICTION_FLAG.block);
    const isOwnType = value.equals(OWN_TYPE);
    const isEmpty = !tables.accountRestrictions.get(address, flags);
    const isForbidden = isAddition ? (isAllow ? !isOwnType && isEmpty : isOwnType) : isAllow && isOwnType;
    return isForbidden ? "Failure_RestrictionAccount_Invalid_Modification" : undefined;
  });

  rules.observe("accountRestrictionValue", (notification, context) => {
    const { address, flags, isAddition } = notification;
    context.tables.accountRestrictions.modify(address, flags, resolvedValue(notification, context), isAddition);
  });
}

function addInteractionRules(rules: RuleBook): void {
  rules.stateful("addressInteraction", ({ source, participants }, context) => {
    const { accountRestrictions } = context.tables;
    const areAllowed = participants.every((unresolved) => {
      const participant = context.resolveAddress(unresolved);
      return (
        participant.equals(source) ||
        (allows(accountRestrictions.get(participant, ADDRESS), source) &&
          allows(accountRestrictions.get(source, OUTGOING_ADDRESS), participant))
      );
    });
    return areAllowed ? undefined : "Failure_RestrictionAccount_Address_Interaction_Prohibited";
  });
  rules.stateful("balanceTransfer", ({ recipient, mosaicId }, { tables, resolveAddress, resolveMosaic }) => {
    const list = tables.accountRestrictions.get(resolveAddress(recipient), RESTRICTION_FLAG.mosaicId);
    const isAllowed = allows(list, idBytes(resolveMosaic(mosaicId)));
    return isAllowed ? undefined : "Failure_RestrictionAccount_Mosaic_Transfer_Prohibited";
  });
  rules.stateful("transaction", ({ sender, type }, { tables }) => {
    const isAllowed = allows(tables.accountRestrictions.get(sender, OUTGOING_TYPE), typeBytes(type));
    return isAllowed ? undefined : "Failure_RestrictionAccount_Operation_Type_Prohibited";
  });
}

/** Whether all values except those of a list are allowed; otherwise only they are. */
function isBlock(flags: number): boolean {
  return (flags & RESTRICTION_FLAG.block) !== 0;
}

function allows(list: RestrictionList | undefined, value: Buffer): boolean {
  return !list || list.values.has(value) !== isBlock(list.flags);
}

function resolvedValue(
  { flags, value }: NotificationOf<"accountRestrictionValue">,
  { resolveAddress, resolveMosaic }: ValidationContext,
): Buffer {
  if (flags & RESTRICTION_FLAG.address) return resolveAddress(value);
  return flags & RESTRICTION_FLAG.mosaicId ? idBytes(resolveMosaic(value.readBigUInt64LE())) : value;
}

function typeBytes(type: number): Buffer {
  return Buffer.of(type & 0xff, type >> 8);
}
