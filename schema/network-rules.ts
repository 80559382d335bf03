import type { NetworkIdentity } from "../catapult/model.js";
import type { NodeResources } from "../catapult/node-resources.js";
import type { Properties } from "../catapult/properties.js";
import { publicNetwork } from "../catapult/public-networks.js";
import { type TransactionRules, transactionRules, UNLIMITED_RULES } from "../catapult/transaction-rules.js";

/** What a network's configuration allows transactions to be. */
export class NetworkRules {
  readonly #resources: NodeResources | undefined;
  #known: { readonly properties: Properties; readonly rules: TransactionRules } | undefined;

  /** @param resources of a node of the network; without them only what is known of the public networks is */
  constructor(resources: NodeResources | undefined) {
    this.#resources = resources;
  }

  /**
   * The rules in the node's resources; without resources those of the public network with this seed, and of another one
   * only what holds in all networks.
   * @throws NodeResourcesError or PropertyError when the resources cannot be read
   */
  async read({ generationHashSeed }: NetworkIdentity): Promise<TransactionRules> {
    if (!this.#resources) return publicNetwork(generationHashSeed)?.rules ?? UNLIMITED_RULES;
    const properties = await this.#resources.network();
    if (this.#known?.properties !== properties) this.#known = { properties, rules: transactionRules(properties) };
    return this.#known.rules;
  }
}
