import { Properties } from "../../catapult/network/properties.js";
import { type TransactionRules, transactionRules } from "../../catapult/network/transaction-rules.js";
import { type Ask, endpoint } from "../standard/endpoint.js";
import { MeshError } from "../standard/errors.js";
import { ConstructionMetadataRequest, type ConstructionMetadataResponse } from "../standard/schemas.js";
import { maxFeeFor } from "./fee.js";
import { readStrictly } from "./operation-metadata.js";
import { Options, type TransactionMetadata, type TransactionOptions } from "./terms.js";

const DEFAULT_LIFETIME_MS = 2 * 3_600_000;
const DEFAULT_BONDED_LIFETIME_MS = 24 * 3_600_000;

/** What a transaction needs from the network: its deadline, its fee, and the version of aggregates. */
export const metadata = endpoint<typeof ConstructionMetadataRequest, ConstructionMetadataResponse>({
  path: "/construction/metadata",
  request: ConstructionMetadataRequest,
  operations: {
    network: `{
      nodeTime { sendTimestamp }
      transactionFees { minFeeMultiplier medianFeeMultiplier }
      networkConfiguration { name properties { name value } }
      chain { height }
    }`,
    mosaics: "query ($ids: [ArtifactId!]!) { mosaicsByIds(ids: $ids) { mosaicId divisibility } }",
    aggregate: "query ($hashes: [Hash256!]!) { pendingTransactionsByIds(group: partial, hashes: $hashes) { hash } }",
  },
  answer: async ({ options = {} }, { network, askNow }) => {
    const read = readStrictly(Options, options, "options");
    if ("aggregate_hash" in read) {
      await requirePending(read.aggregate_hash, askNow);
      return { metadata: {} };
    }
    const [data] = await Promise.all([askNow<NetworkData>("network"), checkDecimals(read.decimals, askNow)]);
    const rules = makeRules(data);
    const maxFee = maxFeeFor(read, data.transactionFees);
    const terms: TransactionMetadata = {
      ...(read.aggregate && { aggregate: read.aggregate }),
      aggregate_version: Math.min(rules.aggregate.maxVersion, rules.aggregate.maxKnownVersion),
      max_fee: String(maxFee),
      deadline: String(data.nodeTime.sendTimestamp + computeLifetime(read, rules)),
    };
    return { metadata: terms, suggested_fee: [{ value: String(maxFee), currency: network.currency }] };
  },
});

interface NetworkData {
  readonly nodeTime: { readonly sendTimestamp: number };
  readonly transactionFees: { readonly minFeeMultiplier: number; readonly medianFeeMultiplier: number };
  readonly networkConfiguration: readonly {
    readonly name: string;
    readonly properties: readonly { readonly name: string; readonly value: string }[];
  }[];
  readonly chain: { readonly height: number };
}

function makeRules({ networkConfiguration, chain }: NetworkData): TransactionRules {
  const sections = networkConfiguration.map(
    ({ name, properties }) => [name, Object.fromEntries(properties.map((one) => [one.name, one.value]))] as const,
  );
  return transactionRules(new Properties(Object.fromEntries(sections)), chain.height + 1);
}

/** In ms. @throws MeshError invalidDeadline if the network does not allow it */
function computeLifetime(
  { aggregate, lifetime_seconds: seconds }: TransactionOptions,
  rules: TransactionRules,
): number {
  const isBonded = aggregate === "bonded";
  const maximum = isBonded ? rules.maxBondedLifetimeMs : rules.maxLifetimeMs;
  if (seconds === undefined) return Math.min(isBonded ? DEFAULT_BONDED_LIFETIME_MS : DEFAULT_LIFETIME_MS, maximum);
  if (seconds * 1000 <= maximum) return seconds * 1000;
  throw new MeshError("invalidDeadline", { member: "options.lifetime_seconds", maximum: Math.floor(maximum / 1000) });
}

/** @throws MeshError unknownCurrency or decimalsMismatch */
async function checkDecimals(decimals: TransactionOptions["decimals"], askNow: Ask): Promise<void> {
  const ids = Object.keys(decimals);
  if (ids.length === 0) return;
  const { mosaicsByIds: found } = await askNow<{ mosaicsByIds: readonly { mosaicId: string; divisibility: number }[] }>(
    "mosaics",
    { ids: ids.map((id) => BigInt(`0x${id}`)) },
  );
  const divisibilities = new Map(found.map(({ mosaicId, divisibility }) => [mosaicId, divisibility]));
  for (const id of ids) {
    const member = `options.decimals.${id}`;
    const expected = divisibilities.get(id);
    if (expected === undefined) throw new MeshError("unknownCurrency", { member, problem: "there is no such mosaic" });
    if (expected !== decimals[id]) throw new MeshError("decimalsMismatch", { member, expected });
  }
}

/** @throws MeshError aggregateNotPending */
async function requirePending(hash: string, askNow: Ask): Promise<void> {
  const { pendingTransactionsByIds: found } = await askNow<{ pendingTransactionsByIds: readonly unknown[] }>(
    "aggregate",
    {
      hashes: [hash],
    },
  );
  if (found.length === 0) throw new MeshError("aggregateNotPending", { aggregate_hash: hash });
}
