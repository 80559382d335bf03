/**
 * Rules of a devnet's network, and the limits of its node. The names are those of catapult's `config-network` and
 * `config-node` properties, but durations of mosaics, namespaces and locks are numbers of blocks here, so that a
 * chain stays valid when its block interval is changed. Amounts are atomic units, times milliseconds.
 */
export interface DevnetRules {
  /** Network byte of addresses: 152 is that of the public test network. */
  readonly networkIdentifier: number;
  /** Unix seconds at which the network's timestamps begin. */
  readonly epochAdjustment: number;
  readonly blockGenerationTargetTime: number;
  readonly maxDifficultyBlocks: number;
  readonly importanceGrouping: number;
  readonly importanceActivityPercentage: number;
  readonly defaultDynamicFeeMultiplier: number;
  readonly votingSetGrouping: number;
  readonly maxTransactionLifetime: number;
  readonly maxTransactionsPerBlock: number;
  readonly initialCurrencyAtomicUnits: bigint;
  readonly totalChainImportance: bigint;
  readonly maxMosaicAtomicUnits: bigint;
  /** Who owns the currency at first; undefined: the harvester has half of it, the users share the rest. */
  readonly firstBalances: FirstBalances | undefined;
  /** Currency created by each block. */
  readonly inflation: bigint;
  readonly harvestBeneficiaryPercentage: bigint;
  readonly harvestNetworkPercentage: bigint;
  readonly minHarvesterBalance: bigint;
  readonly maxHarvesterBalance: bigint;
  readonly minVoterBalance: bigint;
  readonly maxVotingKeysPerAccount: number;
  /** Epochs. */
  readonly minVotingKeyLifetime: number;
  readonly maxVotingKeyLifetime: number;
  /** `finalizationThreshold` of `finalizationSize` parts of the voters' weight make a block final. */
  readonly finalizationSize: bigint;
  readonly finalizationThreshold: bigint;
  /** Epoch from which on the former voters of `firstBalances` do not vote. */
  readonly treasuryReissuanceEpoch: number;
  /** Height from which on the footers of importance blocks count voting keys of their epoch only. */
  readonly totalVotingBalanceCalculationFix: number;
  /** Height from which on fees go to other accounts; 0 = they always go to the same. */
  readonly treasuryReissuance: number;
  /** Heights of exceptions for secret locks: see `ForkHeights` of the state engine. */
  readonly skipSecretLockUniquenessChecks: readonly number[];
  readonly skipSecretLockExpirations: readonly number[];
  readonly forceSecretLockExpirations: readonly number[];
  /** Height from which on aggregates have version 2; below it they have version 1. */
  readonly strictAggregateTransactionHash: number;
  /** Height from which on aggregates have version 3; undefined for a node that does not know that version. */
  readonly uniqueAggregateTransactionHash: number | undefined;
  /** Height from which on VRF keys must be points of the curve; undefined for a node that does not check them. */
  readonly strictVrfPublicKeyCheck: number | undefined;
  readonly maxTransactionsPerAggregate: number;
  readonly maxCosignaturesPerAggregate: number;
  readonly maxBondedTransactionLifetime: number;
  readonly lockedFundsPerAggregate: bigint;
  readonly maxHashLockDuration: number;
  readonly maxSecretLockDuration: number;
  /** Bytes. */
  readonly minProofSize: number;
  readonly maxProofSize: number;
  readonly maxMetadataValueSize: number;
  readonly maxMosaicsPerAccount: number;
  readonly maxMosaicDuration: number;
  readonly maxMosaicDivisibility: number;
  /** Rental fees are multiplied by the network's dynamic fee multiplier. */
  readonly mosaicRentalFee: bigint;
  readonly maxMultisigDepth: number;
  readonly maxCosignatoriesPerAccount: number;
  readonly maxCosignedAccountsPerAccount: number;
  readonly maxNameSize: number;
  readonly maxChildNamespaces: number;
  readonly maxNamespaceDepth: number;
  readonly minNamespaceDuration: number;
  readonly maxNamespaceDuration: number;
  readonly namespaceGracePeriodDuration: number;
  readonly reservedRootNamespaceNames: readonly string[];
  readonly rootNamespaceRentalFeePerBlock: bigint;
  readonly childNamespaceRentalFee: bigint;
  readonly maxAccountRestrictionValues: number;
  readonly maxMosaicRestrictionValues: number;
  readonly maxMessageSize: number;
  readonly minFeeMultiplier: number;
  /** How long a node ignores a transaction that was pushed again; 0 = it never does. */
  readonly shortLivedCacheTransactionDuration: number;
  readonly maxHashesPerSyncAttempt: number;
  readonly maxBlocksPerSyncAttempt: number;
  readonly maxChainBytesPerSyncAttempt: number;
  readonly unconfirmedTransactionsCacheMaxResponseSize: number;
  readonly unconfirmedTransactionsCacheMaxSize: number;
  readonly partialTransactionsCacheMaxResponseSize: number;
  readonly partialTransactionsCacheMaxSize: number;
}

/** First balances, in atomic units of the currency. What is left of it belongs to the reserve. */
export interface FirstBalances {
  readonly harvester: bigint;
  readonly user: bigint;
  /** Of each account with a voting key that loses its vote in the epoch of the treasury reissuance. */
  readonly formerVoter: bigint;
}

/** When a devnet finalizes automatically. */
export interface FinalizationRules {
  /** Whether blocks are finalized automatically. */
  readonly auto: boolean;
  /** Number of newest blocks that are not finalized. */
  readonly lag: number;
  /** Minimum number of blocks between two rounds. */
  readonly interval: number;
}

const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;
const MEBIBYTE = 1024 * 1024;
/** At 5 s per block. */
const BLOCKS_PER_DAY = 17_280;

/** The parameters of the public network, except those that would take too long to observe on a development machine. */
export const DEFAULT_RULES: DevnetRules = {
  networkIdentifier: 152,
  epochAdjustment: 1573430400,
  blockGenerationTargetTime: 5000,
  maxDifficultyBlocks: 60,
  importanceGrouping: 20,
  importanceActivityPercentage: 5,
  defaultDynamicFeeMultiplier: 100,
  votingSetGrouping: 40,
  maxTransactionLifetime: 6 * HOUR,
  maxTransactionsPerBlock: 6000,
  initialCurrencyAtomicUnits: 7_842_928_625_000_000n,
  totalChainImportance: 7_842_928_625_000_000n,
  maxMosaicAtomicUnits: 8_999_999_999_000_000n,
  firstBalances: undefined,
  inflation: 100_000_000n,
  harvestBeneficiaryPercentage: 10n,
  harvestNetworkPercentage: 5n,
  minHarvesterBalance: 10_000_000_000n,
  maxHarvesterBalance: 4_000_000_000_000_000n,
  minVoterBalance: 3_000_000_000_000n,
  maxVotingKeysPerAccount: 3,
  minVotingKeyLifetime: 72,
  maxVotingKeyLifetime: 26280,
  finalizationSize: 10_000n,
  finalizationThreshold: 6_700n,
  treasuryReissuanceEpoch: 0,
  totalVotingBalanceCalculationFix: 0,
  treasuryReissuance: 0,
  skipSecretLockUniquenessChecks: [],
  skipSecretLockExpirations: [],
  forceSecretLockExpirations: [],
  strictAggregateTransactionHash: 0,
  uniqueAggregateTransactionHash: 0,
  strictVrfPublicKeyCheck: 0,
  maxTransactionsPerAggregate: 100,
  maxCosignaturesPerAggregate: 25,
  maxBondedTransactionLifetime: 48 * HOUR,
  lockedFundsPerAggregate: 10_000_000n,
  maxHashLockDuration: 2 * BLOCKS_PER_DAY,
  maxSecretLockDuration: 365 * BLOCKS_PER_DAY,
  minProofSize: 0,
  maxProofSize: 1024,
  maxMetadataValueSize: 1024,
  maxMosaicsPerAccount: 1000,
  maxMosaicDuration: 3650 * BLOCKS_PER_DAY,
  maxMosaicDivisibility: 6,
  mosaicRentalFee: 500_000n,
  maxMultisigDepth: 3,
  maxCosignatoriesPerAccount: 25,
  maxCosignedAccountsPerAccount: 25,
  maxNameSize: 64,
  maxChildNamespaces: 100,
  maxNamespaceDepth: 3,
  minNamespaceDuration: 12,
  maxNamespaceDuration: 1825 * BLOCKS_PER_DAY,
  namespaceGracePeriodDuration: 24,
  reservedRootNamespaceNames: [
    ...["symbol", "symbl", "xym", "xem", "nem", "user", "account"],
    ...["org", "com", "biz", "net", "edu", "mil", "gov", "info"],
  ],
  rootNamespaceRentalFeePerBlock: 2n,
  childNamespaceRentalFee: 100_000n,
  maxAccountRestrictionValues: 100,
  maxMosaicRestrictionValues: 20,
  maxMessageSize: 1024,
  minFeeMultiplier: 10,
  shortLivedCacheTransactionDuration: 10 * MINUTE,
  maxHashesPerSyncAttempt: 84,
  maxBlocksPerSyncAttempt: 42,
  maxChainBytesPerSyncAttempt: 100 * MEBIBYTE,
  unconfirmedTransactionsCacheMaxResponseSize: 5 * MEBIBYTE,
  unconfirmedTransactionsCacheMaxSize: 20 * MEBIBYTE,
  partialTransactionsCacheMaxResponseSize: 5 * MEBIBYTE,
  partialTransactionsCacheMaxSize: 20 * MEBIBYTE,
};

export const DEFAULT_FINALIZATION: FinalizationRules = { auto: true, lag: 10, interval: 4 };
