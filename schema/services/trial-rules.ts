import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { ResourceFiles } from "../../catapult/network/node-resources.js";
import type { Properties } from "../../catapult/network/properties.js";
import { publicNetwork } from "../../catapult/network/public-networks.js";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/state/network-config.js";

/** What trials need to know of a network and its node. */
export interface TrialRules {
  readonly config: NetworkConfig;
  /** The lowest fee multiplier that the node accepts, in atomic units per byte. */
  readonly minFeeMultiplier: number;
}

const parsed = new WeakMap<Properties, NetworkConfig>();

/**
 * The rules of a network for trials: those of the node's resources, otherwise the built-in ones of a public network;
 * undefined for another network.
 *
 * @throws NodeResourcesError or PropertyError when the resources cannot be read
 */
export async function trialRulesOf(
  network: NetworkIdentity,
  resources: ResourceFiles | undefined,
): Promise<TrialRules | undefined> {
  const builtIn = publicNetwork(network);
  const [properties, inflation, node] = resources
    ? await Promise.all([resources.network(), resources.inflation(), resources.node()])
    : [builtIn?.network, builtIn?.inflation, builtIn?.node];
  if (!properties || !inflation || !node) return undefined;
  const config = parsed.get(properties) ?? parseNetworkConfig(properties, inflation);
  parsed.set(properties, config);
  if (!config.generationHashSeed.equals(network.generationHashSeed)) return undefined;
  return { config, minFeeMultiplier: node.section("node").number("minFeeMultiplier") };
}
