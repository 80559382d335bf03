import { hex } from "../../catapult/entity/hex.js";
import { idText } from "../../catapult/json/format.js";
import type { ResourceFiles } from "../../catapult/network/node-resources.js";
import type { Properties } from "../../catapult/network/properties.js";
import {
  identityIn,
  type PublicNetworkName,
  publicNetworkNamed,
  uniqueNetworkName,
} from "../../catapult/network/public-networks.js";
import { BLOCKCHAIN, type NetworkFacts } from "./network.js";

/** The public networks and the development network have this name and divisibility of their currency in their first block. */
const CURRENCY = { symbol: "symbol.xym", decimals: 6 };

/** The facts of a public network, without a database. */
export function builtInNetwork(name: PublicNetworkName): NetworkFacts {
  return factsIn(publicNetworkNamed(name).network, name);
}

/** The facts of a network with these files, whose currency is as on the public networks. */
export async function configuredNetwork(resources: ResourceFiles): Promise<NetworkFacts> {
  const network = await resources.network();
  return factsIn(network, await uniqueNetworkName(identityIn(network), resources));
}

function factsIn(network: Properties, name: string): NetworkFacts {
  const identity = identityIn(network);
  return {
    identifier: { blockchain: BLOCKCHAIN, network: name },
    addressPrefix: identity.identifier,
    generationHashSeed: hex(identity.generationHashSeed),
    epochAdjustment: network.section("network").milliseconds("epochAdjustment"),
    currency: { ...CURRENCY, metadata: { id: idText(network.section("chain").bigint("currencyMosaicId")) } },
  };
}
