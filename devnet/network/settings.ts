import { networkName } from "../../catapult/network/properties.js";

/** A rule of a devnet: where it is in the node's configuration, its default, and how its value is written there. */
export interface Rule<Value> {
  /** Title of a section; undefined for a rule that is in no file. */
  readonly section: string | undefined;
  readonly value: Value;
  readonly write: (value: Value, blockTime: number) => PropertyValue;
  /** Of the property, unless it has the rule's name. */
  readonly property: string | undefined;
}

/** A value in a file; undefined for one that is not there. */
export type PropertyValue = string | number | bigint | boolean | readonly number[] | undefined;

function rule<Value>(
  section: string | undefined,
  value: Value,
  write: (value: Value, blockTime: number) => PropertyValue = (one) => one as PropertyValue,
  property?: string,
): Rule<Value> {
  return { section, value, write, property };
}

const TIME_UNITS = [
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const;
const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;
const MEBIBYTE = 1024 * 1024;
/** At 5 s per block. */
const BLOCKS_PER_DAY = 17_280;

function timeSpan(milliseconds: number): string {
  const unit = TIME_UNITS.find(([, size]) => milliseconds > 0 && milliseconds % size === 0);
  return unit ? `${milliseconds / unit[1]}${unit[0]}` : `${milliseconds}ms`;
}

const blockSpan = (blocks: number, blockTime: number) => timeSpan(blocks * blockTime);
const fileSize = (bytes: number) => (bytes % MEBIBYTE === 0 ? `${bytes / MEBIBYTE}MB` : `${bytes}B`);
const list = (words: readonly string[]) => words.join(", ");

/** First balances, in atomic units of the currency. What is left of it belongs to the reserve. */
export interface FirstBalances {
  readonly harvester: bigint;
  readonly user: bigint;
  /** Of each account with a voting key that loses its vote in the epoch of the treasury reissuance. */
  readonly formerVoter: bigint;
}

const FORKS = "fork_heights";
/** The title of a plugin's section. */
export const plugin = (name: string) => `plugin:catapult.plugins.${name}`;

/**
 * Rules of a devnet's network, and the limits of its node: by default the parameters of the public network, except
 * those that would take too long to observe on a development machine. The names are those of catapult's
 * properties, but durations of mosaics, namespaces and locks are numbers of blocks here, so that a chain stays valid
 * when its block interval is changed. Amounts are atomic units, times milliseconds.
 */
export const RULES = {
  /** Network byte of addresses: 152 is that of the public test network. */
  networkIdentifier: rule("network", 152, networkName, "identifier"),
  /** Unix seconds at which the network's timestamps begin. */
  epochAdjustment: rule("network", 1573430400, (seconds) => `${seconds}s`),
  blockGenerationTargetTime: rule("chain", 5000, timeSpan),
  importanceGrouping: rule("chain", 20),
  importanceActivityPercentage: rule("chain", 5),
  maxDifficultyBlocks: rule("chain", 60),
  defaultDynamicFeeMultiplier: rule("chain", 100),
  maxTransactionLifetime: rule("chain", 6 * HOUR, timeSpan),
  initialCurrencyAtomicUnits: rule("chain", 7_842_928_625_000_000n),
  maxMosaicAtomicUnits: rule("chain", 8_999_999_999_000_000n),
  totalChainImportance: rule("chain", 7_842_928_625_000_000n),
  minHarvesterBalance: rule("chain", 10_000_000_000n),
  maxHarvesterBalance: rule("chain", 4_000_000_000_000_000n),
  minVoterBalance: rule("chain", 3_000_000_000_000n),
  votingSetGrouping: rule("chain", 40),
  maxVotingKeysPerAccount: rule("chain", 3),
  /** Epochs. */
  minVotingKeyLifetime: rule("chain", 72),
  maxVotingKeyLifetime: rule("chain", 26280),
  harvestBeneficiaryPercentage: rule("chain", 10n),
  harvestNetworkPercentage: rule("chain", 5n),
  maxTransactionsPerBlock: rule("chain", 6000),
  /** Who owns the currency at first; undefined: the harvester has half of it, the users share the rest. */
  firstBalances: rule<FirstBalances | undefined>(undefined, undefined),
  /** Currency created by each block. */
  inflation: rule("inflation", 100_000_000n, undefined, "starting-at-height-1"),
  /** Height from which on the footers of importance blocks count voting keys of their epoch only. */
  totalVotingBalanceCalculationFix: rule(FORKS, 0),
  /** Height from which on fees go to other accounts; 0 = they always go to the same. */
  treasuryReissuance: rule(FORKS, 0),
  /** Height from which on aggregates have version 2; below it they have version 1. */
  strictAggregateTransactionHash: rule(FORKS, 0),
  /** Heights of exceptions for secret locks: see `ForkHeights` of the state engine. */
  skipSecretLockUniquenessChecks: rule<readonly number[]>(FORKS, []),
  skipSecretLockExpirations: rule<readonly number[]>(FORKS, []),
  forceSecretLockExpirations: rule<readonly number[]>(FORKS, []),
  /** Height from which on aggregates have version 3; undefined for a node that does not know that version. */
  uniqueAggregateTransactionHash: rule<number | undefined>(FORKS, 0),
  /** Height from which on VRF keys must be points of the curve; undefined for a node that does not check them. */
  strictVrfPublicKeyCheck: rule<number | undefined>(FORKS, 0),
  maxTransactionsPerAggregate: rule(plugin("aggregate"), 100),
  maxCosignaturesPerAggregate: rule(plugin("aggregate"), 25),
  maxBondedTransactionLifetime: rule(plugin("aggregate"), 48 * HOUR, timeSpan),
  lockedFundsPerAggregate: rule(plugin("lockhash"), 10_000_000n),
  maxHashLockDuration: rule(plugin("lockhash"), 2 * BLOCKS_PER_DAY, blockSpan),
  maxSecretLockDuration: rule(plugin("locksecret"), 365 * BLOCKS_PER_DAY, blockSpan),
  /** Bytes. */
  minProofSize: rule(plugin("locksecret"), 0),
  maxProofSize: rule(plugin("locksecret"), 1024),
  maxMetadataValueSize: rule(plugin("metadata"), 1024, undefined, "maxValueSize"),
  maxMosaicsPerAccount: rule(plugin("mosaic"), 1000),
  maxMosaicDuration: rule(plugin("mosaic"), 3650 * BLOCKS_PER_DAY, blockSpan),
  maxMosaicDivisibility: rule(plugin("mosaic"), 6),
  /** Rental fees are multiplied by the network's dynamic fee multiplier. */
  mosaicRentalFee: rule(plugin("mosaic"), 500_000n),
  maxMultisigDepth: rule(plugin("multisig"), 3),
  maxCosignatoriesPerAccount: rule(plugin("multisig"), 25),
  maxCosignedAccountsPerAccount: rule(plugin("multisig"), 25),
  maxNameSize: rule(plugin("namespace"), 64),
  maxChildNamespaces: rule(plugin("namespace"), 100),
  maxNamespaceDepth: rule(plugin("namespace"), 3),
  minNamespaceDuration: rule(plugin("namespace"), 12, blockSpan),
  maxNamespaceDuration: rule(plugin("namespace"), 1825 * BLOCKS_PER_DAY, blockSpan),
  namespaceGracePeriodDuration: rule(plugin("namespace"), 24, blockSpan),
  reservedRootNamespaceNames: rule<readonly string[]>(
    plugin("namespace"),
    [
      ...["symbol", "symbl", "xym", "xem", "nem", "user", "account"],
      ...["org", "com", "biz", "net", "edu", "mil", "gov", "info"],
    ],
    list,
  ),
  rootNamespaceRentalFeePerBlock: rule(plugin("namespace"), 2n),
  childNamespaceRentalFee: rule(plugin("namespace"), 100_000n),
  maxAccountRestrictionValues: rule(plugin("restrictionaccount"), 100),
  maxMosaicRestrictionValues: rule(plugin("restrictionmosaic"), 20),
  maxMessageSize: rule(plugin("transfer"), 1024),
  maxHashesPerSyncAttempt: rule("node", 84),
  maxBlocksPerSyncAttempt: rule("node", 42),
  maxChainBytesPerSyncAttempt: rule("node", 100 * MEBIBYTE, fileSize),
  /** How long a node ignores a transaction that was pushed again; 0 = it never does. */
  shortLivedCacheTransactionDuration: rule("node", 10 * MINUTE, timeSpan),
  minFeeMultiplier: rule("node", 10),
  unconfirmedTransactionsCacheMaxResponseSize: rule("node", 5 * MEBIBYTE, fileSize),
  unconfirmedTransactionsCacheMaxSize: rule("node", 20 * MEBIBYTE, fileSize),
  /** No property: nodes have the same limits for both caches. */
  partialTransactionsCacheMaxResponseSize: rule(undefined, 5 * MEBIBYTE),
  partialTransactionsCacheMaxSize: rule(undefined, 20 * MEBIBYTE),
  /** `finalizationThreshold` of `finalizationSize` parts of the voters' weight make a block final. */
  finalizationSize: rule("finalization", 10_000n, undefined, "size"),
  finalizationThreshold: rule("finalization", 6_700n, undefined, "threshold"),
  /** Epoch from which on the former voters of `firstBalances` do not vote. */
  treasuryReissuanceEpoch: rule("finalization", 0),
};

type Widened<Value> = Value extends number ? number : Value extends bigint ? bigint : Value;

/** The values of all rules. */
export type DevnetRules = { readonly [Name in keyof typeof RULES]: Widened<(typeof RULES)[Name]["value"]> };

export const DEFAULT_RULES = Object.fromEntries(
  Object.entries(RULES).map(([name, { value }]) => [name, value]),
) as DevnetRules;

/** When a devnet finalizes automatically. */
export interface FinalizationRules {
  /** Whether blocks are finalized automatically. */
  readonly auto: boolean;
  /** Number of newest blocks that are not finalized. */
  readonly lag: number;
  /** Minimum number of blocks between two rounds. */
  readonly interval: number;
}

export const DEFAULT_FINALIZATION: FinalizationRules = { auto: true, lag: 10, interval: 4 };
