import { addressIn, buildAmount, knownDecimals, parseMosaicId } from "../standard/amounts.js";
import { endpoint } from "../standard/endpoint.js";
import { invalidMember, MeshError } from "../standard/errors.js";
import type { NetworkFacts } from "../standard/network.js";
import {
  AccountBalanceRequest,
  type AccountBalanceResponse,
  AccountCoinsRequest,
  type AccountCoinsResponse,
  type Currency,
} from "../standard/schemas.js";
import { blockVariables } from "./block.js";

interface BalanceData {
  readonly mosaicId: string;
  readonly divisibility: number | null;
  readonly amount: string;
}

interface BalancesData {
  readonly block: { readonly height: number; readonly hash: string; readonly balances: readonly BalanceData[] } | null;
}

/** Balances after any block: all that are not 0, or those of the requested currencies. */
export const accountBalance = endpoint<typeof AccountBalanceRequest, AccountBalanceResponse>({
  path: "/account/balance",
  request: AccountBalanceRequest,
  operations: {
    balances: `query ($height: SafeInt, $hash: Hash256, $address: Address!, $mosaicIds: [ArtifactId!]) {
      block: namedBlock(height: $height, hash: $hash) {
        height hash balances(address: $address, mosaicIds: $mosaicIds) { mosaicId divisibility amount }
      }
    }`,
  },
  answer: async (request, { ask, network }) => {
    const { account_identifier: account, block_identifier: requested = {}, currencies } = request;
    const wanted = currencies && wantedMosaics(currencies, network);
    const { block } = await ask<BalancesData>("balances", {
      ...blockVariables(requested),
      address: addressIn(account, network),
      mosaicIds: wanted && [...wanted.keys()].map((id) => BigInt(`0x${id}`)),
    });
    if (!block) throw new MeshError("blockNotFound", { ...requested });
    return {
      block_identifier: { index: block.height, hash: block.hash },
      balances: block.balances.map(({ mosaicId, divisibility, amount }) => {
        const decimals = checkedDecimals(mosaicId, divisibility, wanted?.get(mosaicId));
        return buildAmount(amount, mosaicId, decimals, network);
      }),
    };
  },
});

/** The requested decimals by mosaic id. @throws MeshError invalidRequest */
function wantedMosaics(currencies: readonly Currency[], network: NetworkFacts): ReadonlyMap<string, number> {
  return new Map(
    currencies.map((one, position) => [parseMosaicId(one, `currencies.${position}`, network), one.decimals]),
  );
}

/** @throws MeshError invalidRequest for a requested currency without a mosaic, unavailable for another unknown mosaic */
function checkedDecimals(mosaicId: string, divisibility: number | null, requested: number | undefined): number {
  if (requested === undefined) return knownDecimals(mosaicId, divisibility);
  if (divisibility === null) throw invalidMember("currencies", `there is no mosaic ${mosaicId}`);
  if (divisibility !== requested) throw invalidMember("currencies", `mosaic ${mosaicId} has ${divisibility} decimals`);
  return divisibility;
}

/** Symbol has accounts, not coins. */
export const accountCoins = endpoint<typeof AccountCoinsRequest, AccountCoinsResponse>({
  path: "/account/coins",
  request: AccountCoinsRequest,
  answer: () => {
    throw new MeshError("notImplemented");
  },
});
