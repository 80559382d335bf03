import { type TransactionRules, UNLIMITED_RULES } from "./transaction-rules.js";

const HOUR_MS = 3_600_000;
/** Blocks of 30 s. */
const BLOCKS_A_DAY = 2880;

const RESERVED_NAMES = "symbol, symbl, xym, xem, nem, user, account, org, com, biz, net, edu, mil, gov, info".split(
  ", ",
);

/** What the configurations of both public networks say. Source: their `config-network.properties`. */
const PUBLIC_RULES: TransactionRules = {
  ...UNLIMITED_RULES,
  maxLifetimeMs: 6 * HOUR_MS,
  maxBondedLifetimeMs: 48 * HOUR_MS,
  aggregate: { ...UNLIMITED_RULES.aggregate, minVersion: 2, maxTransactions: 100, maxSignatures: 25 },
  hashLock: { amount: 10_000_000n, maxDuration: 2 * BLOCKS_A_DAY },
  secretLock: { maxDuration: 365 * BLOCKS_A_DAY, minProofSize: 0, maxProofSize: 1024 },
  metadata: { maxValueSize: 1024 },
  mosaic: { maxDuration: 3650 * BLOCKS_A_DAY },
  namespace: {
    maxNameSize: 64,
    minDuration: 30 * BLOCKS_A_DAY,
    maxDuration: 1825 * BLOCKS_A_DAY,
    reservedNames: new Set(RESERVED_NAMES),
  },
  accountRestriction: { maxValues: 100 },
  transfer: { maxMessageSize: 1024 },
};

/** What is known of a network without any file. */
export interface PublicNetwork {
  readonly description: string;
  readonly rules: TransactionRules;
}

/** By generation hash seed, upper-case hex. */
const PUBLIC_NETWORKS: Readonly<Record<string, PublicNetwork>> = {
  "57F7DA205008026C776CB6AED843393F04CD458E0AA2D9F1D5F31A402072B2D6": {
    description: "Symbol public main network",
    rules: { ...PUBLIC_RULES, votingKey: { minEpochs: 112, maxEpochs: 360 } },
  },
  "49D6E1CE276A85B70EAFE52349AACCA389302E7A9754BCF1221E79494FC665A4": {
    description: "Symbol public test network",
    rules: { ...PUBLIC_RULES, votingKey: { minEpochs: 28, maxEpochs: 720 } },
  },
};

/** A public network by its generation hash seed (32 bytes); undefined for any other. */
export function publicNetwork(generationHashSeed: Buffer): PublicNetwork | undefined {
  return PUBLIC_NETWORKS[generationHashSeed.toString("hex").toUpperCase()];
}
