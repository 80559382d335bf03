import type { Section } from "../../catapult/network/properties.js";
import { latestFeeMultipliers } from "../../database/queries/blocks.js";
import { serviceUnavailable } from "../errors/errors.js";
import { builder } from "../graph/builder.js";
import type { Context } from "../graph/context.js";
import { members } from "../graph/members.js";
import { resourcesOf } from "./resources.js";

/** Number of newest blocks for fee statistics, as in catapult-rest's default configuration. */
const FEE_STATISTICS_BLOCKS = 300;

interface TransactionFees {
  readonly average: number;
  readonly median: number;
  readonly highest: number;
  readonly lowest: number;
  readonly minimum: number;
}

/** Atomic units of the currency. */
interface RentalFees {
  readonly rootNamespacePerBlock: bigint;
  readonly childNamespace: bigint;
  readonly mosaic: bigint;
}

const TransactionFeesType = builder.objectRef<TransactionFees>("TransactionFees").implement({
  description: `Statistics of the fee multipliers of the newest ${FEE_STATISTICS_BLOCKS} blocks: atomic units of the currency per byte.`,
  fields: (t) =>
    members(t, {
      averageFeeMultiplier: ["SafeInt", "Average multiplier; 0 counts as the network's default.", "average"],
      medianFeeMultiplier: ["SafeInt", "Median multiplier; 0 counts as the network's default.", "median"],
      highestFeeMultiplier: ["SafeInt", "Highest multiplier.", "highest"],
      lowestFeeMultiplier: ["SafeInt", "Lowest multiplier.", "lowest"],
      minFeeMultiplier: ["SafeInt", "Minimum multiplier that the node accepts.", "minimum"],
    }),
});

const RentalFeesType = builder.objectRef<RentalFees>("RentalFees").implement({
  description: "Current rental fees of namespaces and mosaics, atomic units of the currency.",
  fields: (t) =>
    members(t, {
      effectiveRootNamespaceRentalFeePerBlock: [
        "UInt64",
        "Fee of a root namespace per block of its duration.",
        "rootNamespacePerBlock",
      ],
      effectiveChildNamespaceRentalFee: ["UInt64", "Fee of a child namespace.", "childNamespace"],
      effectiveMosaicRentalFee: ["UInt64", "Fee of a mosaic.", "mosaic"],
    }),
});

builder.queryFields((t) => ({
  transactionFees: t.field({
    type: TransactionFeesType,
    description: "Statistics of recently paid transaction fees.",
    resolve: async (_root, _args, context) => {
      const [network, node] = await Promise.all([resourcesOf(context).network(), resourcesOf(context).node()]);
      const multipliers = await readMultipliers(context, FEE_STATISTICS_BLOCKS);
      const defaulted = withDefault(multipliers, network.section("chain"));
      return {
        average: Math.floor(defaulted.reduce((sum, value) => sum + value, 0) / defaulted.length),
        median: median(defaulted),
        highest: Math.max(...multipliers),
        lowest: Math.min(...multipliers),
        minimum: node.section("node").number("minFeeMultiplier"),
      };
    },
  }),
  rentalFees: t.field({
    type: RentalFeesType,
    description: "Current rental fees, which follow the median fee multiplier.",
    resolve: async (_root, _args, context) => {
      const network = await resourcesOf(context).network();
      const chain = network.section("chain");
      const multipliers = await readMultipliers(context, chain.number("maxDifficultyBlocks") || 1);
      const multiplier = BigInt(median(withDefault(multipliers, chain)));
      const namespace = network.section("plugin:catapult.plugins.namespace");
      const mosaic = network.section("plugin:catapult.plugins.mosaic");
      return {
        rootNamespacePerBlock: multiplier * namespace.bigint("rootNamespaceRentalFeePerBlock"),
        childNamespace: multiplier * namespace.bigint("childNamespaceRentalFee"),
        mosaic: multiplier * mosaic.bigint("mosaicRentalFee"),
      };
    },
  }),
}));

async function readMultipliers({ db }: Context, count: number): Promise<number[]> {
  const multipliers = await latestFeeMultipliers(db, count);
  if (multipliers.length === 0) throw serviceUnavailable("nothing is indexed yet: try again");
  return multipliers;
}

/** A block without transactions, or with free ones, is no indication of a fee. */
function withDefault(multipliers: readonly number[], chain: Section): number[] {
  const fallback = chain.number("defaultDynamicFeeMultiplier");
  return multipliers.map((multiplier) => (multiplier === 0 ? fallback : multiplier));
}

/** The median; for an even number the mean of the two middle values, rounded down. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = Math.floor(sorted.length / 2);
  const lower = Math.floor((sorted.length - 1) / 2);
  return Math.floor(((sorted[lower] ?? 0) + (sorted[upper] ?? 0)) / 2);
}
