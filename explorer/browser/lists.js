import { chain } from "./chain.js";
import * as column from "./columns.js";
import { html } from "./dom.js";
import { count, percent } from "./format.js";
import { at } from "./paths.js";
import { AccountLink, MosaicLink } from "./values.js";
import { words } from "./words.js";

// The lists of the navigation: what each shows.

/** As a share of all, where that is known. */
export const importanceOf = (importance, total) =>
  total === undefined ? count(importance) : percent(Number(importance) / Number(total));

export const LISTS = {
  blocks: { columns: () => column.BLOCK_COLUMNS },
  transactions: {
    columns: () => column.TRANSACTION_COLUMNS,
    csv: ({ type, address, mosaicId, fromTime, toTime, embedded }) =>
      exportOf({ type, address, transferMosaicId: mosaicId, fromTime, toTime: afterOf(toTime), embedded }),
  },
  pending: { title: "pendingTransactions", columns: () => column.PENDING_COLUMNS },
  accounts: {
    columns: ({ mosaicId }, first, total) => [
      column.rankColumn(first),
      column.accountColumn("account", (row) => row, "main flexible", false),
      column.figureColumn(
        "balance",
        (row) => holdingOf(row, mosaicId),
        "number aside",
        () => mosaicId === chain.currency.mosaicId && chain.currency.name,
      ),
      ["importance", ({ importance }) => importanceOf(importance, total), "number end labelled"],
    ],
  },
  mosaics: {
    columns: () => [
      column.mosaicColumn,
      ["id", ({ mosaicId }) => html`<code translate="no">${mosaicId}</code>`, "low"],
      column.supplyColumn,
      column.ownerColumn("creator"),
      column.startColumn("number mid"),
      ["untilBlock", endOf, "number mid"],
      column.holdersColumn,
    ],
  },
  namespaces: {
    columns: () => [
      column.nameColumn,
      column.ownerColumn("owner"),
      ["aliasOf", Alias, "flexible mid"],
      column.activeColumn,
      column.startColumn("number end labelled"),
    ],
  },
};

function holdingOf({ mosaics }, mosaicId) {
  const { amount = "0", mosaic } = mosaics.find((one) => one.mosaicId === mosaicId) || {};
  return { amount, divisibility: mosaic?.divisibility };
}

const endOf = ({ startHeight, duration }) =>
  duration === "0" ? words("neverExpires") : count(Number(startHeight) + Number(duration));

/** Ends are inclusive in lists, and exclusive in files. */
const afterOf = (time) => time && new Date(Date.parse(time) + 1).toISOString();

/** The same transactions as a file. */
function exportOf(filters) {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return at(`transactions/confirmed.csv?${new URLSearchParams([...given, ["bom", "1"]])}`);
}

function Alias({ alias: { address, mosaicId } }) {
  if (address) return html`<${AccountLink} address=${address} isShort />`;
  return mosaicId ? html`<${MosaicLink} id=${mosaicId} />` : "";
}
