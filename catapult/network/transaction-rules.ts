import { Properties, type Section } from "./properties.js";

/**
 * A network's rules about single transactions, independent of state. Times are milliseconds, sizes bytes, durations
 * numbers of blocks; an unknown limit is `Number.POSITIVE_INFINITY` (or 0 for a minimum, or undefined).
 */
export type TransactionRules = Readonly<ReturnType<typeof transactionRules>>;

const UNKNOWN = Number.POSITIVE_INFINITY;
/** A node stores this limit in one byte. */
const MAX_SIGNATURES = 255;
/** Supported by nodes since catapult 1.0.3.9, whose configuration has a height for `uniqueAggregateTransactionHash`. */
const MAX_AGGREGATE_VERSION = 3;

/**
 * The versions of aggregates that a network allows in the block at `height`, and the highest one that its nodes know.
 * Source: catapult's
 * `AggregateTransactionVersionValidator` (1.0.3.9).
 * @param forks the section `fork_heights`
 * @throws PropertyError for a fork height that is not a number
 */
export function aggregateVersions(forks: Section | undefined, height: number) {
  const isPast = (name: string) => forks?.has(name) && height >= forks.number(name);
  const maxKnownVersion = forks?.has("uniqueAggregateTransactionHash") ? MAX_AGGREGATE_VERSION : 2;
  const only = (version: number) => ({ maxKnownVersion, minVersion: version, maxVersion: version });
  if (isPast("uniqueAggregateTransactionHash")) return only(3);
  if (isPast("strictAggregateTransactionHash")) return only(2);
  if (forks?.has("strictAggregateTransactionHash")) return only(1);
  return { maxKnownVersion, minVersion: 1, maxVersion: maxKnownVersion };
}

/**
 * The rules in a node's `config-network.properties` for transactions of a block. Missing properties mean no limit.
 * @param height of the block
 * @throws PropertyError for an invalid value
 */
export function transactionRules(properties: Properties, height: number) {
  const read = <T>(title: string, name: string, unknown: T, how: (section: Section) => T): T => {
    const section = properties.find(title);
    return section?.has(name) ? how(section) : unknown;
  };
  const number = (title: string, name: string, unknown = UNKNOWN) =>
    read(title, name, unknown, (section) => section.number(name));
  const milliseconds = (title: string, name: string) =>
    read(title, name, UNKNOWN, (section) => section.milliseconds(name));
  const blockTime = milliseconds("chain", "blockGenerationTargetTime");
  const blocks = (title: string, name: string, unknown = UNKNOWN) =>
    blockTime === UNKNOWN
      ? unknown
      : read(title, name, unknown, (section) => Math.floor(section.milliseconds(name) / blockTime));
  const plugin = (name: string) => `plugin:catapult.plugins.${name}`;
  const aggregate = plugin("aggregate");
  const namespace = plugin("namespace");

  return {
    maxLifetimeMs: milliseconds("chain", "maxTransactionLifetime"),
    /** For bonded aggregates. */
    maxBondedLifetimeMs: milliseconds(aggregate, "maxBondedTransactionLifetime"),
    aggregate: {
      ...aggregateVersions(properties.find("fork_heights"), height),
      maxTransactions: number(aggregate, "maxTransactionsPerAggregate"),
      /** Including the signature of the aggregate itself. */
      maxSignatures: number(aggregate, "maxCosignaturesPerAggregate", MAX_SIGNATURES),
      /** Whether the signers of an aggregate must be exactly those of its embedded transactions. */
      isStrict: read(aggregate, "enableStrictCosignatureCheck", false, (s) =>
        s.boolean("enableStrictCosignatureCheck"),
      ),
      areBondedAllowed: read(aggregate, "enableBondedAggregateSupport", true, (s) =>
        s.boolean("enableBondedAggregateSupport"),
      ),
    },
    votingKey: {
      minEpochs: number("chain", "minVotingKeyLifetime", 0),
      maxEpochs: number("chain", "maxVotingKeyLifetime"),
    },
    hashLock: {
      /** Atomic units. */
      amount: read(plugin("lockhash"), "lockedFundsPerAggregate", undefined as bigint | undefined, (section) =>
        section.bigint("lockedFundsPerAggregate"),
      ),
      maxDuration: blocks(plugin("lockhash"), "maxHashLockDuration"),
    },
    secretLock: {
      maxDuration: blocks(plugin("locksecret"), "maxSecretLockDuration"),
      minProofSize: number(plugin("locksecret"), "minProofSize", 0),
      maxProofSize: number(plugin("locksecret"), "maxProofSize"),
    },
    metadata: { maxValueSize: number(plugin("metadata"), "maxValueSize") },
    mosaic: { maxDuration: blocks(plugin("mosaic"), "maxMosaicDuration") },
    namespace: {
      maxNameSize: number(namespace, "maxNameSize"),
      minDuration: blocks(namespace, "minNamespaceDuration", 0),
      maxDuration: blocks(namespace, "maxNamespaceDuration"),
      reservedNames: read(namespace, "reservedRootNamespaceNames", new Set<string>(), (section) =>
        section.words("reservedRootNamespaceNames"),
      ),
    },
    accountRestriction: { maxValues: number(plugin("restrictionaccount"), "maxAccountRestrictionValues") },
    transfer: { maxMessageSize: number(plugin("transfer"), "maxMessageSize") },
  };
}

/** Heights that {@link aggregateVersions} depends on. */
const RULE_FORKS = ["strictAggregateTransactionHash", "uniqueAggregateTransactionHash"];

/** All rules, each with the height from which it holds, ascending. @throws PropertyError for an invalid value */
export function transactionRuleSteps(properties: Properties) {
  const forks = properties.find("fork_heights");
  const heights = RULE_FORKS.map((name) => (forks?.has(name) ? forks.number(name) : 1));
  const ascending = [1, ...heights].sort((left, right) => left - right);
  return ascending.map((height) => ({ height, rules: transactionRules(properties, height) }));
}

/** The rules for an unknown network: only those that hold in all networks. */
export const UNLIMITED_RULES: TransactionRules = {
  ...transactionRules(new Properties({}), 1),
  aggregate: {
    ...transactionRules(new Properties({}), 1).aggregate,
    maxKnownVersion: MAX_AGGREGATE_VERSION,
    maxVersion: MAX_AGGREGATE_VERSION,
  },
};
