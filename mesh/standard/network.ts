import { MeshError } from "./errors.js";
import type { Currency, NetworkIdentifier } from "./schemas.js";

/** The blockchain's name in network identifiers, as in catapult-rest. */
export const BLOCKCHAIN = "Symbol";

/** What never changes in a network. */
export interface NetworkFacts {
  readonly identifier: NetworkIdentifier;
  /** The first byte of addresses: 104 main, 152 test. */
  readonly addressPrefix: number;
  /** 64 hex digits. */
  readonly generationHashSeed: string;
  /** Unix milliseconds of timestamp 0. */
  readonly epochAdjustment: number;
  /** The mosaic of fees. */
  readonly currency: Currency;
  /** Whether responses are like those of catapult-rest's Rosetta, where they differ; default false. */
  readonly isLikeReference?: boolean;
}

/** Selection of the facts. */
export const NETWORK_OPERATION = `{
  network { identifier uniqueName name generationHashSeed epochAdjustment }
  currency { mosaicId divisibility name }
}`;

interface NetworkData {
  readonly network: {
    readonly identifier: number;
    readonly uniqueName: string;
    readonly name: string;
    readonly generationHashSeed: string;
    readonly epochAdjustment: number;
  };
  readonly currency: { readonly mosaicId: string; readonly divisibility: number; readonly name: string | null };
}

/**
 * The facts in the data of {@link NETWORK_OPERATION}.
 * @param isLikeReference catapult-rest calls a private network by the name of its identifier, such as `testnet`
 */
export function networkFacts({ network, currency }: NetworkData, isLikeReference = false): NetworkFacts {
  const { identifier, uniqueName, name, ...facts } = network;
  return {
    identifier: { blockchain: BLOCKCHAIN, network: isLikeReference ? name : uniqueName },
    isLikeReference,
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
