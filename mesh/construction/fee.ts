import { computeFee } from "../../catapult/entity/block.js";
import { MeshError } from "../standard/errors.js";
import type { TransactionOptions } from "./terms.js";

/** Factors are exact to this part. */
const FACTOR_PARTS = 1_000_000;

/**
 * The maximum fee of a transaction, in atomic units: its size times the median multiplier of the newest blocks, times
 * the factor that the client wants; at least what the node accepts, at most what the client pays.
 * @throws MeshError feeTooLow if the client pays less than the node accepts
 */
export function maxFeeFor(
  { size, suggested_fee_multiplier: factor = 1, max_fee: max }: TransactionOptions,
  {
    minFeeMultiplier,
    medianFeeMultiplier,
  }: { readonly minFeeMultiplier: number; readonly medianFeeMultiplier: number },
): bigint {
  const minimum = computeFee(size, minFeeMultiplier);
  const usual = computeFee(size, Math.max(minFeeMultiplier, medianFeeMultiplier));
  const parts = BigInt(FACTOR_PARTS);
  const wanted = (usual * BigInt(Math.round(factor * FACTOR_PARTS)) + parts - 1n) / parts;
  const suggested = wanted > minimum ? wanted : minimum;
  if (max === undefined || suggested <= BigInt(max)) return suggested;
  if (BigInt(max) >= minimum) return BigInt(max);
  throw new MeshError("feeTooLow", { member: "options.max_fee", minimum: String(minimum) });
}
