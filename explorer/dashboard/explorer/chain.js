import { epochOf } from "../format.js";
import { ask } from "../graphql.js";

// What all pages need to know of the chain. The epoch comes from the node's clock, the currency from its resources:
// pages work without both, but then show timestamps and the currency's id instead.

const NODE = "{ nodeTime { sendTimestamp } }";
const CURRENCY = "{ currency { mosaicId divisibility } }";

export const chain = {
  /** Unix ms of the network's epoch adjustment. */
  epochMs: undefined,
  /** `{ mosaicId, divisibility, name }` */
  currency: { mosaicId: undefined, divisibility: 6, name: "" },
};

/** Reads both; called once, before the first page is drawn. */
export async function readChain() {
  const [node, currency] = await Promise.allSettled([ask(NODE), ask(CURRENCY)]);
  if (node.status === "fulfilled") chain.epochMs = epochOf(node.value.nodeTime);
  if (currency.status === "fulfilled") {
    const { mosaicId, divisibility } = currency.value.currency;
    const { mosaic } = await ask("query ($id: ArtifactId!) { mosaic(id: $id) { names } }", { id: mosaicId });
    chain.currency = { mosaicId, divisibility, name: mosaic?.names[0] ?? "" };
  }
}

/** Unix ms of a timestamp of the chain, or undefined while the epoch is unknown. */
export const unixMs = (timestamp) => (chain.epochMs === undefined ? undefined : chain.epochMs + Number(timestamp));
