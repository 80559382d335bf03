import type { Properties, Section } from "./properties.js";

/**
 * A network's rules about single transactions, independent of state. Times are milliseconds, sizes bytes, durations
 * numbers of blocks; an unknown limit is `Number.POSITIVE_INFINITY` (or 0 for a minimum, or undefined).
 */
export interface TransactionRules {
  readonly maxLifetimeMs: number;
  /** For bonded aggregates. */
  readonly maxBondedLifetimeMs: number;
  /** Signs nothing after the nemesis block. */
  readonly nemesisPublicKey: Buffer | undefined;
  readonly aggregate: {
    /** The highest version known to nodes. */
    readonly maxKnownVersion: number;
    /** The versions allowed at the height. */
    readonly minVersion: number;
    readonly maxVersion: number;
    readonly maxTransactions: number;
    /** Including the signature of the aggregate itself. */
    readonly maxSignatures: number;
    /** Whether the signers of an aggregate must be exactly those of its embedded transactions. */
    readonly isStrict: boolean;
    readonly areBondedAllowed: boolean;
  };
  readonly votingKey: { readonly minEpochs: number; readonly maxEpochs: number };
  /** `amount` in atomic units; undefined if unknown. */
  readonly hashLock: { readonly amount: bigint | undefined; readonly maxDuration: number };
  readonly secretLock: { readonly maxDuration: number; readonly minProofSize: number; readonly maxProofSize: number };
  readonly metadata: { readonly maxValueSize: number };
  readonly mosaic: { readonly maxDuration: number };
  readonly namespace: {
    readonly maxNameSize: number;
    readonly minDuration: number;
    readonly maxDuration: number;
    readonly reservedNames: ReadonlySet<string>;
  };
  readonly accountRestriction: { readonly maxValues: number };
  readonly transfer: { readonly maxMessageSize: number };
}

const UNKNOWN = Number.POSITIVE_INFINITY;
/** A node stores this limit in one byte. */
const MAX_SIGNATURES = 255;
/** Supported by nodes since catapult 1.0.3.9, whose configuration has a height for `uniqueAggregateTransactionHash`. */
const MAX_AGGREGATE_VERSION = 3;

/**
 * The versions of aggregates that a network allows in the block at `height`. Source: catapult's
 * `AggregateTransactionVersionValidator` (1.0.3.9).
 * @param forks the section `fork_heights`
 * @throws PropertyError for a fork height that is not a number
 */
export function aggregateVersions(
  forks: Section | undefined,
  height: number,
): Pick<TransactionRules["aggregate"], "maxKnownVersion" | "minVersion" | "maxVersion"> {
  const isPast = (name: string) => forks?.has(name) && height >= forks.number(name);
  const maxKnownVersion = forks?.has("uniqueAggregateTransactionHash") ? MAX_AGGREGATE_VERSION : 2;
  const only = (version: number) => ({ maxKnownVersion, minVersion: version, maxVersion: version });
  if (isPast("uniqueAggregateTransactionHash")) return only(3);
  if (isPast("strictAggregateTransactionHash")) return only(2);
  if (forks?.has("strictAggregateTransactionHash")) return only(1);
  return { maxKnownVersion, minVersion: 1, maxVersion: maxKnownVersion };
}

/** The rules for an unknown network: only those that hold in all networks. */
export const UNLIMITED_RULES: TransactionRules = {
  maxLifetimeMs: UNKNOWN,
  maxBondedLifetimeMs: UNKNOWN,
  nemesisPublicKey: undefined,
  aggregate: {
    maxKnownVersion: MAX_AGGREGATE_VERSION,
    minVersion: 1,
    maxVersion: MAX_AGGREGATE_VERSION,
    maxTransactions: UNKNOWN,
    maxSignatures: MAX_SIGNATURES,
    isStrict: false,
    areBondedAllowed: true,
  },
  votingKey: { minEpochs: 0, maxEpochs: UNKNOWN },
  hashLock: { amount: undefined, maxDuration: UNKNOWN },
  secretLock: { maxDuration: UNKNOWN, minProofSize: 0, maxProofSize: UNKNOWN },
  metadata: { maxValueSize: UNKNOWN },
  mosaic: { maxDuration: UNKNOWN },
  namespace: { maxNameSize: UNKNOWN, minDuration: 0, maxDuration: UNKNOWN, reservedNames: new Set() },
  accountRestriction: { maxValues: UNKNOWN },
  transfer: { maxMessageSize: UNKNOWN },
};

/**
 * The rules in a node's `config-network.properties` for transactions of a block. Missing properties mean no limit.
 * @param height of the block
 * @throws PropertyError for an invalid value
 */
export function transactionRules(properties: Properties, height: number): TransactionRules {
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
    maxBondedLifetimeMs: milliseconds(aggregate, "maxBondedTransactionLifetime"),
    nemesisPublicKey: read("network", "nemesisSignerPublicKey", undefined as Buffer | undefined, (section) =>
      section.hex("nemesisSignerPublicKey"),
    ),
    aggregate: {
      ...aggregateVersions(properties.find("fork_heights"), height),
      maxTransactions: number(aggregate, "maxTransactionsPerAggregate"),
      maxSignatures: number(aggregate, "maxCosignaturesPerAggregate", MAX_SIGNATURES),
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
