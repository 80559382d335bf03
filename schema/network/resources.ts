import type { ResourceFiles } from "../../catapult/network/node-resources.js";
import type { Properties } from "../../catapult/network/properties.js";
import { type PublicNetwork, publicNetwork } from "../../catapult/network/public-networks.js";
import { networkOf } from "../dry-runs/network-rules.js";
import { serviceUnavailable } from "../errors/errors.js";
import type { Context } from "../graph/context.js";

/**
 * The configuration of the network and its node: that of CATAPULT_RESOURCES, otherwise the built-in one of a public
 * network.
 */
export function resourcesOf(context: Context): ResourceFiles {
  return context.resources ?? new BuiltInFiles(context);
}

/**
 * The built-in configuration of the indexed public network. Its methods throw ApiError ServiceUnavailable for other
 * networks.
 */
class BuiltInFiles implements ResourceFiles {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  async network(): Promise<Properties> {
    return (await this.#known()).network;
  }

  async node(): Promise<Properties> {
    return (await this.#known()).node;
  }

  async inflation(): Promise<Properties> {
    return (await this.#known()).inflation;
  }

  async #known(): Promise<PublicNetwork> {
    const known = publicNetwork(await networkOf(this.#context));
    if (known) return known;
    throw serviceUnavailable("this needs the node's resource files: set CATAPULT_RESOURCES to their folder");
  }
}
