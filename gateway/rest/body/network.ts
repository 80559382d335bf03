import { z } from "zod";
import { Amount, BlockFeeMultiplier, type BodyOf, Height } from "../../../catapult/values/scalars.js";

export const NetworkTypeDTO = z.object({ name: z.string(), description: z.string() }).meta({ id: "NetworkTypeDTO" });

export type NetworkTypeBody = BodyOf<typeof NetworkTypeDTO>;

export const TransactionFeesDTO = z
  .object({
    averageFeeMultiplier: BlockFeeMultiplier,
    medianFeeMultiplier: BlockFeeMultiplier,
    highestFeeMultiplier: BlockFeeMultiplier,
    lowestFeeMultiplier: BlockFeeMultiplier,
    minFeeMultiplier: BlockFeeMultiplier.describe("The minimum fee multiplier that the node accepts."),
  })
  .meta({ id: "TransactionFeesDTO", description: "Fee multipliers of the newest blocks." });

export type TransactionFeesBody = BodyOf<typeof TransactionFeesDTO>;

export const RentalFeesDTO = z
  .object({
    effectiveRootNamespaceRentalFeePerBlock: Amount,
    effectiveChildNamespaceRentalFee: Amount,
    effectiveMosaicRentalFee: Amount,
  })
  .meta({ id: "RentalFeesDTO", description: "Current rental fees, atomic units of the currency." });

export type RentalFeesBody = BodyOf<typeof RentalFeesDTO>;

export const NetworkInflationDTO = z
  .object({
    startHeight: z
      .union([Height, z.literal("N/A")])
      .describe("First height with this reward; N/A for heights below the first step."),
    rewardAmount: Amount.describe("Amount of the currency created by each block, atomic units."),
  })
  .meta({ id: "NetworkInflationDTO", description: "A step of the inflation." });

export type NetworkInflationBody = BodyOf<typeof NetworkInflationDTO>;

/** An amount of the currency in whole units, as plain text. */
export const CurrencySupply = z
  .string()
  .regex(/^[0-9]+(\.[0-9]+)?$/)
  .meta({ example: "7842928625.000000" });
