import { addressOfPublicKey, encodeAddress } from "../../catapult/entity/address.js";
import { generateMosaicId } from "../../catapult/entity/generated-id.js";
import { hex } from "../../catapult/entity/hex.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { deriveBytes, type Signer } from "../../devnet/network/signer.js";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/state/network-config.js";
import { quickSigner } from "../support/quick-signer.js";
import { fillTemplates, NETWORK_FILES } from "./node-properties.js";

/** A key pair with its address. */
export interface Party extends Signer {
  readonly address: Buffer;
}

/** An account that harvests on a node: itself, or by a remote account. */
export interface HarvestingParty {
  readonly account: Party;
  readonly remote: Party | undefined;
  readonly vrf: Party;
}

/** A private network with the numbers of the public main network, in miniature. */
export interface WalkNetwork {
  readonly identity: NetworkIdentity;
  readonly config: NetworkConfig;
  readonly currencyMosaicId: bigint;
  /** Texts of the files that all nodes of a network have in common, by their names. */
  readonly properties: Readonly<Record<string, string>>;
  readonly nemesis: Party;
  /** Main account of the node, which votes; and the root of its voting keys. */
  readonly voter: Party;
  readonly votingRoot: Party;
  /** The first ones harvest themselves, the others by remote accounts. */
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

/** Byte of addresses: that of the public test network. */
export const NETWORK_BYTE = 152;
export const INITIAL_SUPPLY = 7_842_928_625_000_000n;
const SINKS = ["harvestSinkV1", "harvestSink", "mosaicSinkV1", "mosaicSink", "namespaceSinkV1", "namespaceSink"];

/** Creates the network of a seed with this number of harvesters. */
export function createWalkNetwork(seed: string, harvesters: number): WalkNetwork {
  const parties = new Map<string, Party>();
  const party = (name: string): Party => {
    const known = parties.get(name);
    if (known) return known;
    const signer = quickSigner(deriveBytes(seed, name));
    const created = { ...signer, address: addressOfPublicKey(signer.publicKey, NETWORK_BYTE) };
    parties.set(name, created);
    return created;
  };
  const range = <T>(count: number, create: (index: number) => T) => Array.from({ length: count }, (_, i) => create(i));
  const nemesis = party("nemesis");
  const sinks = SINKS.map((name) => party(name));
  const currencyMosaicId = generateMosaicId(nemesis.address, 0);
  const generationHashSeed = deriveBytes(seed, "generation hash seed");
  const excludedVoters = range(2, (index) => party(`excluded voter ${index}`));
  const sinkAddresses = SINKS.map((name, index) => [name, encodeAddress(sinks[index]!.address)]);
  const properties = fillTemplates(NETWORK_FILES, {
    ...Object.fromEntries(sinkAddresses),
    nemesisPublicKey: hex(nemesis.publicKey),
    generationHashSeed: hex(generationHashSeed),
    currencyMosaicId: `0x${currencyMosaicId.toString(16).toUpperCase()}`,
    excludedVoters: excludedVoters.map(({ address }) => `${encodeAddress(address)} = true`).join("\n"),
  });
  const [networkText, inflationText, finalizationText] = NETWORK_FILES.map((name) => properties[name]!);
  return {
    identity: { identifier: NETWORK_BYTE, generationHashSeed },
    config: parseNetworkConfig(networkText!, inflationText!, finalizationText!),
    currencyMosaicId,
    properties,
    nemesis,
    voter: party("voter"),
    votingRoot: party("voting root"),
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
