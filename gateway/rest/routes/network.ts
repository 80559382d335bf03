import { type ZodType, z } from "zod";
import { NetworkConfigurationDTO } from "../../../catapult/json/network-properties.js";
import { Amount, BlockFeeMultiplier, type BodyOf, Height } from "../../../catapult/values/scalars.js";
import type { JsonText } from "../../../schema/graph/scalars.js";
import { path } from "../route/argument.js";
import { height } from "../route/argument-types.js";
import { json, operationRoute, type Route, type RouteDescription } from "../route/route.js";

const NetworkTypeDTO = z.object({ name: z.string(), description: z.string() }).meta({ id: "NetworkTypeDTO" });

const TransactionFeesDTO = z
  .object({
    averageFeeMultiplier: BlockFeeMultiplier,
    medianFeeMultiplier: BlockFeeMultiplier,
    highestFeeMultiplier: BlockFeeMultiplier,
    lowestFeeMultiplier: BlockFeeMultiplier,
    minFeeMultiplier: BlockFeeMultiplier.describe("The minimum fee multiplier that the node accepts."),
  })
  .meta({ id: "TransactionFeesDTO", description: "Fee multipliers of the newest blocks." });

const RentalFeesDTO = z
  .object({
    effectiveRootNamespaceRentalFeePerBlock: Amount,
    effectiveChildNamespaceRentalFee: Amount,
    effectiveMosaicRentalFee: Amount,
  })
  .meta({ id: "RentalFeesDTO", description: "Current rental fees, atomic units of the currency." });

const NetworkInflationDTO = z
  .object({
    startHeight: z
      .union([Height, z.literal("N/A")])
      .describe("First height with this reward; N/A for heights below the first step."),
    rewardAmount: Amount.describe("Amount of the currency created by each block, atomic units."),
  })
  .meta({ id: "NetworkInflationDTO", description: "A step of the inflation." });

/** An amount of the currency in whole units, as plain text. */
const CurrencySupply = z
  .string()
  .regex(/^[0-9]+(\.[0-9]+)?$/)
  .meta({ example: "7842928625.000000" });

const tag = "Network";

type About = Pick<RouteDescription, "path" | "operationId" | "summary">;

/** A route without arguments. `Data` is what the operation selects. */
function networkRoute<Data>(
  about: About,
  result: ZodType,
  work: { readonly operation: string; readonly followsChain?: boolean; readonly render: (data: Data) => string },
): Route {
  const { operation, followsChain = false, render } = work;
  return operationRoute(
    { ...about, method: "GET", tag, arguments: {}, result },
    { operation, followsChain, answer: (data: Data) => ({ body: render(data) }) },
  );
}

type Supply = "max" | "total" | "circulating";

/** Plain text, as in catapult-rest. */
function supplyRoute(supply: Supply, operationId: string, summary: string): Route {
  return operationRoute(
    {
      method: "GET",
      path: `/network/currency/supply/${supply}`,
      operationId,
      tag,
      summary,
      arguments: {},
      result: CurrencySupply,
      mediaType: "text/plain",
    },
    {
      operation: `{ currency { supply: ${supply}Supply } }`,
      followsChain: false,
      answer: ({ currency }: { currency: { supply: string } }) => ({
        body: currency.supply,
        contentType: "text/plain; charset=utf-8",
      }),
    },
  );
}

interface InflationStep {
  readonly startHeight: number;
  readonly rewardAmount: string;
}

/** For every invalid height catapult-rest reports an error of the file. */
const inflationHeight = {
  ...height,
  referenceMessage: () => "there was an error reading the inflation properties file",
};
const renderStep = ({ startHeight, rewardAmount }: InflationStep): BodyOf<typeof NetworkInflationDTO> => ({
  startHeight: String(startHeight),
  rewardAmount,
});
/** As in catapult-rest. */
const BELOW_FIRST_STEP: BodyOf<typeof NetworkInflationDTO> = { startHeight: "N/A", rewardAmount: "0" };

export const networkRoutes: readonly Route[] = [
  networkRoute(
    { path: "/network", operationId: "getNetworkType", summary: "Type and description of the network." },
    NetworkTypeDTO,
    {
      operation: "{ network { name description } }",
      render: ({ network }: { network: BodyOf<typeof NetworkTypeDTO> }) => JSON.stringify(network),
    },
  ),
  networkRoute(
    {
      path: "/network/properties",
      operationId: "getNetworkProperties",
      summary: "The network's configuration, as in the node's config-network.properties.",
    },
    NetworkConfigurationDTO,
    {
      operation: "{ networkProperties }",
      render: (data: { networkProperties: JsonText }) => data.networkProperties.text,
    },
  ),
  networkRoute(
    {
      path: "/network/fees/transaction",
      operationId: "getTransactionFees",
      summary: "Fee multipliers of the newest blocks, and the node's minimum.",
    },
    TransactionFeesDTO,
    {
      operation: `{
        transactionFees {
          averageFeeMultiplier medianFeeMultiplier highestFeeMultiplier lowestFeeMultiplier minFeeMultiplier
        }
      }`,
      render: ({ transactionFees }: { transactionFees: BodyOf<typeof TransactionFeesDTO> }) =>
        JSON.stringify(transactionFees),
    },
  ),
  networkRoute(
    {
      path: "/network/fees/rental",
      operationId: "getRentalFees",
      summary: "Current rental fees of namespaces and mosaics, atomic units of the currency.",
    },
    RentalFeesDTO,
    {
      operation: `{
        rentalFees {
          effectiveRootNamespaceRentalFeePerBlock effectiveChildNamespaceRentalFee effectiveMosaicRentalFee
        }
      }`,
      render: ({ rentalFees }: { rentalFees: BodyOf<typeof RentalFeesDTO> }) => JSON.stringify(rentalFees),
    },
  ),
  networkRoute(
    {
      path: "/network/inflation",
      operationId: "getNetworkInflation",
      summary: "Currency created per block, by height.",
    },
    z.array(NetworkInflationDTO),
    {
      operation: "{ inflation { startHeight rewardAmount } }",
      render: ({ inflation }: { inflation: readonly InflationStep[] }) => JSON.stringify(inflation.map(renderStep)),
    },
  ),
  operationRoute(
    {
      method: "GET",
      path: "/network/inflation/at/{height}",
      operationId: "getNetworkInflationAtHeight",
      tag,
      summary: "Currency created by a block at a height, and since which height.",
      arguments: { height: path(inflationHeight, "Height of the block, from 1.") },
      result: NetworkInflationDTO,
    },
    {
      operation: "query ($height: SafeInt!) { step: inflationAt(height: $height) { startHeight rewardAmount } }",
      followsChain: false,
      answer: ({ step }: { step: InflationStep | null }) => json(step ? renderStep(step) : BELOW_FIRST_STEP),
    },
  ),
  supplyRoute("max", "getMaxCurrencySupply", "Maximum supply of the currency, in whole units."),
  supplyRoute("total", "getTotalCurrencySupply", "Current supply of the currency, in whole units."),
  supplyRoute(
    "circulating",
    "getCirculatingCurrencySupply",
    "Current supply without the nemesis account and other accounts that do not circulate, in whole units.",
  ),
];
