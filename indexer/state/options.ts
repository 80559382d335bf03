import type { Logger } from "pino";
import { hex } from "../../catapult/entity/hex.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { publicNetwork } from "../../catapult/network/public-networks.js";
import { stateRules } from "../../catapult/state/network-rules.js";
import type { HarvestingRules } from "../../catapult/state/touched.js";

/** How state is followed: what a network's configuration says. That of the public networks is known without it. */
export interface StateOptions {
  /** Of the network that this is said of: on another one it does not count. */
  readonly generationHashSeed?: Buffer;
  /** Without them, all accounts are read again at each importance block. */
  readonly harvestingRules?: HarvestingRules;
  /** The account (24 bytes) that gets the network's share of fees. Without it, it is known from its first receipt on. */
  readonly harvestFeeSink?: Buffer;
  /** Without them, they are known from the first rental fee on. */
  readonly rentalFeeSinks?: NonNullable<NetworkIdentity["rentalFeeSinks"]>;
  /** Keys read for one step at most, besides what its own blocks changed; default 2,000. */
  readonly batchSize?: number;
}

/** A network with all that is known of it, and how its state is followed. */
export interface NetworkRules {
  readonly network: NetworkIdentity;
  readonly state: Pick<StateOptions, "batchSize" | "harvestFeeSink"> & {
    readonly harvestingRules: HarvestingRules | undefined;
  };
}

/** What is known of a network: what was given, if it is of this network, else what is built in of a public one. */
export function networkRules(network: NetworkIdentity, options: StateOptions | undefined, log: Logger): NetworkRules {
  const { generationHashSeed: seed, batchSize, ...given } = options ?? {};
  const isOfNetwork = !seed || seed.equals(network.generationHashSeed);
  if (!isOfNetwork) {
    log.warn(
      { configured: hex(seed), network: hex(network.generationHashSeed) },
      "The network's configuration is that of another network than the node's: it does not count",
    );
  }
  const { rentalFeeSinks, harvestingRules, harvestFeeSink } = { ...builtInRules(network), ...(isOfNetwork && given) };
  return {
    network: { ...network, ...(rentalFeeSinks && { rentalFeeSinks }) },
    state: {
      harvestingRules,
      ...(harvestFeeSink && { harvestFeeSink }),
      ...(batchSize !== undefined && { batchSize }),
    },
  };
}

function builtInRules(network: NetworkIdentity): Partial<StateOptions> {
  const known = publicNetwork(network);
  return known ? stateRules(known.network) : {};
}
