import type { DevnetRules } from "./settings.js";

/** Atomic units of the currency. */
const XYM = 1_000_000n;

/**
 * The rules of the public main network in miniature: its totals, limits and shares, and all its fork heights in their
 * order, within the first 120 blocks. An epoch of finalization is 24 blocks: 73 to 96 are epoch 5, that of the treasury
 * reissuance, which has no transactions here. Namespaces and voting keys last as long as with the default rules.
 */
export const MAIN_NETWORK_RULES = {
  importanceGrouping: 12,
  votingSetGrouping: 24,
  firstBalances: { harvester: 20_000_000n * XYM, user: 20_000_000n * XYM, formerVoter: 4_000_000n * XYM },
  harvestBeneficiaryPercentage: 25n,
  minHarvesterBalance: 10_000n * XYM,
  maxHarvesterBalance: 50_000_000n * XYM,
  minVoterBalance: 3_000_000n * XYM,
  minVotingKeyLifetime: 112,
  totalVotingBalanceCalculationFix: 40,
  treasuryReissuance: 73,
  treasuryReissuanceEpoch: 5,
  strictAggregateTransactionHash: 80,
  skipSecretLockUniquenessChecks: [88],
  forceSecretLockExpirations: [96, 100],
  skipSecretLockExpirations: [104, 106],
  uniqueAggregateTransactionHash: 112,
  strictVrfPublicKeyCheck: 120,
} as const satisfies Partial<DevnetRules>;
