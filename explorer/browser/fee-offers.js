// What a transaction may offer, and how long it would have waited for one of the last blocks.

/** Bytes of a transfer of one mosaic without a message. */
const TRANSFER_SIZE = 176;

/**
 * @param blocks the last blocks, the newest first
 * @param fees the multipliers of the network, and the least that its node accepts
 * @returns `{ name, multiplier, fee, seconds }`: fee of a transfer in atomic units; seconds is undefined if none of the
 *   blocks had taken it
 */
export function feeOffers(blocks, { minFeeMultiplier, medianFeeMultiplier, highestFeeMultiplier }) {
  const slow = Math.max(1, minFeeMultiplier);
  const usual = Math.max(slow, medianFeeMultiplier);
  const offers = { slow, usual, fast: Math.max(usual, highestFeeMultiplier) };
  return Object.entries(offers).map(([name, multiplier]) => ({
    name,
    multiplier,
    fee: multiplier * TRANSFER_SIZE,
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
