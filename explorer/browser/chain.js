import { timeOf } from "../days.ts";
import { ask } from "./graphql.js";
import { words } from "./words.js";

// What all pages need to know of the chain. All of it may come from the node's resources: pages work without them, but then
// show timestamps and the currency's id instead.

export const chain = {
  /** Unix ms of the network's epoch adjustment. */
  epochMs: undefined,
  /** Timestamp of the second block: the first one is as old as the network's time, which may be years older. */
  begin: 0,
  /** `{ mosaicId, divisibility, name }` */
  currency: { mosaicId: undefined, divisibility: 6, name: "" },
};

/** Reads all; called once, before the first page is drawn. */
export async function readChain() {
  const [epoch, currency, network] = await Promise.allSettled([ask("epoch"), ask("currency"), ask("networkName")]);
  if (epoch.status === "fulfilled") Object.assign(chain, timeOf(epoch.value));
  if (network.status === "fulfilled") showNetwork(network.value.network.uniqueName);
  if (currency.status === "fulfilled") {
    const { mosaicId, divisibility } = currency.value.currency;
    const { mosaic } = await ask("mosaicNames", { id: mosaicId });
    chain.currency = { mosaicId, divisibility, name: mosaic?.names[0] || "" };
  }
}

const HUES = { mainnet: 150, testnet: 35, private: 215 };

/** The network's badge: that of each kind has its own colour. */
function showNetwork(name) {
  const badge = document.getElementById("network");
  const kind = HUES[name] === undefined ? "private" : name;
  Object.assign(badge, { hidden: false, title: name, textContent: words(`network.${kind}`) });
  badge.style.setProperty("--hue", HUES[kind]);
}

/** Unix ms of a timestamp of the chain, or undefined while the epoch is unknown. */
export const unixMs = (timestamp) => (chain.epochMs === undefined ? undefined : chain.epochMs + Number(timestamp));

/** The same for charts of the chain's time. */
export const chartMs = (timestamp) => unixMs(Math.max(Number(timestamp), chain.begin));
