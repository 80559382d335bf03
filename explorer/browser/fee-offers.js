// What a transaction may offer, and how long it would have waited for one of the last blocks.

/** Bytes of a transfer of one mosaic without a message. */
const TRANSFER_SIZE = 176;
/** Of the public networks, for blocks without fees. */
const DEFAULT_MULTIPLIER = 100;

/**
 * @param blocks the last blocks, the newest first
 * @returns `{ name, multiplier, fee, seconds }` for the lowest multiplier of blocks with fees, their median and the highest:
 *   fee of a transfer in atomic units; seconds is undefined if none of the blocks had taken it
 */
export function feeOffers(blocks) {
  const paid = blocks.map(({ feeMultiplier }) => feeMultiplier).filter((one) => one > 0);
  const sorted = (paid.length > 0 ? paid : [DEFAULT_MULTIPLIER]).sort((a, b) => a - b);
  const offers = { slow: sorted[0], usual: sorted[sorted.length >> 1], fast: sorted[sorted.length - 1] };
  return Object.entries(offers).map(([name, multiplier]) => ({
    ...{ name, multiplier, fee: multiplier * TRANSFER_SIZE },
    seconds: secondsUntil(blocks, multiplier),
  }));
}

/**
 * Mean time from any moment of these blocks until the next one whose multiplier, which is that of its cheapest
 * transaction, is not above the offer.
 */
function secondsUntil(blocks, multiplier) {
  // The first block of a chain is as old as its network.
  const oldestFirst = blocks.filter(({ height }) => height > 1).reverse();
  let last = oldestFirst[0]?.timestamp;
  let [waited, moments] = [0, 0];
  for (const { feeMultiplier, timestamp } of oldestFirst.slice(1)) {
    if (feeMultiplier > multiplier) continue;
    const gap = (timestamp - last) / 1_000;
    waited += (gap * gap) / 2;
    moments += gap;
    last = timestamp;
  }
  return moments > 0 ? waited / moments : undefined;
}
