import type { Block } from "../../catapult/entity/model.js";
import { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";
import type { NetworkConfig } from "../config/network-config.js";

/**
 * Tolerance for a slow clock of this machine, ms. Nodes agree on a network time and allow less: a block that they
 * accept is not rejected because of this machine's clock.
 */
export const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Verifies that the time of a new block is not in the future: a harvester that claims a longer wait has a higher
 * chance to hit. Source: `Failure_Consumer_Remote_Chain_Too_Far_In_Future` of catapult's
 * `consumers/BlockchainCheckConsumer.cpp`.
 *
 * @param now ms since 1970
 * @throws BlockRejectedError when it is ahead by more than the network and `CLOCK_TOLERANCE_MS` allow
 */
export function verifyBlockTime(
  { height, timestamp }: Pick<Block, "height" | "timestamp">,
  { epochAdjustment, maxBlockFutureTime }: Pick<NetworkConfig, "epochAdjustment" | "maxBlockFutureTime">,
  now: number,
): void {
  const ahead = epochAdjustment + timestamp - now;
  if (ahead <= maxBlockFutureTime + CLOCK_TOLERANCE_MS) return;
  const clock = new Date(now).toISOString();
  throw new BlockRejectedError(
    height,
    "timestamp",
    `is ${Math.round(ahead)} ms ahead of this machine's clock (${clock})`,
  );
}
