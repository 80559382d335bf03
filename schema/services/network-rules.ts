import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { NodeResources } from "../../catapult/network/node-resources.js";
import type { Properties } from "../../catapult/network/properties.js";
import { publicNetwork } from "../../catapult/network/public-networks.js";
import { type TransactionRules, transactionRules, UNLIMITED_RULES } from "../../catapult/network/transaction-rules.js";

interface KnownRules {
  readonly properties: Properties;
  readonly height: number;
  readonly rules: TransactionRules;
}

/** A network's rules about transactions. */
export class NetworkRules {
  readonly #resources: NodeResources | undefined;
  #known: KnownRules | undefined;

  /** @param resources of a node of the network; without them only the public networks are known */
  constructor(resources: NodeResources | undefined) {
    this.#resources = resources;
  }

  /**
   * The rules for transactions of the block at `height`, from the node's resources; without resources those of the
   * public network with this seed, and for other networks only rules that hold everywhere.
   * @throws NodeResourcesError or PropertyError when the resources cannot be read
   */
  async read(network: NetworkIdentity, height: number): Promise<TransactionRules> {
    const properties = this.#resources ? await this.#resources.network() : publicNetwork(network)?.network;
    if (!properties) return UNLIMITED_RULES;
    if (this.#known?.properties !== properties || this.#known.height !== height) {
      this.#known = { properties, height, rules: transactionRules(properties, height) };
    }
    return this.#known.rules;
  }
}
