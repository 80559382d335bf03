import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { type InflationStep, inflationStepAt, inflationSteps } from "../../catapult/network/inflation.js";
import { pluginOrder } from "../../catapult/network/plugin-order.js";
import { Properties, PropertyError, type Section } from "../../catapult/network/properties.js";
import { type TransactionRules, transactionRuleSteps } from "../../catapult/network/transaction-rules.js";
import { corruptAggregateHashes } from "../../catapult/verify/network-exceptions.js";
import { parseFinalizationConfig } from "./finalization-config.js";

/**
 * The rules of a network, as in catapult's `config-network`, `config-inflation` and `config-finalization` properties.
 * Amounts are atomic units, times milliseconds, durations numbers of blocks unless said otherwise.
 */
export type NetworkConfig = Readonly<ReturnType<typeof parseNetworkConfig>>;

/** Heights from which, or at which, a network's rules differ. */
export type ForkHeights = Readonly<ReturnType<typeof parseForkHeights>>;

/** An address that was different below a fork height. */
export interface HeightDependentAddress {
  readonly address: Buffer;
  readonly before: { readonly height: number; readonly address: Buffer } | undefined;
}

/** The address at `height`. */
export function addressAt(sink: HeightDependentAddress, height: number): Buffer {
  return sink.before && height >= 1 && height < sink.before.height ? sink.before.address : sink.address;
}

/** The rules about single transactions in the block at `height`. */
export function transactionRulesAt({ transactionRules }: NetworkConfig, height: number): TransactionRules {
  return transactionRules.findLast((step) => step.height <= height)!.rules;
}

/** The accounts that receive the rental fees of a block at a height. */
export function findRentalFeeSinks({
  mosaic,
  namespace,
}: Pick<NetworkConfig, "mosaic" | "namespace">): NonNullable<NetworkIdentity["rentalFeeSinks"]> {
  return (height) => ({
    mosaic: addressAt(mosaic.rentalFeeSink, height),
    namespace: addressAt(namespace.rentalFeeSink, height),
  });
}

/** Currency created by block `height`. */
export function inflationAt(steps: readonly InflationStep[], height: number): bigint {
  return inflationStepAt(steps, height)?.amount ?? 0n;
}

/**
 * Parses `config-network.properties`, `config-inflation.properties` and `config-finalization.properties`, given as texts
 * or already parsed. Without the last one, the defaults of a node apply.
 *
 * @throws PropertyError naming the property that is missing or malformed.
 */
export function parseNetworkConfig(
  networkFile: string | Properties,
  inflationFile: string | Properties,
  finalizationFile?: string | Properties,
) {
  const properties = parsed(networkFile);
  return {
    ...parseChainRules(properties),
    inflation: inflationSteps(parsed(inflationFile)),
    finalization: parseFinalizationConfig(finalizationFile === undefined ? undefined : parsed(finalizationFile)),
    ...parsePluginRules(properties),
  };
}

function parseChainRules(properties: Properties) {
  const network = properties.section("network");
  const chain = properties.section("chain");
  requireVotes(chain);
  return {
    networkIdentifier: network.networkIdentifier("identifier"),
    nemesisSignerPublicKey: network.hex("nemesisSignerPublicKey"),
    generationHashSeed: network.hex("generationHashSeed"),
    currencyMosaicId: chain.bigint("currencyMosaicId"),
    harvestingMosaicId: chain.bigint("harvestingMosaicId"),
    blockGenerationTargetTime: chain.milliseconds("blockGenerationTargetTime"),
    /** When the network's time began, since 1970. */
    epochAdjustment: network.milliseconds("epochAdjustment"),
    /** Of single transactions, without state; see `transactionRulesAt`. */
    transactionRules: transactionRuleSteps(properties),
    /** Maximum distance of a block's time ahead of a node's clock. */
    maxBlockFutureTime: chain.milliseconds("maxBlockFutureTime"),
    /** Thousandths; 0 = no smoothing. */
    blockTimeSmoothingFactor: chain.number("blockTimeSmoothingFactor"),
    /** Whether generation hashes must hit: false only on a development network that creates blocks on demand. */
    isHitVerified: properties.find("devnet")?.boolean("isHitVerified") ?? true,
    importanceGrouping: chain.number("importanceGrouping"),
    importanceActivityPercentage: chain.bigint("importanceActivityPercentage"),
    maxDifficultyBlocks: chain.number("maxDifficultyBlocks"),
    defaultDynamicFeeMultiplier: chain.number("defaultDynamicFeeMultiplier"),
    maxTransactionLifetime: chain.milliseconds("maxTransactionLifetime"),
    /** Embedded ones included. */
    maxTransactionsPerBlock: chain.number("maxTransactionsPerBlock"),
    /** Full names of the plugins of nodes, in the order in which they check: see `pluginOrder`. */
    plugins: pluginOrder(properties.titles()),
    maxMosaicAtomicUnits: chain.bigint("maxMosaicAtomicUnits"),
    totalChainImportance: chain.bigint("totalChainImportance"),
    minHarvesterBalance: chain.bigint("minHarvesterBalance"),
    maxHarvesterBalance: chain.bigint("maxHarvesterBalance"),
    minVoterBalance: chain.bigint("minVoterBalance"),
    votingSetGrouping: chain.number("votingSetGrouping"),
    maxVotingKeysPerAccount: chain.number("maxVotingKeysPerAccount"),
    /** Epochs. */
    minVotingKeyLifetime: chain.number("minVotingKeyLifetime"),
    maxVotingKeyLifetime: chain.number("maxVotingKeyLifetime"),
    harvestBeneficiaryPercentage: chain.bigint("harvestBeneficiaryPercentage"),
    harvestNetworkPercentage: chain.bigint("harvestNetworkPercentage"),
    /** Receiver of the network's share of the fees, by height. */
    harvestNetworkFeeSink: parseSink(properties, chain, "harvestNetworkFeeSinkAddress"),
    forkHeights: parseForkHeights(properties.section("fork_heights")),
    /** Signatures (upper-case hex) of the nemesis account's transactions in the block of the treasury reissuance. */
    treasuryReissuanceSignatures: enabledNames(properties.find("treasury_reissuance_transaction_signatures")),
  };
}

function parsePluginRules(properties: Properties) {
  const plugin = (name: string) => properties.section(`plugin:catapult.plugins.${name}`);
  const aggregate = plugin("aggregate");
  const hashLock = plugin("lockhash");
  const secretLock = plugin("locksecret");
  const mosaic = plugin("mosaic");
  const multisig = plugin("multisig");
  const namespace = plugin("namespace");
  const blockGenerationTargetTime = properties.section("chain").milliseconds("blockGenerationTargetTime");
  return {
    aggregate: {
      /** Hashes that are accepted in headers though they do not match the embedded transactions: see `isEmbeddedHashAccepted`. */
      corruptHashes: corruptAggregateHashes(properties),
      maxTransactions: aggregate.number("maxTransactionsPerAggregate"),
      maxCosignatures: aggregate.number("maxCosignaturesPerAggregate"),
      strictCosignatureCheck: aggregate.boolean("enableStrictCosignatureCheck"),
      bondedSupport: aggregate.boolean("enableBondedAggregateSupport"),
      maxBondedLifetime: aggregate.milliseconds("maxBondedTransactionLifetime"),
    },
    hashLock: {
      lockedFundsPerAggregate: hashLock.bigint("lockedFundsPerAggregate"),
      maxDuration: hashLock.blocks("maxHashLockDuration", blockGenerationTargetTime),
    },
    secretLock: {
      maxDuration: secretLock.blocks("maxSecretLockDuration", blockGenerationTargetTime),
      minProofSize: secretLock.number("minProofSize"),
      maxProofSize: secretLock.number("maxProofSize"),
    },
    metadata: { maxValueSize: plugin("metadata").number("maxValueSize") },
    mosaic: {
      maxMosaicsPerAccount: mosaic.number("maxMosaicsPerAccount"),
      maxDuration: mosaic.blocks("maxMosaicDuration", blockGenerationTargetTime),
      maxDivisibility: mosaic.number("maxMosaicDivisibility"),
      rentalFee: mosaic.bigint("mosaicRentalFee"),
      rentalFeeSink: parseSink(properties, mosaic, "mosaicRentalFeeSinkAddress"),
    },
    multisig: {
      maxDepth: multisig.number("maxMultisigDepth"),
      maxCosignatoriesPerAccount: multisig.number("maxCosignatoriesPerAccount"),
      maxCosignedAccountsPerAccount: multisig.number("maxCosignedAccountsPerAccount"),
    },
    namespace: {
      maxNameSize: namespace.number("maxNameSize"),
      maxChildNamespaces: namespace.number("maxChildNamespaces"),
      maxDepth: namespace.number("maxNamespaceDepth"),
      minDuration: namespace.blocks("minNamespaceDuration", blockGenerationTargetTime),
      maxDuration: namespace.blocks("maxNamespaceDuration", blockGenerationTargetTime),
      gracePeriodDuration: namespace.blocks("namespaceGracePeriodDuration", blockGenerationTargetTime),
      reservedRootNames: namespace.words("reservedRootNamespaceNames"),
      rentalFeeSink: parseSink(properties, namespace, "namespaceRentalFeeSinkAddress"),
      rootRentalFeePerBlock: namespace.bigint("rootNamespaceRentalFeePerBlock"),
      childRentalFee: namespace.bigint("childNamespaceRentalFee"),
    },
    accountRestriction: { maxValues: plugin("restrictionaccount").number("maxAccountRestrictionValues") },
    mosaicRestriction: { maxValues: plugin("restrictionmosaic").number("maxMosaicRestrictionValues") },
    transfer: { maxMessageSize: plugin("transfer").number("maxMessageSize") },
  };
}

/** The receiver of fees: another one below the height of the treasury reissuance. */
function parseSink(properties: Properties, section: Section, name: string): HeightDependentAddress {
  const height = properties.section("fork_heights").number("treasuryReissuance");
  return {
    address: section.address(name),
    before: height ? { height, address: section.address(`${name}V1`) } : undefined,
  };
}

/** With a limit of roll-backs, a node takes the block that far below its head for final, whatever the votes are for. */
function requireVotes(chain: Section): void {
  const limit = chain.has("maxRollbackBlocks") ? chain.number("maxRollbackBlocks") : 0;
  if (limit === 0) return;
  throw new PropertyError(
    `[chain] maxRollbackBlocks: expected 0, not ${limit}: only networks where votes make blocks final are supported`,
  );
}

function parseForkHeights(forks: Section) {
  return {
    totalVotingBalanceCalculationFix: forks.number("totalVotingBalanceCalculationFix"),
    treasuryReissuance: forks.number("treasuryReissuance"),
    strictAggregateTransactionHash: forks.number("strictAggregateTransactionHash"),
    skipSecretLockUniquenessChecks: optionalHeights(forks, "skipSecretLockUniquenessChecks"),
    skipSecretLockExpirations: optionalHeights(forks, "skipSecretLockExpirations"),
    forceSecretLockExpirations: optionalHeights(forks, "forceSecretLockExpirations"),
    /** From here on aggregates have version 3, which nodes before catapult 1.0.3.9 do not know. */
    uniqueAggregateTransactionHash: optionalHeight(forks, "uniqueAggregateTransactionHash"),
    /** From here on a block's VRF proof needs a key that is a point of the curve; unknown to nodes before 1.0.3.10. */
    strictVrfPublicKeyCheck: optionalHeight(forks, "strictVrfPublicKeyCheck"),
  };
}

function parsed(file: string | Properties): Properties {
  return typeof file === "string" ? new Properties(file) : file;
}

function optionalHeight(forks: Section, name: string): number | undefined {
  return forks.has(name) ? forks.number(name) : undefined;
}

/** Unknown to nodes before catapult 1.0.3.7. */
function optionalHeights(forks: Section, name: string): ReadonlySet<number> {
  return forks.has(name) ? forks.numbers(name) : new Set();
}

function enabledNames(section: Section | undefined): ReadonlySet<string> {
  return new Set(section?.enabledNames().map((name) => name.toUpperCase()));
}
