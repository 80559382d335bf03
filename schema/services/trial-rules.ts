import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { ResourceFiles } from "../../catapult/network/node-resources.js";
import type { Properties } from "../../catapult/network/properties.js";
import { publicNetwork } from "../../catapult/network/public-networks.js";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/config/network-config.js";

/** What trials need to know of a network and its node. */
export interface TrialRules {
  readonly config: NetworkConfig;
  /** The lowest fee multiplier that the node accepts, in atomic units per byte. */
  readonly minFeeMultiplier: number;
}

/** Reads a network's rules for trials. */
export class TrialRulesReader {
  readonly #resources: ResourceFiles | undefined;
  #parsed: { readonly properties: Properties; readonly config: NetworkConfig } | undefined;

  /** @param resources of a node of the network; without them only the public networks are known */
  constructor(resources: ResourceFiles | undefined) {
    this.#resources = resources;
  }

  /**
   * The rules in the node's resources, otherwise the built-in ones of a public network; undefined for another network.
   *
   * @throws NodeResourcesError or PropertyError when the resources cannot be read
   */
  async read(network: NetworkIdentity): Promise<TrialRules | undefined> {
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
