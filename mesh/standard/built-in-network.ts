import { hex } from "../../catapult/entity/hex.js";
import { idText } from "../../catapult/json/format.js";
import { type PublicNetworkName, publicNetworkNamed } from "../../catapult/network/public-networks.js";
import { BLOCKCHAIN, type NetworkFacts } from "./network.js";

/** Both public networks have this name and divisibility of their currency in their first block. */
const CURRENCY = { symbol: "symbol.xym", decimals: 6 };

/** The facts of a public network, without a database. */
export function builtInNetwork(name: PublicNetworkName): NetworkFacts {
  const { identifier, generationHashSeed, network } = publicNetworkNamed(name);
  return {
    identifier: { blockchain: BLOCKCHAIN, network: name },
    addressPrefix: identifier,
    generationHashSeed: hex(generationHashSeed),
    epochAdjustment: network.section("network").milliseconds("epochAdjustment"),
    currency: { ...CURRENCY, metadata: { id: idText(network.section("chain").bigint("currencyMosaicId")) } },
  };
}
