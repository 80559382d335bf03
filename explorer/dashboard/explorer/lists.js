import { count } from "../format.js";
import { at, listOf } from "../place.js";
import { formatAmount } from "./amounts.js";
import { html } from "./library.js";
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

// The lists of the navigation: what each shows.

const owner = ({ owner: account, ownerAddress }) =>
  html`<${AccountLink} address=${ownerAddress} names=${account?.names} isShort />`;
const balance = ({ mosaics }, mosaicId) => mosaics.find((one) => one.mosaicId === mosaicId)?.amount ?? "0";

export const LISTS = {
  blocks: {
    title: "Blocks",
    columns: () => [
      ["Height", ({ height }) => html`<${BlockLink} height=${height} />`],
      ["Time", ({ timestamp }) => html`<${Time} timestamp=${timestamp} />`],
      ["Age", ({ timestamp }) => html`<${Age} timestamp=${timestamp} />`],
      ["Transactions", ({ transactionsCount }) => count(transactionsCount), "number"],
      ["Fees", ({ totalFee }) => html`<${CurrencyAmount} amount=${totalFee} />`, "number"],
      ["Fee multiplier", ({ feeMultiplier }) => count(feeMultiplier), "number"],
      [
        "Harvester",
        ({ harvester, signerPublicKey }) =>
          html`<${AccountLink} address=${harvester?.address ?? signerPublicKey} names=${harvester?.names} isShort />`,
      ],
      ["Finalized", ({ isFinalized }) => html`<${YesNo} value=${isFinalized} />`],
    ],
  },
  transactions: {
    title: "Transactions",
    columns: () => TRANSACTION_COLUMNS,
    csv: ({ type, address, mosaicId, fromTime, toTime, embedded }) =>
      exportOf({ type, address, transferMosaicId: mosaicId, fromTime, toTime: afterOf(toTime), embedded }),
  },
  pending: {
    title: "Pending transactions",
    columns: () => [
      ...TRANSACTION_COLUMNS.filter(([name]) => !["Block", "Time", "Fee"].includes(name)),
      ["Deadline", ({ deadline }) => html`<${Time} timestamp=${deadline} />`],
      ["Cosignatures", ({ cosignatures }) => count(cosignatures.length), "number"],
    ],
  },
  accounts: {
    title: "Accounts",
    columns: ({ mosaicId }, first) => [
      ["Rank", (_row, index) => count(first + index), "number"],
      ["Account", ({ address, names }) => html`<${AccountLink} address=${address} names=${names} />`],
      [
        "Balance",
        (row) =>
          html`<${MosaicAmount} amount=${balance(row, mosaicId)} id=${mosaicId}
            mosaic=${row.mosaics.find((one) => one.mosaicId === mosaicId)?.mosaic} />`,
        "number",
      ],
      ["Importance", ({ importance }) => count(importance), "number"],
    ],
  },
  mosaics: {
    title: "Mosaics",
    columns: () => [
      ["Mosaic", ({ mosaicId, names }) => html`<${MosaicLink} id=${mosaicId} names=${names} />`],
      ["Id", ({ mosaicId }) => html`<code>${mosaicId}</code>`],
      ["Supply", ({ supply, divisibility }) => formatAmount(supply, divisibility), "number"],
      ["Creator", owner],
      ["From block", ({ startHeight }) => html`<${BlockLink} height=${startHeight} />`, "number"],
      [
        "Until block",
        ({ startHeight, duration }) =>
          duration === "0" ? "never expires" : count(Number(startHeight) + Number(duration)),
        "number",
      ],
      ["Holders", ({ mosaicId }) => html`<a href=${listOf("accounts", { mosaic: mosaicId })}>holders</a>`],
    ],
  },
  namespaces: {
    title: "Namespaces",
    columns: () => [
      ["Name", ({ namespaceId, name }) => html`<${NamespaceLink} id=${namespaceId} name=${name} />`],
      ["Owner", owner],
      ["Alias of", ({ alias: { address, mosaicId } }) => aliasOf(address, mosaicId)],
      ["Active", ({ active }) => html`<${YesNo} value=${active} />`],
      ["From block", ({ startHeight }) => html`<${BlockLink} height=${startHeight} />`, "number"],
    ],
  },
};

/** Ends are inclusive in lists, and exclusive in files. */
const afterOf = (time) => time && new Date(Date.parse(time) + 1).toISOString();

/** The same transactions as a file. */
function exportOf(filters) {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return at(`transactions/confirmed.csv?${new URLSearchParams(given)}`);
}

function aliasOf(address, mosaicId) {
  if (address) return html`<${AccountLink} address=${address} isShort />`;
  return mosaicId ? html`<${MosaicLink} id=${mosaicId} />` : "";
}
