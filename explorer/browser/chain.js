import { ask } from "./graphql.js";
import { words } from "./words.js";

// What all pages need to know of the chain. All of it may come from the node's resources: pages work without them, but then
// show timestamps and the currency's id instead.

export const chain = {
  /** Unix ms of the network's epoch adjustment. */
  epochMs: undefined,
  /** `{ mosaicId, divisibility, name }` */
  currency: { mosaicId: undefined, divisibility: 6, name: "" },
};

/** Reads all; called once, before the first page is drawn. */
export async function readChain() {
  const [epoch, currency, network] = await Promise.allSettled([readEpoch(), ask("currency"), ask("networkName")]);
  if (epoch.status === "fulfilled") chain.epochMs = epoch.value;
  if (network.status === "fulfilled") showNetwork(network.value.network.uniqueName);
  if (currency.status === "fulfilled") {
    const { mosaicId, divisibility } = currency.value.currency;
    const { mosaic } = await ask("mosaicNames", { id: mosaicId });
    chain.currency = { mosaicId, divisibility, name: mosaic?.names[0] || "" };
  }
}

const PUBLIC = ["mainnet", "testnet"];

/** The network's badge: that of each kind has its own colour. */
function showNetwork(name) {
  const badge = document.getElementById("network");
  const kind = PUBLIC.includes(name) ? name : "private";
  Object.assign(badge, { hidden: false, title: name });
  badge.style.setProperty("--hue", { mainnet: 150, testnet: 35, private: 215 }[kind]);
  badge.textContent = words(`network.${kind}`);
}

/** Unix ms of the network's epoch adjustment; fails where neither the index nor the node's files have it. */
export async function readEpoch() {
  return Number((await ask("epoch")).network.epochAdjustment);
}

/** Unix ms of a timestamp of the chain, or undefined while the epoch is unknown. */
export const unixMs = (timestamp) => (chain.epochMs === undefined ? undefined : chain.epochMs + Number(timestamp));
