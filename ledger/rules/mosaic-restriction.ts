import type { FailureName } from "../../catapult/announcement/status-code.js";
import { NO_ADDRESS } from "../../catapult/state/composite-hash.js";
import type { RestrictionRule } from "../../catapult/state/mosaic-restriction.js";
import { entryOfKey, REMOVED_VALUE, RestrictionType } from "../tables/mosaic-restrictions.js";
import { MosaicFlag } from "../tables/mosaics.js";
import type { Publishers, RuleBook, ValidationContext } from "./rule-book.js";
import { bytesOf } from "./wire.js";

const PUBLISHERS = {
  mosaic_global_restriction: (entity, { signerAddress: owner }, notify) => {
    const { mosaicId, referenceMosaicId, restrictionKey: key, newRestrictionType } = entity;
    notify({ kind: "mosaicRestrictionType", type: newRestrictionType });
    notify({ kind: "mosaicRequired", owner, mosaicId, flags: MosaicFlag.restrictable });
    if (referenceMosaicId !== 0n) notify({ kind: "mosaicRestrictionRequired", mosaicId: referenceMosaicId, key });
    const previous = {
      referenceMosaicId,
      restrictionValue: entity.previousRestrictionValue,
      restrictionType: entity.previousRestrictionType,
    };
    notify({ kind: "mosaicRule", which: "previous", mosaicId, key, rule: previous });
    const rule = {
      referenceMosaicId,
      restrictionValue: entity.newRestrictionValue,
      restrictionType: newRestrictionType,
    };
    notify({ kind: "mosaicRule", which: "new", mosaicId, key, rule });
  },
  mosaic_address_restriction: (entity, { signerAddress: owner }, notify) => {
    const { mosaicId, restrictionKey: key } = entity;
    const target = bytesOf(entity.targetAddress);
    notify({ kind: "mosaicRequired", owner, mosaicId, flags: MosaicFlag.restrictable });
    notify({ kind: "mosaicRestrictionRequired", mosaicId, key });
    const previous = entity.previousRestrictionValue;
    notify({ kind: "mosaicAddressValue", which: "previous", mosaicId, key, target, value: previous });
    const value = entity.newRestrictionValue;
    notify({ kind: "mosaicAddressValue", which: "new", mosaicId, key, target, value });
  },
} satisfies Partial<Publishers>;

/** Mosaic restrictions (catapult `plugins/txes/restriction_mosaic`). */
export function addMosaicRestrictionRules(rules: RuleBook) {
  addAuthorizationRules(rules);
  addRuleRules(rules);
  addAddressValueRules(rules);
  return PUBLISHERS;
}

function addAuthorizationRules(rules: RuleBook): void {
  rules.stateful("balanceDebit", ({ sender, mosaicId }, context) => checkAuthorized(mosaicId, [sender], context));
  rules.stateful("balanceTransfer", ({ sender, recipient, mosaicId }, context) =>
    checkAuthorized(mosaicId, [sender, recipient], context),
  );
  rules.stateful("mosaicRestrictionRequired", ({ mosaicId, key }, { tables, resolveMosaic }) => {
    const rules = tables.mosaicRestrictions.rules(resolveMosaic(mosaicId));
    return entryOfKey(rules, key) ? undefined : "Failure_RestrictionMosaic_Unknown_Global_Restriction";
  });
  rules.stateless("mosaicRestrictionType", ({ type }) =>
    type > RestrictionType.ge ? "Failure_RestrictionMosaic_Invalid_Restriction_Type" : undefined,
  );
}

function addRuleRules(rules: RuleBook): void {
  rules.stateful("mosaicRule", ({ which, mosaicId, key, rule }, context) => {
    const { tables, config, resolveMosaic } = context;
    const current = tables.mosaicRestrictions.rules(resolveMosaic(mosaicId));
    const currentRule = entryOfKey(current, key)?.restriction;
    if (which === "new") {
      const isRemoval = rule.restrictionType === RestrictionType.none;
      return checkCount(isRemoval, currentRule !== undefined, current?.length ?? 0, config.mosaicRestriction.maxValues);
    }
    if (!currentRule) {
      const isUnset = rule.restrictionValue === 0n && rule.restrictionType === RestrictionType.none;
      return isUnset ? undefined : "Failure_RestrictionMosaic_Previous_Value_Must_Be_Zero";
    }
    const isMatch =
      currentRule.referenceMosaicId === resolveMosaic(rule.referenceMosaicId) &&
      currentRule.restrictionValue === rule.restrictionValue &&
      currentRule.restrictionType === rule.restrictionType;
    return isMatch ? undefined : "Failure_RestrictionMosaic_Previous_Value_Mismatch";
  });

  rules.observe("mosaicRule", ({ which, mosaicId, key, rule }, { tables, resolveMosaic }) => {
    if (which === "previous") return;
    const id = resolveMosaic(mosaicId);
    const referenceMosaicId = resolveMosaic(rule.referenceMosaicId);
    tables.mosaicRestrictions.setRule(id, key, { ...rule, referenceMosaicId });
  });
}

function addAddressValueRules(rules: RuleBook): void {
  // Its entry would have the key of the mosaic's rules. The node has no code for it.
  rules.stateful("mosaicAddressValue", ({ target }) =>
    target.equals(NO_ADDRESS) ? "Failure_Core_Invalid_Address" : undefined,
  );
  rules.stateful("mosaicAddressValue", ({ which, mosaicId, key, target, value }, context) => {
    const { tables, config, resolveAddress, resolveMosaic } = context;
    const current = tables.mosaicRestrictions.values(resolveMosaic(mosaicId), resolveAddress(target));
    const currentValue = entryOfKey(current, key)?.value;
    if (which === "new") {
      const isRemoval = value === REMOVED_VALUE;
      return checkCount(
        isRemoval,
        currentValue !== undefined,
        current?.length ?? 0,
        config.mosaicRestriction.maxValues,
      );
    }
    if (currentValue === undefined) {
      return value === REMOVED_VALUE ? undefined : "Failure_RestrictionMosaic_Previous_Value_Must_Be_Zero";
    }
    return currentValue === value ? undefined : "Failure_RestrictionMosaic_Previous_Value_Mismatch";
  });

  rules.observe("mosaicAddressValue", ({ which, mosaicId, key, target, value }, context) => {
    if (which === "previous") return;
    const { tables, resolveAddress, resolveMosaic } = context;
    tables.mosaicRestrictions.setValue(resolveMosaic(mosaicId), resolveAddress(target), key, value);
  });
}

function checkCount(isRemoval: boolean, isKnown: boolean, count: number, maxCount: number): FailureName | undefined {
  if (isRemoval) return isKnown ? undefined : "Failure_RestrictionMosaic_Cannot_Delete_Nonexistent_Restriction";
  return isKnown || count < maxCount ? undefined : "Failure_RestrictionMosaic_Max_Restrictions_Exceeded";
}

function checkAuthorized(
  unresolved: bigint,
  addresses: readonly Buffer[],
  { tables, resolveAddress, resolveMosaic }: ValidationContext,
): FailureName | undefined {
  const mosaicId = resolveMosaic(unresolved);
  const rules = tables.mosaicRestrictions.rules(mosaicId);
  if (!rules) return undefined;
  if (rules.some(({ restriction }) => restriction.referenceMosaicId === mosaicId)) {
    return "Failure_RestrictionMosaic_Invalid_Global_Restriction";
  }
  const areAuthorized = addresses.every((unresolved) => {
    const address = resolveAddress(unresolved);
    const ownValues = tables.mosaicRestrictions.values(mosaicId, address) ?? [];
    let index = 0;
    return rules.every(({ key, restriction }) => {
      const { referenceMosaicId } = restriction;
      if (referenceMosaicId !== 0n) {
        const values = tables.mosaicRestrictions.values(referenceMosaicId, address);
        return fulfils(restriction, entryOfKey(values, key)?.value);
      }
      // The keys of rules and values ascend.
      while (index < ownValues.length && ownValues[index]!.key < key) index += 1;
      const own = ownValues[index];
      return fulfils(restriction, own?.key === key ? own.value : undefined);
    });
  });
  return areAuthorized ? undefined : "Failure_RestrictionMosaic_Account_Unauthorized";
}

/** Whether a value satisfies the rule; an account without a value satisfies only `ne`. */
function fulfils({ restrictionType, restrictionValue }: RestrictionRule, value: bigint | undefined): boolean {
  if (value === undefined) return restrictionType === RestrictionType.ne;
  switch (restrictionType) {
    case RestrictionType.eq:
      return value === restrictionValue;
    case RestrictionType.ne:
      return value !== restrictionValue;
    case RestrictionType.lt:
      return value < restrictionValue;
    case RestrictionType.le:
      return value <= restrictionValue;
    case RestrictionType.gt:
      return value > restrictionValue;
    case RestrictionType.ge:
      return value >= restrictionValue;
    default:
      return false;
  }
}
