/**
 * Rules of a devnet's network, and the limits of its node. The names are those of catapult's `config-network` and
 * `config-node` properties. Amounts are atomic units, times milliseconds.
 */
export interface DevnetRules {
  /** Network byte of addresses: 152 is that of the public test network. */
  readonly networkIdentifier: number;
  /** Unix seconds at which the network's timestamps begin. */
  readonly epochAdjustment: number;
  readonly blockGenerationTargetTime: number;
  readonly maxDifficultyBlocks: number;
  readonly importanceGrouping: number;
  readonly votingSetGrouping: number;
  readonly maxTransactionLifetime: number;
  readonly maxTransactionsPerBlock: number;
  readonly initialCurrencyAtomicUnits: bigint;
  /** Currency made by each block. */
  readonly inflation: bigint;
  readonly harvestBeneficiaryPercentage: bigint;
  readonly harvestNetworkPercentage: bigint;
  readonly minHarvesterBalance: bigint;
  readonly maxHarvesterBalance: bigint;
  readonly minVoterBalance: bigint;
  readonly maxVotingKeyLifetime: number;
  readonly maxTransactionsPerAggregate: number;
  readonly maxCosignaturesPerAggregate: number;
  readonly maxMessageSize: number;
  readonly minFeeMultiplier: number;
  readonly maxHashesPerSyncAttempt: number;
  readonly maxBlocksPerSyncAttempt: number;
  readonly maxChainBytesPerSyncAttempt: number;
  readonly unconfirmedTransactionsCacheMaxResponseSize: number;
  readonly unconfirmedTransactionsCacheMaxSize: number;
}

/** When a devnet finalizes by itself. */
export interface FinalizationRules {
  /** Whether blocks are finalized without being asked. */
  readonly auto: boolean;
  /** Blocks at the head that stay open. */
  readonly lag: number;
  /** Blocks between two rounds at least. */
  readonly interval: number;
}

export const DEFAULT_RULES: DevnetRules = {
  networkIdentifier: 152,
  epochAdjustment: 1573430400,
  blockGenerationTargetTime: 5000,
  maxDifficultyBlocks: 60,
  importanceGrouping: 20,
  votingSetGrouping: 40,
  maxTransactionLifetime: 6 * 60 * 60 * 1000,
  maxTransactionsPerBlock: 6000,
  initialCurrencyAtomicUnits: 7_842_928_625_000_000n,
  inflation: 100_000_000n,
  harvestBeneficiaryPercentage: 10n,
  harvestNetworkPercentage: 5n,
  minHarvesterBalance: 10_000_000_000n,
  maxHarvesterBalance: 4_000_000_000_000_000n,
  minVoterBalance: 3_000_000_000_000n,
  maxVotingKeyLifetime: 26280,
  maxTransactionsPerAggregate: 100,
  maxCosignaturesPerAggregate: 25,
  maxMessageSize: 1024,
  minFeeMultiplier: 10,
  maxHashesPerSyncAttempt: 84,
  maxBlocksPerSyncAttempt: 42,
  maxChainBytesPerSyncAttempt: 100 * 1024 * 1024,
  unconfirmedTransactionsCacheMaxResponseSize: 5 * 1024 * 1024,
  unconfirmedTransactionsCacheMaxSize: 20 * 1024 * 1024,
};

export const DEFAULT_FINALIZATION: FinalizationRules = { auto: true, lag: 10, interval: 4 };
