import { addressOfPublicKey, encodeAddress } from "../../catapult/entity/address.js";
import { generateMosaicId } from "../../catapult/entity/generated-id.js";
import { hex } from "../../catapult/entity/hex.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { deriveBytes, type Signer } from "../../devnet/network/signer.js";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/config/network-config.js";
import { quickSigner } from "../support/quick-signer.js";
import { changeProperties, fillTemplates, NETWORK_FILES } from "./node-properties.js";
import { PRIVATE_CHANGES } from "./private-properties.js";

/** A key pair with its address. */
export interface Party extends Signer {
  readonly address: Buffer;
}

/** The main account of a node, which votes, and the root of its voting keys. */
export interface VotingParty {
  readonly account: Party;
  readonly votingRoot: Party;
}

/** An account that harvests on a node: itself, or by a remote account. */
export interface HarvestingParty {
  readonly account: Party;
  readonly remote: Party | undefined;
  readonly vrf: Party;
}

/**
 * What a network is like: the public main network in miniature; or a private one, with an address byte and a harvesting
 * mosaic of its own, tight limits, and every rule of today from its first block on.
 */
export type WalkKind = "public" | "private";

/** A network that runs here alone. */
export interface WalkNetwork {
  readonly identity: NetworkIdentity;
  readonly config: NetworkConfig;
  readonly currencyMosaicId: bigint;
  /** That of the currency, or another one. */
  readonly harvestingMosaicId: bigint;
  /** Texts of the files that all nodes of a network have in common, by their names. */
  readonly properties: Readonly<Record<string, string>>;
  readonly nemesis: Party;
  /** One for each node. */
  readonly voters: readonly VotingParty[];
  /** The first ones harvest themselves, the others by remote accounts; they take turns among the nodes. */
  readonly harvesters: readonly HarvestingParty[];
  /** Voters that do not count from the epoch of the treasury reissuance on. */
  readonly excludedVoters: readonly Party[];
  /** Owns what the others do not; more than the maximum of a harvester. */
  readonly bank: Party;
  /** Receivers of fees, some of them below a height only. */
  readonly sinks: readonly Party[];
  /** The party of a purpose: the same name is the same party. */
  party(name: string): Party;
}

/** The accounts that harvest on a node. */
export function harvestersOn({ harvesters, voters }: WalkNetwork, node: number): readonly HarvestingParty[] {
  return harvesters.filter((_, index) => index % voters.length === node);
}

/** Bytes of addresses: that of the public test network, and that of private test networks. */
const NETWORK_BYTES: Readonly<Record<WalkKind, number>> = { public: 152, private: 168 };
/** Of the currency, and of a harvesting mosaic beside it. */
export const INITIAL_SUPPLY = 7_842_928_625_000_000n;
/** By which the harvesting mosaic differs from the currency, where it is another one. */
export const HARVESTING_NONCE = 1;
const SINKS = ["harvestSinkV1", "harvestSink", "mosaicSinkV1", "mosaicSink", "namespaceSinkV1", "namespaceSink"];

/** Creates the network of a seed with this number of harvesters, and of nodes that vote. */
export function createWalkNetwork(seed: string, harvesters: number, kind: WalkKind, nodes = 1): WalkNetwork {
  const identifier = NETWORK_BYTES[kind];
  const parties = new Map<string, Party>();
  const party = (name: string): Party => {
    const known = parties.get(name);
    if (known) return known;
    const signer = quickSigner(deriveBytes(seed, name));
    const created = { ...signer, address: addressOfPublicKey(signer.publicKey, identifier) };
    parties.set(name, created);
    return created;
  };
  const range = <T>(count: number, create: (index: number) => T) => Array.from({ length: count }, (_, i) => create(i));
  const nemesis = party("nemesis");
  const sinks = SINKS.map((name) => party(name));
  const currencyMosaicId = generateMosaicId(nemesis.address, 0);
  const harvestingMosaicId = generateMosaicId(nemesis.address, kind === "public" ? 0 : HARVESTING_NONCE);
  const generationHashSeed = deriveBytes(seed, "generation hash seed");
  const excludedVoters = range(kind === "public" ? 2 : 0, (index) => party(`excluded voter ${index}`));
  const sinkAddresses = SINKS.map((name, index) => [name, encodeAddress(sinks[index]!.address)]);
  const idText = (id: bigint) => `0x${id.toString(16).toUpperCase()}`;
  const template = fillTemplates(NETWORK_FILES, {
    ...Object.fromEntries(sinkAddresses),
    nemesisPublicKey: hex(nemesis.publicKey),
    generationHashSeed: hex(generationHashSeed),
    currencyMosaicId: idText(currencyMosaicId),
    harvestingMosaicId: idText(harvestingMosaicId),
    excludedVoters: excludedVoters.map(({ address }) => `${encodeAddress(address)} = true`).join("\n"),
  });
  const properties = kind === "public" ? template : changeProperties(template, PRIVATE_CHANGES);
  const [networkText, inflationText, finalizationText] = NETWORK_FILES.map((name) => properties[name]!);
  return {
    identity: { identifier, generationHashSeed },
    config: parseNetworkConfig(networkText!, inflationText!, finalizationText!),
    currencyMosaicId,
    harvestingMosaicId,
    properties,
    nemesis,
    voters: range(nodes, (index) => ({ account: party(`voter ${index}`), votingRoot: party(`voting root ${index}`) })),
    harvesters: range(harvesters, (index) => ({
      account: party(`harvester ${index}`),
      remote: index < harvesters / 2 ? undefined : party(`remote ${index}`),
      vrf: party(`vrf ${index}`),
    })),
    excludedVoters,
    bank: party("bank"),
    sinks,
    party,
  };
}
