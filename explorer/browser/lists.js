import { html } from "htm/preact/standalone";
import { count, formatAmount } from "./format.js";
import { at, listOf } from "./place.js";
import { TRANSACTION_COLUMNS } from "./transactions.js";
import {
  AccountLink,
  Age,
  BlockLink,
  CurrencyAmount,
  MosaicAmount,
  MosaicLink,
  NamespaceLink,
  Time,
  YesNo,
} from "./values.js";
import { words } from "./words.js";

// The lists of the navigation: what each shows.

const owner = ({ owner: account, ownerAddress }) =>
  html`<${AccountLink} address=${ownerAddress} names=${account?.names} isShort />`;
const balance = ({ mosaics }, mosaicId) => mosaics.find((one) => one.mosaicId === mosaicId)?.amount ?? "0";

export const LISTS = {
  blocks: {
    title: "blocks",
    columns: () => [
      ["height", ({ height }) => html`<${BlockLink} height=${height} />`],
      ["time", ({ timestamp }) => html`<${Time} timestamp=${timestamp} />`],
      ["age", ({ timestamp }) => html`<${Age} timestamp=${timestamp} />`],
      ["transactions", ({ transactionsCount }) => count(transactionsCount), "number"],
      ["fees", ({ totalFee }) => html`<${CurrencyAmount} amount=${totalFee} isFixed />`, "number"],
      ["feeMultiplier", ({ feeMultiplier }) => count(feeMultiplier), "number"],
      [
        "harvester",
        ({ harvester, signerPublicKey }) =>
          html`<${AccountLink} address=${harvester?.address ?? signerPublicKey} names=${harvester?.names} isShort />`,
      ],
      ["finalized", ({ isFinalized }) => html`<${YesNo} value=${isFinalized} />`],
    ],
  },
  transactions: {
    title: "transactions",
    columns: () => TRANSACTION_COLUMNS,
    csv: ({ type, address, mosaicId, fromTime, toTime, embedded }) =>
      exportOf({ type, address, transferMosaicId: mosaicId, fromTime, toTime: afterOf(toTime), embedded }),
  },
  pending: {
    title: "pendingTransactions",
    columns: () => [
      ...TRANSACTION_COLUMNS.filter(([name]) => !["block", "time", "fee"].includes(name)),
      ["deadline", ({ deadline }) => html`<${Time} timestamp=${deadline} />`],
      ["cosignatures", ({ cosignatures }) => count(cosignatures.length), "number"],
    ],
  },
  accounts: {
    title: "accounts",
    columns: ({ mosaicId }, first) => [
      ["rank", (_row, index) => count(first + index), "number"],
      ["account", ({ address, names }) => html`<${AccountLink} address=${address} names=${names} />`],
      [
        "balance",
        (row) =>
          html`<${MosaicAmount} amount=${balance(row, mosaicId)} id=${mosaicId}
            mosaic=${row.mosaics.find((one) => one.mosaicId === mosaicId)?.mosaic} isFixed />`,
        "number",
      ],
      ["importance", ({ importance }) => count(importance), "number"],
    ],
  },
  mosaics: {
    title: "mosaics",
    columns: () => [
      ["mosaic", ({ mosaicId, names }) => html`<${MosaicLink} id=${mosaicId} names=${names} />`],
      ["id", ({ mosaicId }) => html`<code>${mosaicId}</code>`],
      ["supply", ({ supply, divisibility }) => formatAmount(supply, divisibility, true), "number"],
      ["creator", owner],
      ["fromBlock", ({ startHeight }) => html`<${BlockLink} height=${startHeight} />`, "number"],
      [
        "untilBlock",
        ({ startHeight, duration }) =>
          duration === "0" ? words("neverExpires") : count(Number(startHeight) + Number(duration)),
        "number",
      ],
      ["holders", ({ mosaicId }) => html`<a href=${listOf("accounts", { mosaic: mosaicId })}>${words("holders")}</a>`],
    ],
  },
  namespaces: {
    title: "namespaces",
    columns: () => [
      ["name", ({ namespaceId, name }) => html`<${NamespaceLink} id=${namespaceId} name=${name} />`],
      ["owner", owner],
      ["aliasOf", ({ alias: { address, mosaicId } }) => aliasOf(address, mosaicId)],
      ["active", ({ active }) => html`<${YesNo} value=${active} />`],
      ["fromBlock", ({ startHeight }) => html`<${BlockLink} height=${startHeight} />`, "number"],
    ],
  },
};

/** Ends are inclusive in lists, and exclusive in files. */
const afterOf = (time) => time && new Date(Date.parse(time) + 1).toISOString();

/** The same transactions as a file. */
function exportOf(filters) {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return at(`transactions/confirmed.csv?${new URLSearchParams([...given, ["bom", "1"]])}`);
}

function aliasOf(address, mosaicId) {
  if (address) return html`<${AccountLink} address=${address} isShort />`;
  return mosaicId ? html`<${MosaicLink} id=${mosaicId} />` : "";
}
