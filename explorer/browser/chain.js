import { ask } from "./graphql.js";

// What all pages need to know of the chain. Both may come from the node's resources: pages work without them, but then
// show timestamps and the currency's id instead.

export const chain = {
  /** Unix ms of the network's epoch adjustment. */
  epochMs: undefined,
  /** `{ mosaicId, divisibility, name }` */
  currency: { mosaicId: undefined, divisibility: 6, name: "" },
};

/** Reads both; called once, before the first page is drawn. */
export async function readChain() {
  const [epoch, currency] = await Promise.allSettled([readEpoch(), ask("currency")]);
  if (epoch.status === "fulfilled") chain.epochMs = epoch.value;
  if (currency.status === "fulfilled") {
    const { mosaicId, divisibility } = currency.value.currency;
    const { mosaic } = await ask("mosaicNames", { id: mosaicId });
    chain.currency = { mosaicId, divisibility, name: mosaic?.names[0] ?? "" };
  }
}

/** Unix ms of the network's epoch adjustment; fails where neither the index nor the node's files have it. */
export async function readEpoch() {
  return Number((await ask("epoch")).network.epochAdjustment);
}

/** Unix ms of a timestamp of the chain, or undefined while the epoch is unknown. */
export const unixMs = (timestamp) => (chain.epochMs === undefined ? undefined : chain.epochMs + Number(timestamp));
