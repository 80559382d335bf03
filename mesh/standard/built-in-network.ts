import { hex } from "../../catapult/entity/hex.js";
import { idText } from "../../catapult/json/format.js";
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
  return configuredNetwork(publicNetworkNamed(name).network);
}

/** The facts of a network with this `config-network.properties`, whose currency is as on the public networks. */
export function configuredNetwork(network: Properties): NetworkFacts {
  const identity = identityIn(network);
  return {
    identifier: { blockchain: BLOCKCHAIN, network: uniqueNetworkName(identity) },
    addressPrefix: identity.identifier,
    generationHashSeed: hex(identity.generationHashSeed),
    epochAdjustment: network.section("network").milliseconds("epochAdjustment"),
    currency: { ...CURRENCY, metadata: { id: idText(network.section("chain").bigint("currencyMosaicId")) } },
  };
}
