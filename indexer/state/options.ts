import type { Logger } from "pino";
import type { NetworkIdentity } from "../../catapult/model.js";
import type { HarvestingRules } from "../../catapult/state/touched.js";
import { knownHarvestingRules } from "./importance.js";

/** How state is followed: what a network's configuration says. What importance blocks need is known of public networks. */
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

/** What is known of a network: of public ones from the start, of others what was given, if it is of this network. */
export function networkRules(network: NetworkIdentity, options: StateOptions | undefined, log: Logger): NetworkRules {
  const { generationHashSeed, rentalFeeSinks, batchSize, ...given } = options ?? {};
  const state = { harvestingRules: knownHarvestingRules(network), ...(batchSize !== undefined && { batchSize }) };
  if (!generationHashSeed || generationHashSeed.equals(network.generationHashSeed)) {
    return { network: { ...network, ...(rentalFeeSinks && { rentalFeeSinks }) }, state: { ...state, ...given } };
  }
  log.warn(
    { configured: hex(generationHashSeed), network: hex(network.generationHashSeed) },
    "The network's configuration is that of another network than the node's: it does not count",
  );
  return { network, state };
}

function hex(bytes: Buffer): string {
  return bytes.toString("hex").toUpperCase();
}
