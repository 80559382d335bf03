import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { generateMosaicId } from "../../catapult/entity/generated-id.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/config/network-config.js";
import type { DevnetKeys, FeeSinks } from "./keys.js";
import {
  finalizationProperties,
  inflationProperties,
  networkProperties,
  type SinkAddresses,
} from "./network-properties.js";
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
  readonly properties: Readonly<
    Record<"config-network.properties" | "config-inflation.properties" | "config-finalization.properties", string>
  >;
}

/** Combines rules and keys. */
export function createNetwork(keys: DevnetKeys, rules: DevnetRules): DevnetNetwork {
  const addressOf = ({ publicKey }: { publicKey: Buffer }) => addressOfPublicKey(publicKey, rules.networkIdentifier);
  const currencyMosaicId = generateMosaicId(addressOf(keys.nemesis), CURRENCY_NONCE);
  const addressesOf = (sinks: FeeSinks): SinkAddresses => ({
    harvest: addressOf(sinks.harvest),
    mosaic: addressOf(sinks.mosaic),
    namespace: addressOf(sinks.namespace),
  });
  const sinks = addressesOf(keys.sinks);
  const formerSinks = rules.treasuryReissuance > 0 ? addressesOf(keys.formerSinks) : sinks;
  const networkText = networkProperties(rules, {
    nemesisPublicKey: keys.nemesis.publicKey,
    generationHashSeed: keys.generationHashSeed,
    currencyMosaicId,
    sinks,
    formerSinks,
  });
  const formerVoters = rules.firstBalances ? keys.formerVoters.map(({ signer }) => addressOf(signer)) : [];
  const finalizationText = finalizationProperties(rules, formerVoters);
  const inflationText = inflationProperties(rules);
  return {
    rules,
    config: parseNetworkConfig(networkText, inflationText, finalizationText),
    identity: {
      identifier: rules.networkIdentifier,
      generationHashSeed: keys.generationHashSeed,
      rentalFeeSinks: (height) => (height < rules.treasuryReissuance ? formerSinks : sinks),
    },
    currencyMosaicId,
    currencyNonce: CURRENCY_NONCE,
    properties: {
      "config-network.properties": networkText,
      "config-inflation.properties": inflationText,
      "config-finalization.properties": finalizationText,
    },
  };
}
