import { Address, generateMosaicId } from "symbol-sdk/symbol";
import { addressOfPublicKey } from "../catapult/address.js";
import type { NetworkIdentity } from "../catapult/model.js";
import type { DevnetKeys } from "./keys.js";
import type { DevnetRules } from "./settings.js";

const CURRENCY_NONCE = 0;

/** What is fixed for all blocks of a devnet. */
export interface DevnetNetwork {
  readonly rules: DevnetRules;
  readonly identity: NetworkIdentity;
  readonly nemesisPublicKey: Buffer;
  /** The one mosaic that pays fees and gives importance; owned by the nemesis account. */
  readonly currencyMosaicId: bigint;
  readonly currencyNonce: number;
  readonly harvestSinkAddress: Buffer;
}

/** Puts together what rules and keys say about a network. */
export function createNetwork(keys: DevnetKeys, rules: DevnetRules): DevnetNetwork {
  const addressOf = (publicKey: Buffer) => addressOfPublicKey(publicKey, rules.networkIdentifier);
  const owner = new Address(new Uint8Array(addressOf(keys.nemesis.publicKey)));
  return {
    rules,
    identity: { identifier: rules.networkIdentifier, generationHashSeed: keys.generationHashSeed },
    nemesisPublicKey: keys.nemesis.publicKey,
    currencyMosaicId: generateMosaicId(owner, CURRENCY_NONCE),
    currencyNonce: CURRENCY_NONCE,
    harvestSinkAddress: addressOf(keys.harvestSink.publicKey),
  };
}
