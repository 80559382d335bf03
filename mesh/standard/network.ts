import { MeshError } from "./errors.js";
import type { Currency, NetworkIdentifier } from "./schemas.js";

/** The blockchain's name in network identifiers, as in catapult-rest. */
export const BLOCKCHAIN = "Symbol";

/** What never changes in a network. */
export interface NetworkFacts {
  readonly identifier: NetworkIdentifier;
  /** Of addresses: 104 main, 152 test. */
  readonly addressPrefix: number;
  /** 64 hex digits. */
  readonly generationHashSeed: string;
  /** Unix milliseconds of timestamp 0. */
  readonly epochAdjustment: number;
  /** The mosaic of fees. */
  readonly currency: Currency;
}

/** Selection of the facts. */
export const NETWORK_OPERATION = `{
  network { identifier uniqueName generationHashSeed epochAdjustment }
  currency { mosaicId divisibility name }
}`;

interface NetworkData {
  readonly network: {
    readonly identifier: number;
    readonly uniqueName: string;
    readonly generationHashSeed: string;
    readonly epochAdjustment: number;
  };
  readonly currency: { readonly mosaicId: string; readonly divisibility: number; readonly name: string | null };
}

/** The facts in the data of {@link NETWORK_OPERATION}. */
export function networkFacts({ network, currency }: NetworkData): NetworkFacts {
  const { identifier, uniqueName, ...facts } = network;
  return {
    identifier: { blockchain: BLOCKCHAIN, network: uniqueName },
    addressPrefix: identifier,
    ...facts,
    currency: {
      symbol: currency.name ?? currency.mosaicId,
      decimals: currency.divisibility,
      metadata: { id: currency.mosaicId },
    },
  };
}

/** @throws MeshError unsupportedNetwork for a request about another network */
export function checkNetwork(requested: NetworkIdentifier, { identifier }: NetworkFacts): void {
  const { blockchain, network, sub_network_identifier: part } = requested;
  if (blockchain === identifier.blockchain && network === identifier.network && part === undefined) return;
  throw new MeshError("unsupportedNetwork", { supported: identifier });
}
