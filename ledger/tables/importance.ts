import type { ActivityBucket } from "../../catapult/state/account.js";
import { computeEpoch } from "../config/finalization-config.js";
import type { NetworkConfig } from "../config/network-config.js";
import type { JournaledMap } from "../trees/journal.js";
import { bytesOfMapKey, mapKey } from "../trees/state-table.js";
import { hasHistory } from "./account-history.js";
import {
  ACTIVITY_HISTORY_SIZE,
  type AccountState,
  balanceOf,
  EMPTY_BUCKET,
  EMPTY_IMPORTANCE,
  findVotingKey,
  IMPORTANCE_HISTORY_SIZE,
  type ImportanceSnapshot,
} from "./accounts.js";
import type { ChainTables } from "./chain-tables.js";

const ROLLBACK_SIZE = 2;

interface ActivityContext {
  readonly tables: ChainTables;
  readonly config: NetworkConfig;
  readonly height: number;
}

/**
 * The height whose importances apply to block `height`: the last one before it that is a multiple of the grouping, at
 * least 1.
 */
export function computeImportanceHeight(height: number, grouping: number): number {
  return Math.max(1, Math.floor((height - 1) / grouping) * grouping);
}

/** Records an activity of an account in its current bucket; an account without an importance has none. */
export function addActivity(
  { tables, config, height }: ActivityContext,
  address: Buffer,
  change: (bucket: ActivityBucket) => ActivityBucket,
): void {
  const account = tables.accounts.require(address);
  const current = account.activity[0];
  if (!current || current.startHeight < computeImportanceHeight(height, config.importanceGrouping)) return;
  tables.accounts.setActivity(address, account.activity.with(0, change(current)));
}

/**
 * After block `height`: records which accounts have enough of the harvesting mosaic, and calculates their importances
 * when a new group of blocks begins (catapult `HighValueAccountObserver`, `PosImportanceCalculator`).
 */
export function updateImportances(context: ActivityContext): void {
  const { tables, config, height } = context;
  updateHighValueAccounts(context);
  const importanceHeight = computeImportanceHeight(height + 1, config.importanceGrouping);
  if (importanceHeight === tables.lastImportanceHeight.get()) return;
  recalculate(context, importanceHeight);
  tables.lastImportanceHeight.set(importanceHeight);
}

/** After the accounts were loaded: records which of them have or had enough of the harvesting mosaic. */
export function loadHighValueAccounts({ tables, config }: Pick<ActivityContext, "tables" | "config">): void {
  const { accounts, highValueAccounts, formerHighValueAccounts, voters } = tables;
  for (const account of accounts.table.values()) {
    const key = mapKey(account.address);
    const balance = balanceOf(account, config.harvestingMosaicId);
    if (account.votingKeys.length && balance >= config.minVoterBalance) voters.load(key, key);
    if (balance >= config.minHarvesterBalance) highValueAccounts.load(key, key);
    else if (hasHistory(account)) formerHighValueAccounts.load(key, key);
  }
}

function updateHighValueAccounts({ tables, config }: ActivityContext): void {
  const { accounts, highValueAccounts, formerHighValueAccounts, voters } = tables;
  for (const key of accounts.table.touchedKeys()) {
    const account = accounts.table.get(key);
    const balance = account ? balanceOf(account, config.harvestingMosaicId) : 0n;
    if (account?.votingKeys.length && balance >= config.minVoterBalance) include(voters, key);
    else voters.delete(key);

    if (balance >= config.minHarvesterBalance) {
      include(highValueAccounts, key);
      formerHighValueAccounts.delete(key);
    } else {
      const wasHighValue = highValueAccounts.has(key);
      highValueAccounts.delete(key);
      if (wasHighValue || (account && hasHistory(account))) formerHighValueAccounts.set(key, key);
    }
  }
}

/** Most are present already: then nothing is recorded. */
function include(keys: JournaledMap<string, string>, key: string): void {
  if (!keys.has(key)) keys.set(key, key);
}

export interface ImportanceCandidate {
  readonly address: Buffer;
  readonly balance: bigint;
  readonly feesPaid: bigint;
  readonly beneficiaryCount: bigint;
  readonly previousImportance: bigint;
}

function recalculate({ tables, config }: ActivityContext, importanceHeight: number): void {
  const addresses = tables.highValueAccounts.ownValues().map(bytesOfMapKey);
  const candidates = addresses.map((address) => summarize(tables.accounts.require(address), importanceHeight, config));
  const shares = importanceShares(candidates, config);
  for (const [index, candidate] of candidates.entries()) {
    const importance = shares[index]!;
    const { activity, importances } = tables.accounts.require(candidate.address);
    const isLimited = importanceHeight !== 1 && candidate.previousImportance < importance;
    const effective = isLimited ? candidate.previousImportance : importance;
    tables.accounts.update(candidate.address, {
      activity: withRawScore(activity, importanceHeight, importance),
      importances: pushed(importances, { importance: effective, height: importanceHeight }, IMPORTANCE_HISTORY_SIZE),
    });
  }
  shiftFormerHighValueAccounts(tables, importanceHeight);
}

/** Sums the activity that counts: that of the last five groups of blocks. */
function summarize(account: AccountState, importanceHeight: number, config: NetworkConfig): ImportanceCandidate {
  const { importanceGrouping: grouping } = config;
  const groupsBefore = (count: number) => Math.max(1, importanceHeight - grouping * count);
  const previousHeight = importanceHeight === 1 ? 0 : groupsBefore(1);
  const minHeight = groupsBefore(ACTIVITY_HISTORY_SIZE - ROLLBACK_SIZE - 1);

  let feesPaid = 0n;
  let beneficiaryCount = 0;
  let previousImportance = 0n;
  for (const bucket of account.activity) {
    if (bucket.startHeight < minHeight) break;
    feesPaid += bucket.totalFeesPaid;
    beneficiaryCount += bucket.beneficiaryCount;
    if (bucket.startHeight === previousHeight) previousImportance = bucket.rawScore;
  }
  return {
    address: account.address,
    balance: balanceOf(account, config.harvestingMosaicId),
    feesPaid,
    beneficiaryCount: BigInt(beneficiaryCount),
    previousImportance,
  };
}

/**
 * The importance of each candidate: mostly by stake, partly by activity, which counts more for small stakes. The node
 * computes with 64 bits, and products of three numbers with 128; products that do not fit wrap, and with the totals of
 * the public networks some do not fit (catapult `CalculatorUtils.cpp`, `PosImportanceCalculator.cpp`).
 */
export function importanceShares(
  candidates: readonly ImportanceCandidate[],
  config: Pick<NetworkConfig, "totalChainImportance" | "importanceActivityPercentage" | "minHarvesterBalance">,
): readonly bigint[] {
  const { totalChainImportance: total, importanceActivityPercentage: activityPercentage, minHarvesterBalance } = config;
  const sum = (pick: (candidate: ImportanceCandidate) => bigint) =>
    candidates.reduce((part, one) => part + pick(one), 0n);
  const allBalances = sum(({ balance }) => balance);
  const allFees = sum(({ feesPaid }) => feesPaid);
  const allBeneficiaries = sum(({ beneficiaryCount }) => beneficiaryCount);

  const activityPart = (amount: bigint, all: bigint, weight: bigint, balance: bigint) => {
    if (activityPercentage === 0n || all === 0n) return 0n;
    const factor = uint64(activityPercentage * minHarvesterBalance * weight);
    return uint128(total * amount * factor) / uint64(all * 1000n) / balance;
  };
  const stakes = candidates.map(({ balance }) =>
    uint64(uint128(total * balance * (100n - activityPercentage)) / uint64(allBalances * 100n)),
  );
  const activities = candidates.map(({ balance, feesPaid, beneficiaryCount }) =>
    uint64(
      activityPart(feesPaid, allFees, 8n, balance) + activityPart(beneficiaryCount, allBeneficiaries, 2n, balance),
    ),
  );

  const allActivities = uint64(activities.reduce((part, activity) => part + activity, 0n));
  if (allActivities === 0n) {
    if (activityPercentage === 0n) return stakes;
    return stakes.map((stake) => uint64(stake * 100n) / (100n - activityPercentage));
  }
  const target = uint64(total * activityPercentage) / 100n;
  return stakes.map((stake, index) => uint64(stake + uint64(activities[index]! * target) / allActivities));
}

/** The value as an unsigned integer of 64 bits, which wraps. */
function uint64(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

function uint128(value: bigint): bigint {
  return BigInt.asUintN(128, value);
}

function withRawScore(
  activity: readonly ActivityBucket[],
  startHeight: number,
  rawScore: bigint,
): readonly ActivityBucket[] {
  const [current, ...older] = activity;
  if (current && current.startHeight >= startHeight) return [{ ...current, rawScore }, ...older];
  return pushed(activity, { ...EMPTY_BUCKET, startHeight, rawScore }, ACTIVITY_HISTORY_SIZE);
}

/** The history of an account that lost its importance moves on with the groups, until nothing is left. */
function shiftFormerHighValueAccounts(tables: ChainTables, importanceHeight: number): void {
  for (const key of tables.formerHighValueAccounts.ownValues()) {
    const account = tables.accounts.table.get(key);
    if (account) {
      const hasCurrent = account.activity[0]?.startHeight === importanceHeight;
      const activity = hasCurrent ? account.activity.slice(1) : account.activity;
      const change = {
        activity: pushed(activity, EMPTY_BUCKET, ACTIVITY_HISTORY_SIZE),
        importances: pushed<ImportanceSnapshot>(account.importances, EMPTY_IMPORTANCE, IMPORTANCE_HISTORY_SIZE),
      };
      tables.accounts.update(account.address, change);
      if (hasHistory({ ...account, ...change })) continue;
    }
    tables.formerHighValueAccounts.delete(key);
  }
}

function pushed<T>(values: readonly T[], value: T, maxLength: number): readonly T[] {
  return [value, ...values].slice(0, maxLength);
}

/**
 * The importance of an account (or of its main account, if it is a remote one) for block `height`: 0 if it was not
 * calculated for the present group of blocks (catapult `ImportanceView.cpp`).
 */
export function importanceFor({ tables, config, height }: ActivityContext, address: Buffer): bigint {
  if (!tables.accounts.get(address)) return 0n;
  const current = tables.accounts.forwarded(address).importances[0];
  return current?.height === computeImportanceHeight(height, config.importanceGrouping) ? current.importance : 0n;
}

/**
 * Whether the account may be the harvester of block `height`, itself or by its remote account. It has to be so after the
 * block's transactions, not before them.
 */
export function canHarvest(context: ActivityContext, address: Buffer): boolean {
  if (importanceFor(context, address) === 0n) return false;
  const { tables, config } = context;
  const balance = balanceOf(tables.accounts.forwarded(address), config.harvestingMosaicId);
  return balance >= config.minHarvesterBalance && balance <= config.maxHarvesterBalance;
}

/** The numbers in the footer of an importance block. */
export interface ImportanceCounts {
  readonly votingEligibleAccountsCount: number;
  readonly harvestingEligibleAccountsCount: bigint;
  readonly totalVotingBalance: bigint;
}

/** Counts, after block `height` was executed, the accounts that may vote and harvest, for its footer. */
export function importanceCounts({ tables, config, height }: ActivityContext): ImportanceCounts {
  const isEpochCounted = height >= config.forkHeights.totalVotingBalanceCalculationFix;
  const epoch = computeEpoch(height, config.votingSetGrouping);
  const balances = tables.voters
    .ownValues()
    .map((key) => tables.accounts.require(bytesOfMapKey(key)))
    .filter((account) => !isEpochCounted || findVotingKey(account, epoch) !== undefined)
    .map((account) => balanceOf(account, config.harvestingMosaicId))
    .filter((balance) => balance > 0n);
  return {
    votingEligibleAccountsCount: balances.length,
    harvestingEligibleAccountsCount: BigInt(tables.highValueAccounts.ownValues().length),
    totalVotingBalance: balances.reduce((sum, balance) => sum + balance, 0n),
  };
}
