import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { generateMosaicId } from "../../catapult/entity/generated-id.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/state/network-config.js";
import type { DevnetKeys } from "./keys.js";
import { inflationProperties, networkProperties } from "./network-properties.js";
import type { DevnetRules } from "./settings.js";

const CURRENCY_NONCE = 0;

/** The constants of a devnet. */
export interface DevnetNetwork {
  readonly rules: DevnetRules;
  /** The same rules in the form of the state engine. */
  readonly config: NetworkConfig;
  readonly identity: NetworkIdentity;
  /** The only mosaic that pays fees and gives importance; owned by the nemesis account. */
  readonly currencyMosaicId: bigint;
  readonly currencyNonce: number;
  /** Texts of the files with the network's rules, by their names. */
  readonly properties: Readonly<Record<"config-network.properties" | "config-inflation.properties", string>>;
}

/** Combines rules and keys. */
export function createNetwork(keys: DevnetKeys, rules: DevnetRules): DevnetNetwork {
  const addressOf = ({ publicKey }: { publicKey: Buffer }) => addressOfPublicKey(publicKey, rules.networkIdentifier);
  const currencyMosaicId = generateMosaicId(addressOf(keys.nemesis), CURRENCY_NONCE);
  const sinks = { mosaic: addressOf(keys.mosaicSink), namespace: addressOf(keys.namespaceSink) };
  const networkText = networkProperties(rules, {
    nemesisPublicKey: keys.nemesis.publicKey,
    generationHashSeed: keys.generationHashSeed,
    currencyMosaicId,
    harvestSinkAddress: addressOf(keys.harvestSink),
    mosaicSinkAddress: sinks.mosaic,
    namespaceSinkAddress: sinks.namespace,
  });
  const inflationText = inflationProperties(rules);
  return {
    rules,
    config: parseNetworkConfig(networkText, inflationText),
    identity: {
      identifier: rules.networkIdentifier,
      generationHashSeed: keys.generationHashSeed,
      rentalFeeSinks: () => sinks,
    },
    currencyMosaicId,
    currencyNonce: CURRENCY_NONCE,
    properties: { "config-network.properties": networkText, "config-inflation.properties": inflationText },
  };
}
