import type { Logger } from "pino";
import { hex } from "../../../catapult/entity/hex.js";
import type { NetworkIdentity } from "../../../catapult/entity/model.js";
import { publicNetwork } from "../../../catapult/network/public-networks.js";
import { type TransactionRules, UNLIMITED_RULES } from "../../../catapult/network/transaction-rules.js";
import { stateRules } from "../../../catapult/state/network-rules.js";

/** What is known of a network's configuration. That of the public networks is built in. */
export interface StateOptions {
  /** The network of this configuration: it is ignored on another one. */
  readonly generationHashSeed?: Buffer;
  /** Without them, they are known from the first rental fee on. */
  readonly rentalFeeSinks?: NonNullable<NetworkIdentity["rentalFeeSinks"]>;
  /** The rules about single transactions by height. Without them, pending ones are checked less closely. */
  readonly transactionRules?: (height: number) => TransactionRules;
  /** When the network's time begins, ms since 1970. Without it, the time of the node is not limited by this machine's. */
  readonly epochAdjustment?: number;
}

/** What is known about pending transactions without state. */
export interface PendingRules {
  /** The rules about single transactions, by height. */
  readonly rulesAt: (height: number) => TransactionRules;
  /** When the network's time begins, ms since 1970, if known. */
  readonly epochAdjustment: number | undefined;
}

/**
 * The rules of a network: the given ones, if they belong to this network, otherwise the built-in ones of a public
 * network.
 */
export function networkRules(
  network: NetworkIdentity,
  options: StateOptions | undefined,
  log: Logger,
): PendingRules & { readonly network: NetworkIdentity } {
  const { generationHashSeed: seed, ...given } = options ?? {};
  const isOfNetwork = !seed || seed.equals(network.generationHashSeed);
  if (!isOfNetwork) {
    log.warn(
      { configured: hex(seed), network: hex(network.generationHashSeed) },
      "Ignoring network configuration: it belongs to another network",
    );
  }
  const rules = { ...builtInRules(network), ...(isOfNetwork && given) };
  const { rentalFeeSinks, transactionRules = () => UNLIMITED_RULES, epochAdjustment } = rules;
  return {
    network: { ...network, ...(rentalFeeSinks && { rentalFeeSinks }) },
    rulesAt: transactionRules,
    epochAdjustment,
  };
}

function builtInRules(network: NetworkIdentity): Partial<StateOptions> {
  const known = publicNetwork(network);
  return known ? stateRules(known.network) : {};
}
