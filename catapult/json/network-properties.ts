import { z } from "zod";
import type { Properties, Section } from "../network/properties.js";
import type { BodyOf } from "../values/scalars.js";

/** Values are strings as in the file, such as `4'000` or `15s`; `true` and `false` are booleans. */
const Value = z.union([z.string(), z.boolean()]).meta({
  id: "PropertyValue",
  description: "As in the file, such as `4'000`, `15s` or `50MB`; true and false are booleans.",
});

/** A section with the properties that all nodes have, by their meanings; newer nodes may have more. */
function section(id: string, properties: Readonly<Record<string, string>>) {
  const shape = Object.entries(properties).map(([name, meaning]) => [name, Value.describe(meaning).optional()]);
  return z
    .object(Object.fromEntries(shape) as Record<string, z.ZodOptional<typeof Value>>)
    .catchall(Value)
    .meta({ id });
}

const NetworkPropertiesDTO = section("NetworkPropertiesDTO", {
  identifier: "Identifier of the network: `mainnet`, `testnet`, or a number.",
  nodeEqualityStrategy: "What makes two nodes the same: `host` or `public-key`.",
  nemesisSignerPublicKey: "Public key of the signer of the first block.",
  generationHashSeed: "Hash that identifies the network; it is part of what is signed.",
  epochAdjustment: "Unix time that timestamps of the chain are counted from.",
});

const ChainPropertiesDTO = section("ChainPropertiesDTO", {
  enableVerifiableState: "Whether headers contain a hash of the state.",
  enableVerifiableReceipts: "Whether headers contain a hash of the receipts.",
  currencyMosaicId: "Mosaic that fees are paid in.",
  harvestingMosaicId: "Mosaic whose balance allows to harvest and to vote.",
  blockGenerationTargetTime: "Intended time between two blocks.",
  blockTimeSmoothingFactor: "How strongly the time of the last block changes the target of the next, in thousandths.",
  blockFinalizationInterval: "Multiple of heights at which votes may finalize.",
  importanceGrouping: "Blocks between two calculations of importances.",
  importanceActivityPercentage: "Percentage of the importance that depends on activity, not on the balance.",
  maxRollbackBlocks: "Maximum number of blocks that a fork may replace; 0 if only finalization bounds it.",
  maxDifficultyBlocks: "Number of blocks that the difficulty is calculated from.",
  defaultDynamicFeeMultiplier: "Fee multiplier of blocks without fees when rental fees are calculated.",
  maxTransactionLifetime: "Maximum time from now to the deadline of a transaction.",
  maxBlockFutureTime: "Maximum time by which a block may be ahead of a node's clock.",
  initialCurrencyAtomicUnits: "Currency in the first block, in atomic units.",
  maxMosaicAtomicUnits: "Maximum supply of a mosaic, in atomic units.",
  totalChainImportance: "Sum of all importances.",
  minHarvesterBalance: "Minimum balance of the harvesting mosaic to harvest, in atomic units.",
  maxHarvesterBalance: "Maximum balance of the harvesting mosaic to harvest, in atomic units.",
  minVoterBalance: "Minimum balance of the harvesting mosaic to vote, in atomic units.",
  votingSetGrouping: "Blocks of a finalization epoch.",
  maxVotingKeysPerAccount: "Maximum number of voting keys that an account may have registered.",
  minVotingKeyLifetime: "Minimum number of epochs of a voting key.",
  maxVotingKeyLifetime: "Maximum number of epochs of a voting key.",
  harvestBeneficiaryPercentage: "Percentage of the harvester's fees that the beneficiary receives.",
  harvestNetworkPercentage: "Percentage of the harvester's fees that the network's account receives.",
  harvestNetworkFeeSinkAddressV1:
    "Account that received the network's share of fees before the treasury's fork height.",
  harvestNetworkFeeSinkAddress: "Account that receives the network's share of fees.",
  blockPruneInterval: "Blocks between two removals of state that no rollback can need.",
  maxTransactionsPerBlock: "Maximum number of transactions of a block, including embedded ones.",
});

const plugins = {
  accountlink: section("AccountKeyLinkNetworkPropertiesDTO", {
    dummy: "Without meaning: the section would be empty otherwise.",
  }).describe("Links of accounts to remote accounts, nodes, VRF keys and voting keys."),
  aggregate: section("AggregateNetworkPropertiesDTO", {
    maxTransactionsPerAggregate: "Maximum number of embedded transactions of an aggregate.",
    maxCosignaturesPerAggregate: "Maximum number of cosignatures of an aggregate.",
    enableStrictCosignatureCheck: "Whether cosignatures that are not needed make an aggregate invalid.",
    enableBondedAggregateSupport: "Whether bonded aggregates are accepted.",
    maxBondedTransactionLifetime: "Maximum time from now to the deadline of a bonded aggregate.",
  }).describe("Aggregate transactions."),
  lockhash: section("HashLockNetworkPropertiesDTO", {
    lockedFundsPerAggregate: "Deposit for a bonded aggregate, in atomic units of the currency.",
    maxHashLockDuration: "Maximum duration of a hash lock.",
  }).describe("Hash locks: deposits for bonded aggregates."),
  locksecret: section("SecretLockNetworkPropertiesDTO", {
    maxSecretLockDuration: "Maximum duration of a secret lock.",
    minProofSize: "Minimum size of a secret's proof, in bytes.",
    maxProofSize: "Maximum size of a secret's proof, in bytes.",
  }).describe("Secret locks."),
  metadata: section("MetadataNetworkPropertiesDTO", {
    maxValueSize: "Maximum size of a metadata value, in bytes.",
  }).describe("Metadata of accounts, mosaics and namespaces."),
  mosaic: section("MosaicNetworkPropertiesDTO", {
    maxMosaicsPerAccount: "Maximum number of mosaics that an account may hold.",
    maxMosaicDuration: "Maximum duration of a mosaic.",
    maxMosaicDivisibility: "Maximum number of decimal places of a mosaic.",
    mosaicRentalFeeSinkAddressV1: "Account that received rental fees of mosaics before the treasury's fork height.",
    mosaicRentalFeeSinkAddress: "Account that receives rental fees of mosaics.",
    mosaicRentalFee: "Rental fee of a mosaic, which is multiplied by the median fee multiplier.",
  }).describe("Mosaics."),
  multisig: section("MultisigNetworkPropertiesDTO", {
    maxMultisigDepth: "Maximum number of levels of multisig accounts.",
    maxCosignatoriesPerAccount: "Maximum number of cosignatories of an account.",
    maxCosignedAccountsPerAccount: "Maximum number of accounts that an account is a cosignatory of.",
  }).describe("Multisig accounts."),
  namespace: section("NamespaceNetworkPropertiesDTO", {
    maxNameSize: "Maximum size of one part of a namespace's name, in bytes.",
    maxChildNamespaces: "Maximum number of children of a root namespace.",
    maxNamespaceDepth: "Maximum number of levels of namespaces.",
    minNamespaceDuration: "Minimum duration of a root namespace.",
    maxNamespaceDuration: "Maximum duration of a root namespace.",
    namespaceGracePeriodDuration: "Time after its end in which only the owner can renew a namespace.",
    reservedRootNamespaceNames: "Names that cannot be registered as root namespaces.",
    namespaceRentalFeeSinkAddressV1:
      "Account that received rental fees of namespaces before the treasury's fork height.",
    namespaceRentalFeeSinkAddress: "Account that receives rental fees of namespaces.",
    rootNamespaceRentalFeePerBlock: "Rental fee of a root namespace for each block, before the median fee multiplier.",
    childNamespaceRentalFee: "Rental fee of a child namespace, before the median fee multiplier.",
  }).describe("Namespaces."),
  restrictionaccount: section("AccountRestrictionNetworkPropertiesDTO", {
    maxAccountRestrictionValues: "Maximum number of values of one restriction of an account.",
  }).describe("Restrictions that accounts set for themselves."),
  restrictionmosaic: section("MosaicRestrictionNetworkPropertiesDTO", {
    maxMosaicRestrictionValues: "Maximum number of restrictions of one mosaic.",
  }).describe("Restrictions that the creators of mosaics set."),
  transfer: section("TransferNetworkPropertiesDTO", {
    maxMessageSize: "Maximum size of a message, in bytes.",
  }).describe("Transfers."),
};

const ForkHeightsDTO = section("ForkHeightsDTO", {
  totalVotingBalanceCalculationFix:
    "From this height on, only keys that may vote in the epoch of an importance block count.",
  treasuryReissuance: "Height at which the treasury is reissued.",
  strictAggregateTransactionHash: "From this height on, aggregates have version 2.",
  skipSecretLockUniquenessChecks:
    "Heights at which a secret lock may be created although one with its secret and recipient exists.",
  skipSecretLockExpirations: "Heights at which secret locks end without being paid back.",
  forceSecretLockExpirations: "Heights at which secret locks are paid back although they end later.",
  uniqueAggregateTransactionHash: "From this height on, aggregates have version 3.",
});

const OtherSection = z
  .record(z.string(), Value)
  .meta({ id: "OtherPropertiesDTO", description: "A section that only newer nodes have." });

export const NetworkConfigurationDTO = z
  .looseObject({
    network: NetworkPropertiesDTO.describe("Section `network`: what identifies the network."),
    chain: ChainPropertiesDTO.describe("Section `chain`: rules of blocks, harvesting, voting and fees."),
    plugins: z
      .object(plugins)
      .partial()
      .catchall(OtherSection)
      .meta({ id: "PluginsPropertiesDTO" })
      .describe("Sections `plugin:…`: rules of transaction types, by plugin."),
    forkHeights: ForkHeightsDTO.describe("Section `fork_heights`: heights from which changed rules apply."),
    treasuryReissuanceTransactionSignatures: z
      .array(z.string())
      .describe("Signatures of the transactions that reissue the treasury at its fork height.")
      .optional(),
    corruptAggregateTransactionHashes: z
      .array(z.string())
      .describe("Aggregates with a wrong transactions hash that the network has accepted.")
      .optional(),
  })
  .meta({
    id: "NetworkConfigurationDTO",
    description: "The network's config-network.properties; newer nodes may have more sections.",
  });

/** The REST body of the network's configuration. */
export type NetworkConfigurationBody = BodyOf<typeof NetworkConfigurationDTO>;

const PLUGIN_PREFIX = "plugin:catapult.plugins.";
const REISSUANCE = "treasury_reissuance_transaction_signatures";
const CORRUPT_HASHES = "corrupt_aggregate_transaction_hashes";
const KNOWN_TITLES = new Set(["network", "chain", "fork_heights", REISSUANCE, CORRUPT_HASHES]);

/**
 * The REST body of a node's `config-network.properties` (`NetworkConfigurationDTO`): texts as in the file. Properties
 * and sections that only newer nodes have are passed through: properties under their names, sections under theirs in
 * camel case.
 */
export function renderNetworkProperties(properties: Properties): string {
  const plugins = properties
    .titles()
    .filter((title) => title.startsWith(PLUGIN_PREFIX))
    .map((title) => [title.slice(PLUGIN_PREFIX.length), readValues(properties.section(title))] as const);
  const others = properties
    .titles()
    .filter((title) => !title.startsWith(PLUGIN_PREFIX) && !KNOWN_TITLES.has(title))
    .map((title) => [camelCase(title), readValues(properties.section(title))] as const);
  const reissuance = properties.find(REISSUANCE);
  const corruptHashes = properties.find(CORRUPT_HASHES);
  const body: NetworkConfigurationBody = {
    network: readValues(properties.section("network")),
    chain: readValues(properties.section("chain")),
    plugins: Object.fromEntries(plugins),
    forkHeights: readValues(properties.find("fork_heights")),
    ...(reissuance && { treasuryReissuanceTransactionSignatures: readSignatures(reissuance) }),
    ...(corruptHashes && { corruptAggregateTransactionHashes: readPairs(corruptHashes) }),
    ...Object.fromEntries(others),
  };
  return JSON.stringify(body);
}

function camelCase(title: string): string {
  return title.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Texts, except that true and false are booleans. */
function readValues(section: Section | undefined): Record<string, string | boolean> {
  const names = section?.names() ?? [];
  return Object.fromEntries(names.map((name) => [name, toValue(section?.text(name) ?? "")]));
}

function toValue(text: string): string | boolean {
  return text === "true" || text === "false" ? text === "true" : text;
}

/** The names of the enabled ones. */
function readSignatures(section: Section): string[] {
  return section
    .names()
    .filter((name) => section.text(name) === "true")
    .sort();
}

function readPairs(section: Section): string[] {
  return section
    .names()
    .map((name) => `${name} = ${section.text(name)}`)
    .sort();
}
