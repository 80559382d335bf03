import { hex } from "../entity/hex.js";
import type { NetworkIdentity } from "../entity/model.js";
import { MAIN_NETWORK_FACTS } from "./main-network.js";
import type { ResourceFiles } from "./node-resources.js";
import { networkName, Properties } from "./properties.js";
import { type PublicNetworkFacts, publicConfiguration, publicFinalization } from "./public-configuration.js";
import { PUBLIC_INFLATION } from "./public-inflation.js";
import { TEST_NETWORK_FACTS } from "./test-network.js";

/** The built-in configuration of a public network. */
export interface PublicNetwork {
  readonly identifier: number;
  /** 32 bytes. */
  readonly generationHashSeed: Buffer;
  readonly description: string;
  /** The properties of its nodes' `config-network.properties`. */
  readonly network: Properties;
  /** The properties of its nodes' `config-inflation.properties`. */
  readonly inflation: Properties;
  /** The properties of its nodes' `config-finalization.properties`, as far as they all have the same. */
  readonly finalization: Properties;
  /** The defaults of `config-node.properties`, as far as gateways read it. */
  readonly node: Properties;
  /** 32 bytes each: accounts that do not count in the circulating supply, besides the nemesis account. */
  readonly uncirculatingPublicKeys: readonly Buffer[];
  /** Root (32 bytes) of the tree of the first block's transactions, if the block's header has another hash. */
  readonly nemesisTransactionsRoot: Buffer | undefined;
}

/** Source: `minFeeMultiplier` in the node templates of `symbol/networks` and `symbol-bootstrap` 1.1.10. */
const USUAL_NODE = new Properties({ node: { minFeeMultiplier: "100" } });
/**
 * As in the `rest.json` of the public networks' packages.
 * Source: `restUncirculatingAccountPublicKeys` in the presets of `symbol-bootstrap` 1.1.10, and Shoestring's package `sai`.
 */
const UNCIRCULATING_PUBLIC_KEYS = [
  "A4739036FD7EFED2750A51EE9D1D3113BA3F9849E0889213CED7F221B2AA1A20",
  "2BF1E1F3072E3BE0CD851E4741E101E33DB19C163895F69AA890E7CF177C878C",
  "E85D10BF47FFBCE2230F70CB43ED2DDE04FCF342524B383972F86EA1FF773C79",
  "FE454406EFC15EBBCF4C27491519B7EBE696AD2D734A53E02019FC5D02D1419C",
];
const SHOWN_SEED_DIGITS = 8;
const INFLATION = new Properties(PUBLIC_INFLATION);

function makePublicNetwork(description: string, facts: PublicNetworkFacts): PublicNetwork {
  const { nemesisTransactionsRoot: root } = facts;
  const network = new Properties(publicConfiguration(facts));
  return {
    ...identityIn(network),
    description,
    network,
    inflation: INFLATION,
    finalization: new Properties(publicFinalization(facts)),
    node: USUAL_NODE,
    uncirculatingPublicKeys: UNCIRCULATING_PUBLIC_KEYS.map((key) => Buffer.from(key, "hex")),
    nemesisTransactionsRoot: root === undefined ? undefined : Buffer.from(root, "hex"),
  };
}

const BY_NAME = {
  mainnet: makePublicNetwork("Symbol public main network", MAIN_NETWORK_FACTS),
  testnet: makePublicNetwork("Symbol public test network", TEST_NETWORK_FACTS),
};
/** All public networks. */
export const PUBLIC_NETWORKS: readonly PublicNetwork[] = Object.values(BY_NAME);

/** The name of a public network. */
export type PublicNetworkName = keyof typeof BY_NAME;

/** The public network with this name. */
export function publicNetworkNamed(name: PublicNetworkName): PublicNetwork {
  return BY_NAME[name];
}

/** The public network with this generation hash seed and identifier; undefined for any other. */
export function publicNetwork({ identifier, generationHashSeed }: NetworkIdentity): PublicNetwork | undefined {
  return PUBLIC_NETWORKS.find(
    (one) => one.identifier === identifier && one.generationHashSeed.equals(generationHashSeed),
  );
}

/**
 * The public network of a `config-network.properties`; undefined for any other.
 * @throws PropertyError when the file does not name a network
 */
export function publicNetworkWith(network: Properties): PublicNetwork | undefined {
  return publicNetwork(identityIn(network));
}

/** A name that no other network has: that of its type, and for a private network the beginning of its seed. */
export async function uniqueNetworkName(
  network: NetworkIdentity,
  resources: ResourceFiles | undefined,
): Promise<string> {
  if (publicNetwork(network)) return networkName(network.identifier);
  return `${await networkType(network, resources)}-${shownSeed(network)}`;
}

/** The name of a development node. */
const DEVNET = "devnet";

/**
 * What people call a private network: a development network has the identifier of the public test network; its node names
 * itself in its resources.
 */
export async function networkType(
  { identifier }: Pick<NetworkIdentity, "identifier">,
  resources: ResourceFiles | undefined,
): Promise<string> {
  // Its name may be missing, or the file not be readable: what needs the file says so.
  const node = await resources?.node().catch(() => undefined);
  const section = node?.titles().includes("localnode") ? node.section("localnode") : undefined;
  const isDevnet = section?.names().includes("friendlyName") && section.text("friendlyName") === DEVNET;
  return isDevnet ? DEVNET : networkName(identifier);
}

/** The beginning of a network's seed, in hex digits. */
export function shownSeed({ generationHashSeed }: Pick<NetworkIdentity, "generationHashSeed">): string {
  return hex(generationHashSeed).slice(0, SHOWN_SEED_DIGITS);
}

/** What a `config-network.properties` says of a network's identity. */
export function identityIn(network: Properties): Pick<PublicNetwork, "identifier" | "generationHashSeed"> {
  const section = network.section("network");
  return {
    identifier: section.networkIdentifier("identifier"),
    generationHashSeed: section.hex("generationHashSeed"),
  };
}
