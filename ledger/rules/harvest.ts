import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import { addressAt, inflationAt } from "../config/network-config.js";
import { addActivity, canHarvest } from "../tables/importance.js";
import type { ExecutionContext, RuleBook } from "./rule-book.js";

/** Rewards of a block for its harvester, beneficiary and network (catapult `plugins/coresystem`). */
export function addHarvestRules(rules: RuleBook): void {
  rules.stateful("block", ({ harvester }, context) => {
    const isEligible = context.height === 1 || canHarvest(context, harvester);
    return isEligible ? undefined : "Failure_Core_Block_Harvester_Ineligible";
  });

  rules.observe("block", ({ beneficiary }, context) => {
    const { address } = context.tables.accounts.forwarded(beneficiary);
    addActivity(context, address, (bucket) => ({ ...bucket, beneficiaryCount: bucket.beneficiaryCount + 1 }));
  });

  rules.observe("block", ({ harvester, beneficiary, totalFee }, context) => {
    const { config, height, statement } = context;
    const inflation = inflationAt(config.inflation, height);
    const total = totalFee + inflation;
    const networkShare = (total * config.harvestNetworkPercentage) / 100n;
    const isShared = !harvester.equals(beneficiary);
    const beneficiaryShare = isShared ? (total * config.harvestBeneficiaryPercentage) / 100n : 0n;

    pay(context, harvester, total - networkShare - beneficiaryShare);
    if (networkShare > 0n) pay(context, addressAt(config.harvestNetworkFeeSink, height), networkShare);
    if (beneficiaryShare > 0n) pay(context, beneficiary, beneficiaryShare);
    if (inflation > 0n) statement.addInflation(config.currencyMosaicId, inflation);
  });
}

function pay({ tables, config, statement }: ExecutionContext, address: Buffer, amount: bigint): void {
  const account = tables.accounts.forwarded(address);
  tables.accounts.credit(account.address, config.currencyMosaicId, amount);
  statement.addBalanceChange(RECEIPT_TYPE.harvest_fee, config.currencyMosaicId, amount, account.address);
}
