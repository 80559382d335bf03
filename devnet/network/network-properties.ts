import { encodeAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import type { FeeSinks } from "./keys.js";
import type { DevnetRules } from "./settings.js";

/** The content of a network's properties besides its rules. Keys are 32 bytes, addresses 24. */
export interface NetworkParties {
  readonly nemesisPublicKey: Buffer;
  readonly generationHashSeed: Buffer;
  readonly currencyMosaicId: bigint;
  readonly sinks: SinkAddresses;
  /** Before the treasury reissuance. */
  readonly formerSinks: SinkAddresses;
}

/** Addresses of the accounts that receive fees, 24 bytes each. */
export type SinkAddresses = Readonly<Record<keyof FeeSinks, Buffer>>;

type Value = string | number | bigint | boolean | readonly number[];
type Sections = Readonly<Record<string, Readonly<Record<string, Value>>>>;

const NETWORK_NAMES: ReadonlyMap<number, string> = new Map([
  [0x68, "mainnet"],
  [0x98, "testnet"],
  [0x78, "private"],
  [0xa8, "private-test"],
]);

const TIME_UNITS = [
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const;

/** Height at which the inflation ends: further than a development chain gets, and below the maximum supply. */
const INFLATION_END = 10_000_000;

/**
 * The text of a node's `config-network.properties`. Throws a RangeError for a network identifier without a name.
 */
export function networkProperties(rules: DevnetRules, parties: NetworkParties): string {
  const plugin = (name: string) => `plugin:catapult.plugins.${name}`;
  return propertiesText({
    network: {
      identifier: networkName(rules.networkIdentifier),
      nodeEqualityStrategy: "public-key",
      nemesisSignerPublicKey: hex(parties.nemesisPublicKey),
      generationHashSeed: hex(parties.generationHashSeed),
      epochAdjustment: `${rules.epochAdjustment}s`,
    },
    chain: chainSection(rules, parties),
    // Not read by nodes: blocks are created on demand, not when their generation hash hits.
    devnet: { isHitVerified: false },
    fork_heights: {
      totalVotingBalanceCalculationFix: rules.totalVotingBalanceCalculationFix,
      treasuryReissuance: rules.treasuryReissuance,
      strictAggregateTransactionHash: rules.strictAggregateTransactionHash,
      skipSecretLockUniquenessChecks: rules.skipSecretLockUniquenessChecks,
      skipSecretLockExpirations: rules.skipSecretLockExpirations,
      forceSecretLockExpirations: rules.forceSecretLockExpirations,
      ...optional("uniqueAggregateTransactionHash", rules.uniqueAggregateTransactionHash),
      ...optional("strictVrfPublicKeyCheck", rules.strictVrfPublicKeyCheck),
    },
    [plugin("accountlink")]: { dummy: "to trigger plugin load" },
    [plugin("aggregate")]: {
      maxTransactionsPerAggregate: rules.maxTransactionsPerAggregate,
      maxCosignaturesPerAggregate: rules.maxCosignaturesPerAggregate,
      enableStrictCosignatureCheck: false,
      enableBondedAggregateSupport: true,
      maxBondedTransactionLifetime: timeSpan(rules.maxBondedTransactionLifetime),
    },
    [plugin("lockhash")]: {
      lockedFundsPerAggregate: rules.lockedFundsPerAggregate,
      maxHashLockDuration: blockSpan(rules.maxHashLockDuration, rules),
    },
    [plugin("locksecret")]: {
      maxSecretLockDuration: blockSpan(rules.maxSecretLockDuration, rules),
      minProofSize: rules.minProofSize,
      maxProofSize: rules.maxProofSize,
    },
    [plugin("metadata")]: { maxValueSize: rules.maxMetadataValueSize },
    [plugin("mosaic")]: {
      maxMosaicsPerAccount: rules.maxMosaicsPerAccount,
      maxMosaicDuration: blockSpan(rules.maxMosaicDuration, rules),
      maxMosaicDivisibility: rules.maxMosaicDivisibility,
      ...sink("mosaicRentalFeeSinkAddress", "mosaic", parties),
      mosaicRentalFee: rules.mosaicRentalFee,
    },
    [plugin("multisig")]: {
      maxMultisigDepth: rules.maxMultisigDepth,
      maxCosignatoriesPerAccount: rules.maxCosignatoriesPerAccount,
      maxCosignedAccountsPerAccount: rules.maxCosignedAccountsPerAccount,
    },
    [plugin("namespace")]: {
      maxNameSize: rules.maxNameSize,
      maxChildNamespaces: rules.maxChildNamespaces,
      maxNamespaceDepth: rules.maxNamespaceDepth,
      minNamespaceDuration: blockSpan(rules.minNamespaceDuration, rules),
      maxNamespaceDuration: blockSpan(rules.maxNamespaceDuration, rules),
      namespaceGracePeriodDuration: blockSpan(rules.namespaceGracePeriodDuration, rules),
      reservedRootNamespaceNames: rules.reservedRootNamespaceNames.join(", "),
      ...sink("namespaceRentalFeeSinkAddress", "namespace", parties),
      rootNamespaceRentalFeePerBlock: rules.rootNamespaceRentalFeePerBlock,
      childNamespaceRentalFee: rules.childNamespaceRentalFee,
    },
    [plugin("restrictionaccount")]: { maxAccountRestrictionValues: rules.maxAccountRestrictionValues },
    [plugin("restrictionmosaic")]: { maxMosaicRestrictionValues: rules.maxMosaicRestrictionValues },
    [plugin("transfer")]: { maxMessageSize: rules.maxMessageSize },
  });
}

function chainSection(rules: DevnetRules, parties: NetworkParties) {
  const { currencyMosaicId } = parties;
  return {
    enableVerifiableState: true,
    enableVerifiableReceipts: true,
    currencyMosaicId: idText(currencyMosaicId),
    harvestingMosaicId: idText(currencyMosaicId),
    blockGenerationTargetTime: timeSpan(rules.blockGenerationTargetTime),
    blockTimeSmoothingFactor: 3000,
    importanceGrouping: rules.importanceGrouping,
    importanceActivityPercentage: rules.importanceActivityPercentage,
    maxRollbackBlocks: 0,
    maxDifficultyBlocks: rules.maxDifficultyBlocks,
    defaultDynamicFeeMultiplier: rules.defaultDynamicFeeMultiplier,
    maxTransactionLifetime: timeSpan(rules.maxTransactionLifetime),
    maxBlockFutureTime: "500ms",
    initialCurrencyAtomicUnits: rules.initialCurrencyAtomicUnits,
    maxMosaicAtomicUnits: rules.maxMosaicAtomicUnits,
    totalChainImportance: rules.totalChainImportance,
    minHarvesterBalance: rules.minHarvesterBalance,
    maxHarvesterBalance: rules.maxHarvesterBalance,
    minVoterBalance: rules.minVoterBalance,
    votingSetGrouping: rules.votingSetGrouping,
    maxVotingKeysPerAccount: rules.maxVotingKeysPerAccount,
    minVotingKeyLifetime: rules.minVotingKeyLifetime,
    maxVotingKeyLifetime: rules.maxVotingKeyLifetime,
    harvestBeneficiaryPercentage: rules.harvestBeneficiaryPercentage,
    harvestNetworkPercentage: rules.harvestNetworkPercentage,
    ...sink("harvestNetworkFeeSinkAddress", "harvest", parties),
    maxTransactionsPerBlock: rules.maxTransactionsPerBlock,
  };
}

/** The text of a node's `config-inflation.properties`; the reference node requires an end. */
export function inflationProperties({ inflation }: DevnetRules): string {
  return propertiesText({
    inflation: { "starting-at-height-1": inflation, [`starting-at-height-${INFLATION_END}`]: 0 },
  });
}

/** The text of a node's `config-node.properties`, with the properties that gateways read. */
export function nodeProperties(rules: DevnetRules, node: { port: number; host: string; friendlyName: string }): string {
  return propertiesText({
    node: {
      port: node.port,
      maxIncomingConnectionsPerIdentity: 512,
      enableCacheDatabaseStorage: true,
      enableAutoSyncCleanup: false,
      enableTransactionSpamThrottling: false,
      transactionSpamThrottlingMaxBoostFee: 10_000_000,
      maxHashesPerSyncAttempt: rules.maxHashesPerSyncAttempt,
      maxBlocksPerSyncAttempt: rules.maxBlocksPerSyncAttempt,
      maxChainBytesPerSyncAttempt: fileSize(rules.maxChainBytesPerSyncAttempt),
      shortLivedCacheTransactionDuration: timeSpan(rules.shortLivedCacheTransactionDuration),
      minFeeMultiplier: rules.minFeeMultiplier,
      transactionSelectionStrategy: "oldest",
      unconfirmedTransactionsCacheMaxResponseSize: fileSize(rules.unconfirmedTransactionsCacheMaxResponseSize),
      unconfirmedTransactionsCacheMaxSize: fileSize(rules.unconfirmedTransactionsCacheMaxSize),
      trustedHosts: "",
      localNetworks: "127.0.0.1",
      listenInterface: node.host,
    },
    localnode: { host: node.host, friendlyName: node.friendlyName, version: "", roles: "IPv4,Peer,Api,Voting" },
  });
}

/** The text of a node's `config-finalization.properties`. @param formerVoters addresses of 24 bytes */
export function finalizationProperties(rules: DevnetRules, formerVoters: readonly Buffer[]): string {
  return propertiesText({
    finalization: {
      enableVoting: true,
      enableRevoteOnBoot: false,
      size: rules.finalizationSize,
      threshold: rules.finalizationThreshold,
      stepDuration: "2m",
      shortLivedCacheMessageDuration: "10m",
      messageSynchronizationMaxResponseSize: "20MB",
      maxHashesPerPoint: 256,
      prevoteBlocksMultiple: 1,
      unfinalizedBlocksDuration: "0m",
      treasuryReissuanceEpoch: rules.treasuryReissuanceEpoch,
    },
    treasury_reissuance_epoch_ineligible_voter_addresses: Object.fromEntries(
      formerVoters.map((address) => [encodeAddress(address), true]),
    ),
  });
}

function propertiesText(sections: Sections): string {
  const texts = Object.entries(sections).map(([title, properties]) => {
    const lines = Object.entries(properties).map(([name, value]) => `${name} = ${valueText(value)}`.trimEnd());
    return `[${title}]\n\n${lines.join("\n")}\n`;
  });
  return texts.join("\n");
}

/** Numbers are grouped by apostrophes, as in a node's own files. */
function valueText(value: Value): string {
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  if (typeof value !== "number" && typeof value !== "bigint") return String(value);
  return String(value).replace(/\B(?=(\d{3})+$)/g, "'");
}

function networkName(identifier: number): string {
  const name = NETWORK_NAMES.get(identifier);
  if (!name) throw new RangeError(`${identifier} is not a network identifier: ${[...NETWORK_NAMES.keys()].join(", ")}`);
  return name;
}

function timeSpan(milliseconds: number): string {
  const unit = TIME_UNITS.find(([, size]) => milliseconds > 0 && milliseconds % size === 0);
  return unit ? `${milliseconds / unit[1]}${unit[0]}` : `${milliseconds}ms`;
}

function blockSpan(blocks: number, { blockGenerationTargetTime }: DevnetRules): string {
  return timeSpan(blocks * blockGenerationTargetTime);
}

function fileSize(bytes: number): string {
  return bytes % (1024 * 1024) === 0 ? `${bytes / (1024 * 1024)}MB` : `${bytes}B`;
}

function sink(
  property: string,
  name: keyof SinkAddresses,
  { sinks, formerSinks }: NetworkParties,
): Readonly<Record<string, string>> {
  return { [`${property}V1`]: encodeAddress(formerSinks[name]), [property]: encodeAddress(sinks[name]) };
}

/** A property that older nodes do not have, and whose absence is significant. */
function optional(name: string, value: number | undefined): Readonly<Record<string, number>> {
  return value === undefined ? {} : { [name]: value };
}

function idText(id: bigint): string {
  const digits = id.toString(16).toUpperCase().padStart(16, "0");
  return `0x${digits.replace(/\B(?=(.{4})+$)/g, "'")}`;
}
