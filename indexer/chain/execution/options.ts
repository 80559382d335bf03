import type { NetworkIdentity } from "../../../catapult/entity/model.js";
import { findRentalFeeSinks, type NetworkConfig } from "../../../ledger/config/network-config.js";
import { UnknownNetworkError } from "../step/errors.js";

/** Options of executing blocks. */
export interface ExecutionOptions {
  /** The rules of a network, if known. */
  readonly configOf: (network: NetworkIdentity) => NetworkConfig | undefined;
  /** The seed of the configured network, if there is one: an empty index adopts no other. */
  readonly generationHashSeed?: Buffer | undefined;
  /** The time that blocks must not be ahead of, ms since 1970; default that of this machine. */
  readonly now?: () => number;
}

/** The rules by which the network's blocks are executed. @throws UnknownNetworkError when they are unknown */
export function requireConfig(options: Pick<ExecutionOptions, "configOf">, network: NetworkIdentity): NetworkConfig {
  const config = options.configOf(network);
  if (!config) throw new UnknownNetworkError(network.generationHashSeed);
  return config;
}

/** A network, with who receives the rental fees of its blocks. */
export function withSinks(
  network: NetworkIdentity,
  config: Pick<NetworkConfig, "mosaic" | "namespace">,
): NetworkIdentity {
  return { ...network, rentalFeeSinks: findRentalFeeSinks(config) };
}
