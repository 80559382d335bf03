import type { SectionTexts } from "./properties.js";

/** The differences between the configurations of the public networks: values as in `config-network.properties`. */
export interface PublicNetworkFacts {
  readonly identifier: string;
  readonly nemesisSignerPublicKey: string;
  readonly generationHashSeed: string;
  readonly epochAdjustment: string;
  readonly currencyMosaicId: string;
  readonly harvestingMosaicId: string;
  readonly importanceGrouping: string;
  readonly votingSetGrouping: string;
  readonly minVotingKeyLifetime: string;
  readonly maxVotingKeyLifetime: string;
  readonly harvestNetworkFeeSinkAddressV1: string;
  readonly harvestNetworkFeeSinkAddress: string;
  readonly mosaicRentalFeeSinkAddressV1: string;
  readonly mosaicRentalFeeSinkAddress: string;
  readonly namespaceGracePeriodDuration: string;
  readonly namespaceRentalFeeSinkAddressV1: string;
  readonly namespaceRentalFeeSinkAddress: string;
  readonly forkHeights: Readonly<Record<string, string>>;
  /** Signatures (hex) of the nemesis account's transactions at the treasury reissuance. */
  readonly treasuryReissuanceSignatures?: readonly string[];
  /** From which epoch on some accounts (base32 addresses) do not vote for finalization. */
  readonly ineligibleVoters?: { readonly fromEpoch: string; readonly addresses: readonly string[] };
  /** Root (hex) of the tree of the first block's transactions, if the block's header has another hash. */
  readonly nemesisTransactionsRoot?: string;
  /** The hash in the header by the aggregate's hash, if it does not match its embedded transactions; both hex. */
  readonly corruptAggregateHashes?: Readonly<Record<string, string>>;
}

/** Sections and properties of a public network's `config-network.properties`, in the order of the file. */
export function publicConfiguration(facts: PublicNetworkFacts): SectionTexts {
  const { treasuryReissuanceSignatures: signatures, corruptAggregateHashes: corruptHashes } = facts;
  return {
    network: {
      identifier: facts.identifier,
      nemesisSignerPublicKey: facts.nemesisSignerPublicKey,
      nodeEqualityStrategy: "host",
      generationHashSeed: facts.generationHashSeed,
      epochAdjustment: facts.epochAdjustment,
    },
    chain: {
      enableVerifiableState: "true",
      enableVerifiableReceipts: "true",
      currencyMosaicId: facts.currencyMosaicId,
      harvestingMosaicId: facts.harvestingMosaicId,
      blockGenerationTargetTime: "30s",
      blockTimeSmoothingFactor: "3000",
      importanceGrouping: facts.importanceGrouping,
      importanceActivityPercentage: "5",
      maxRollbackBlocks: "0",
      maxDifficultyBlocks: "60",
      defaultDynamicFeeMultiplier: "100",
      maxTransactionLifetime: "6h",
      maxBlockFutureTime: "300ms",
      initialCurrencyAtomicUnits: "7'842'928'625'000'000",
      maxMosaicAtomicUnits: "8'999'999'999'000'000",
      totalChainImportance: "7'842'928'625'000'000",
      minHarvesterBalance: "10'000'000'000",
      maxHarvesterBalance: "50'000'000'000'000",
      minVoterBalance: "3'000'000'000'000",
      votingSetGrouping: facts.votingSetGrouping,
      maxVotingKeysPerAccount: "3",
      minVotingKeyLifetime: facts.minVotingKeyLifetime,
      maxVotingKeyLifetime: facts.maxVotingKeyLifetime,
      harvestBeneficiaryPercentage: "25",
      harvestNetworkPercentage: "5",
      harvestNetworkFeeSinkAddressV1: facts.harvestNetworkFeeSinkAddressV1,
      harvestNetworkFeeSinkAddress: facts.harvestNetworkFeeSinkAddress,
      maxTransactionsPerBlock: "6'000",
    },
    "plugin:catapult.plugins.accountlink": {
      dummy: "to trigger plugin load",
    },
    "plugin:catapult.plugins.aggregate": {
      maxTransactionsPerAggregate: "100",
      maxCosignaturesPerAggregate: "25",
      enableStrictCosignatureCheck: "false",
      enableBondedAggregateSupport: "true",
      maxBondedTransactionLifetime: "48h",
    },
    "plugin:catapult.plugins.lockhash": {
      lockedFundsPerAggregate: "10'000'000",
      maxHashLockDuration: "2d",
    },
    "plugin:catapult.plugins.locksecret": {
      maxSecretLockDuration: "365d",
      minProofSize: "0",
      maxProofSize: "1024",
    },
    "plugin:catapult.plugins.metadata": {
      maxValueSize: "1024",
    },
    "plugin:catapult.plugins.mosaic": {
      maxMosaicsPerAccount: "1'000",
      maxMosaicDuration: "3650d",
      maxMosaicDivisibility: "6",
      mosaicRentalFeeSinkAddressV1: facts.mosaicRentalFeeSinkAddressV1,
      mosaicRentalFeeSinkAddress: facts.mosaicRentalFeeSinkAddress,
      mosaicRentalFee: "500000",
    },
    "plugin:catapult.plugins.multisig": {
      maxMultisigDepth: "3",
      maxCosignatoriesPerAccount: "25",
      maxCosignedAccountsPerAccount: "25",
    },
    "plugin:catapult.plugins.namespace": {
      maxNameSize: "64",
      maxChildNamespaces: "100",
      maxNamespaceDepth: "3",
      minNamespaceDuration: "30d",
      maxNamespaceDuration: "1825d",
      namespaceGracePeriodDuration: facts.namespaceGracePeriodDuration,
      reservedRootNamespaceNames:
        "symbol, symbl, xym, xem, nem, user, account, org, com, biz, net, edu, mil, gov, info",
      namespaceRentalFeeSinkAddressV1: facts.namespaceRentalFeeSinkAddressV1,
      namespaceRentalFeeSinkAddress: facts.namespaceRentalFeeSinkAddress,
      rootNamespaceRentalFeePerBlock: "2",
      childNamespaceRentalFee: "100000",
    },
    "plugin:catapult.plugins.restrictionaccount": {
      maxAccountRestrictionValues: "100",
    },
    "plugin:catapult.plugins.restrictionmosaic": {
      maxMosaicRestrictionValues: "20",
    },
    "plugin:catapult.plugins.transfer": {
      maxMessageSize: "1024",
    },
    fork_heights: facts.forkHeights,
    ...(signatures && {
      treasury_reissuance_transaction_signatures: Object.fromEntries(signatures.map((one) => [one, "true"])),
    }),
    ...(corruptHashes && { corrupt_aggregate_transaction_hashes: corruptHashes }),
  };
}

/**
 * Sections and properties of a public network's `config-finalization.properties`, as far as all nodes have the same.
 * Source: the presets of the npm package `symbol-bootstrap` 1.1.10.
 */
export function publicFinalization({ ineligibleVoters: voters }: PublicNetworkFacts): SectionTexts {
  return {
    finalization: { size: "10'000", threshold: "6'700", treasuryReissuanceEpoch: voters?.fromEpoch ?? "0" },
    ...(voters && {
      treasury_reissuance_epoch_ineligible_voter_addresses: Object.fromEntries(
        voters.addresses.map((address) => [address, "true"]),
      ),
    }),
  };
}
