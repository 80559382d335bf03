import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { ResourceFiles } from "../../catapult/network/node-resources.js";
import type { Properties } from "../../catapult/network/properties.js";
import { publicNetwork } from "../../catapult/network/public-networks.js";
import { type TransactionRules, transactionRules, UNLIMITED_RULES } from "../../catapult/network/transaction-rules.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { readNetworkIdentity } from "../../database/queries/network.js";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/config/network-config.js";

/**
 * The indexed network; while nothing is indexed, that of the node.
 * @throws errors of an unreachable database or node
 */
export async function networkOf({ db, node }: { db: Db; node: NodeClient }): Promise<NetworkIdentity> {
  const identity = await readNetworkIdentity(db);
  if (identity) return identity;
  const { networkIdentifier, networkGenerationHashSeed } = await node.nodeInfo();
  return { identifier: networkIdentifier, generationHashSeed: networkGenerationHashSeed };
}

/** What dry runs need to know of a network and its node. */
export interface DryRunRules {
  readonly config: NetworkConfig;
  /** The lowest fee multiplier that the node accepts, in atomic units per byte. */
  readonly minFeeMultiplier: number;
}

interface KnownRules {
  readonly properties: Properties;
  readonly height: number;
  readonly rules: TransactionRules;
}

/**
 * A network's rules, from the resources of a node of it; without resources those of the public network with its seed.
 * All methods throw NodeResourcesError or PropertyError when the resources cannot be read.
 */
export class NetworkRules {
  readonly #resources: ResourceFiles | undefined;
  #known: KnownRules | undefined;
  #parsed: { readonly properties: Properties; readonly config: NetworkConfig } | undefined;

  constructor(resources: ResourceFiles | undefined) {
    this.#resources = resources;
  }

  /** The rules for transactions of the block at `height`; for an unknown network only those that hold everywhere. */
  async read(network: NetworkIdentity, height: number): Promise<TransactionRules> {
    const properties = await this.#readProperties(network);
    if (!properties) return UNLIMITED_RULES;
    if (this.#known?.properties !== properties || this.#known.height !== height) {
      this.#known = { properties, height, rules: transactionRules(properties, height) };
    }
    return this.#known.rules;
  }

  /** Unix ms of the time 0; undefined for an unknown network. */
  async epoch(network: NetworkIdentity): Promise<number | undefined> {
    return (await this.#readProperties(network))?.section("network").milliseconds("epochAdjustment");
  }

  async #readProperties(network: NetworkIdentity): Promise<Properties | undefined> {
    return this.#resources ? await this.#resources.network() : publicNetwork(network)?.network;
  }

  /** The rules for dry runs; undefined for an unknown network. */
  async readForDryRuns(network: NetworkIdentity): Promise<DryRunRules | undefined> {
    const resources = this.#resources;
    const builtIn = publicNetwork(network);
    const [properties, inflation, node] = resources
      ? await Promise.all([resources.network(), resources.inflation(), resources.node()])
      : [builtIn?.network, builtIn?.inflation, builtIn?.node];
    if (!properties || !inflation || !node) return undefined;
    if (this.#parsed?.properties !== properties)
      this.#parsed = { properties, config: parseNetworkConfig(properties, inflation) };
    const { config } = this.#parsed;
    if (!config.generationHashSeed.equals(network.generationHashSeed)) return undefined;
    return { config, minFeeMultiplier: node.section("node").number("minFeeMultiplier") };
  }
}
