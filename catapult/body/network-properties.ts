import { z } from "zod";
import type { BodyOf } from "../values/scalars.js";

/** Values are strings as in the file, such as `4'000` or `15s`; `true` and `false` are booleans. */
const Value = z.union([z.string(), z.boolean()]).meta({
  id: "PropertyValue",
  description: "As in the file, such as `4'000`, `15s` or `50MB`; true and false are booleans.",
});

/** A section with the properties that all nodes have; newer nodes may have more. */
function section(id: string, ...names: readonly string[]) {
  return z
    .object(Object.fromEntries(names.map((name) => [name, Value.optional()])))
    .catchall(Value)
    .meta({ id });
}

const NetworkPropertiesDTO = section(
  "NetworkPropertiesDTO",
  "identifier",
  "nodeEqualityStrategy",
  "nemesisSignerPublicKey",
  "generationHashSeed",
  "epochAdjustment",
);

const ChainPropertiesDTO = section(
  "ChainPropertiesDTO",
  "enableVerifiableState",
  "enableVerifiableReceipts",
  "currencyMosaicId",
  "harvestingMosaicId",
  "blockGenerationTargetTime",
  "blockTimeSmoothingFactor",
  "blockFinalizationInterval",
  "importanceGrouping",
  "importanceActivityPercentage",
  "maxRollbackBlocks",
  "maxDifficultyBlocks",
  "defaultDynamicFeeMultiplier",
  "maxTransactionLifetime",
  "maxBlockFutureTime",
  "initialCurrencyAtomicUnits",
  "maxMosaicAtomicUnits",
  "totalChainImportance",
  "minHarvesterBalance",
  "maxHarvesterBalance",
  "minVoterBalance",
  "votingSetGrouping",
  "maxVotingKeysPerAccount",
  "minVotingKeyLifetime",
  "maxVotingKeyLifetime",
  "harvestBeneficiaryPercentage",
  "harvestNetworkPercentage",
  "harvestNetworkFeeSinkAddressV1",
  "harvestNetworkFeeSinkAddress",
  "blockPruneInterval",
  "maxTransactionsPerBlock",
);

const plugins = {
  accountlink: section("AccountKeyLinkNetworkPropertiesDTO", "dummy"),
  aggregate: section(
    "AggregateNetworkPropertiesDTO",
    "maxTransactionsPerAggregate",
    "maxCosignaturesPerAggregate",
    "enableStrictCosignatureCheck",
    "enableBondedAggregateSupport",
    "maxBondedTransactionLifetime",
  ),
  lockhash: section("HashLockNetworkPropertiesDTO", "lockedFundsPerAggregate", "maxHashLockDuration"),
  locksecret: section("SecretLockNetworkPropertiesDTO", "maxSecretLockDuration", "minProofSize", "maxProofSize"),
  metadata: section("MetadataNetworkPropertiesDTO", "maxValueSize"),
  mosaic: section(
    "MosaicNetworkPropertiesDTO",
    "maxMosaicsPerAccount",
    "maxMosaicDuration",
    "maxMosaicDivisibility",
    "mosaicRentalFeeSinkAddressV1",
    "mosaicRentalFeeSinkAddress",
    "mosaicRentalFee",
  ),
  multisig: section(
    "MultisigNetworkPropertiesDTO",
    "maxMultisigDepth",
    "maxCosignatoriesPerAccount",
    "maxCosignedAccountsPerAccount",
  ),
  namespace: section(
    "NamespaceNetworkPropertiesDTO",
    "maxNameSize",
    "maxChildNamespaces",
    "maxNamespaceDepth",
    "minNamespaceDuration",
    "maxNamespaceDuration",
    "namespaceGracePeriodDuration",
    "reservedRootNamespaceNames",
    "namespaceRentalFeeSinkAddressV1",
    "namespaceRentalFeeSinkAddress",
    "rootNamespaceRentalFeePerBlock",
    "childNamespaceRentalFee",
  ),
  restrictionaccount: section("AccountRestrictionNetworkPropertiesDTO", "maxAccountRestrictionValues"),
  restrictionmosaic: section("MosaicRestrictionNetworkPropertiesDTO", "maxMosaicRestrictionValues"),
  transfer: section("TransferNetworkPropertiesDTO", "maxMessageSize"),
};

const ForkHeightsDTO = section(
  "ForkHeightsDTO",
  "totalVotingBalanceCalculationFix",
  "treasuryReissuance",
  "strictAggregateTransactionHash",
  "skipSecretLockUniquenessChecks",
  "skipSecretLockExpirations",
  "forceSecretLockExpirations",
  "uniqueAggregateTransactionHash",
);

const OtherSection = z
  .record(z.string(), Value)
  .meta({ id: "OtherPropertiesDTO", description: "A section that only newer nodes have." });

export const NetworkConfigurationDTO = z
  .looseObject({
    network: NetworkPropertiesDTO,
    chain: ChainPropertiesDTO,
    plugins: z.object(plugins).partial().catchall(OtherSection).meta({ id: "PluginsPropertiesDTO" }),
    forkHeights: ForkHeightsDTO,
    treasuryReissuanceTransactionSignatures: z.array(z.string()).optional(),
    corruptAggregateTransactionHashes: z.array(z.string()).optional(),
  })
  .meta({
    id: "NetworkConfigurationDTO",
    description: "The network's config-network.properties; newer nodes may have more sections.",
  });

/** The REST body of the network's configuration. */
export type NetworkConfigurationBody = BodyOf<typeof NetworkConfigurationDTO>;
