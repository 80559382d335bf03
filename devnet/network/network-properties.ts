import { encodeAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import type { FeeSinks } from "./keys.js";
import { type DevnetRules, type PropertyValue, plugin, RULES, type Rule } from "./settings.js";

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

type Sections = Readonly<Record<string, Readonly<Record<string, PropertyValue>>>>;

/** Height at which the inflation ends: further than a development chain gets, and below the maximum supply. */
const INFLATION_END = 10_000_000;

/**
 * The text of a node's `config-network.properties`.
 */
export function networkProperties(rules: DevnetRules, parties: NetworkParties): string {
  const own = makeSections(rules);
  const currency = idText(parties.currencyMosaicId);
  return propertiesText({
    network: {
      ...own.network,
      nodeEqualityStrategy: "public-key",
      nemesisSignerPublicKey: hex(parties.nemesisPublicKey),
      generationHashSeed: hex(parties.generationHashSeed),
    },
    chain: {
      enableVerifiableState: true,
      enableVerifiableReceipts: true,
      currencyMosaicId: currency,
      harvestingMosaicId: currency,
      blockTimeSmoothingFactor: 3000,
      maxRollbackBlocks: 0,
      maxBlockFutureTime: "500ms",
      ...own.chain,
      ...sink("harvestNetworkFeeSinkAddress", "harvest", parties),
    },
    // Not read by nodes: blocks are created on demand, not when their generation hash hits.
    devnet: { isHitVerified: false },
    fork_heights: own.fork_heights!,
    [plugin("accountlink")]: { dummy: "to trigger plugin load" },
    ...Object.fromEntries(Object.entries(own).filter(([title]) => title.startsWith("plugin:"))),
    [plugin("aggregate")]: {
      ...own[plugin("aggregate")],
      enableStrictCosignatureCheck: false,
      enableBondedAggregateSupport: true,
    },
    [plugin("mosaic")]: { ...own[plugin("mosaic")], ...sink("mosaicRentalFeeSinkAddress", "mosaic", parties) },
    [plugin("namespace")]: {
      ...own[plugin("namespace")],
      ...sink("namespaceRentalFeeSinkAddress", "namespace", parties),
    },
  });
}

/** The text of a node's `config-inflation.properties`; the reference node requires an end. */
export function inflationProperties(rules: DevnetRules): string {
  return propertiesText({
    inflation: { ...makeSections(rules).inflation, [`starting-at-height-${INFLATION_END}`]: 0 },
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
      transactionSelectionStrategy: "oldest",
      ...makeSections(rules).node,
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
      stepDuration: "2m",
      shortLivedCacheMessageDuration: "10m",
      messageSynchronizationMaxResponseSize: "20MB",
      maxHashesPerPoint: 256,
      prevoteBlocksMultiple: 1,
      unfinalizedBlocksDuration: "0m",
      ...makeSections(rules).finalization,
    },
    treasury_reissuance_epoch_ineligible_voter_addresses: Object.fromEntries(
      formerVoters.map((address) => [encodeAddress(address), true]),
    ),
  });
}

/** The properties of all rules, by section. */
function makeSections(rules: DevnetRules): Sections {
  const sections: Record<string, Record<string, PropertyValue>> = {};
  for (const [name, { section, write, property = name }] of Object.entries(
    RULES as unknown as Readonly<Record<string, Rule<unknown>>>,
  )) {
    if (section === undefined) continue;
    sections[section] ??= {};
    sections[section][property] = write(rules[name as keyof DevnetRules], rules.blockGenerationTargetTime);
  }
  return sections;
}

function propertiesText(sections: Sections): string {
  const texts = Object.entries(sections).map(([title, properties]) => {
    const present = Object.entries(properties).filter(([, value]) => value !== undefined);
    const lines = present.map(([name, value]) => `${name} = ${valueText(value)}`.trimEnd());
    return `[${title}]\n\n${lines.join("\n")}\n`;
  });
  return texts.join("\n");
}

/** Numbers are grouped by apostrophes, as in a node's own files. */
function valueText(value: PropertyValue): string {
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  if (typeof value !== "number" && typeof value !== "bigint") return String(value);
  return String(value).replace(/\B(?=(\d{3})+$)/g, "'");
}

function sink(
  property: string,
  name: keyof SinkAddresses,
  { sinks, formerSinks }: NetworkParties,
): Readonly<Record<string, string>> {
  return { [`${property}V1`]: encodeAddress(formerSinks[name]), [property]: encodeAddress(sinks[name]) };
}

function idText(id: bigint): string {
  const digits = id.toString(16).toUpperCase().padStart(16, "0");
  return `0x${digits.replace(/\B(?=(.{4})+$)/g, "'")}`;
}
