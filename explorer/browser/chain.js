import { timeOf } from "../days.ts";
import { count, formatAmount, percent } from "./format.js";
import { ask } from "./graphql.js";
import { words } from "./words.js";

// What all pages need to know of the chain. All of it may come from the node's resources: pages work without them, but then
// show timestamps and the currency's id instead.

export const chain = {
  /** Unix ms of the network's epoch adjustment. */
  epochMs: undefined,
  /** What the importances of all accounts add up to. */
  totalImportance: undefined,
  /** Timestamp of the second block: the first one is as old as the network's time, which may be years older. */
  begin: 0,
  currency: { mosaicId: undefined, divisibility: 6, name: "", names: [] },
};

/** Reads all; called once, before the first page is drawn. */
export async function readChain() {
  const [known, network] = await Promise.allSettled([ask("chain"), ask("networkName")]);
  if (network.status === "fulfilled") showNetwork(network.value.network.uniqueName);
  if (known.status === "rejected") return;
  const {
    network: ofChain,
    currency: { name, ...mosaic },
  } = known.value;
  const currency = { ...mosaic, name: name ?? "", names: name ? [name] : [] };
  Object.assign(chain, timeOf(known.value), { currency, totalImportance: Number(ofChain.totalImportance) });
}

/** An amount of the currency with its name. @param isFixed whether all decimal places are written */
export const currencyText = (amount, isFixed) =>
  `${formatAmount(amount, chain.currency.divisibility, isFixed)} ${chain.currency.name}`;

/** As a share of all, where that is known. */
export const importanceOf = (importance) =>
  chain.totalImportance === undefined ? count(importance) : percent(Number(importance) / chain.totalImportance);

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
