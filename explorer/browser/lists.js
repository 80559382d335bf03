import { chain } from "./chain.js";
import {
  accountColumn,
  activeColumn,
  BLOCK_COLUMNS,
  figureColumn,
  holdersColumn,
  mosaicColumn,
  nameColumn,
  ownerColumn,
  PENDING_COLUMNS,
  rankColumn,
  startColumn,
  supplyColumn,
  TRANSACTION_COLUMNS,
} from "./columns.js";
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
  blocks: { columns: () => BLOCK_COLUMNS },
  transactions: {
    columns: () => TRANSACTION_COLUMNS,
    csv: ({ type, address, mosaicId, fromTime, toTime, embedded }) =>
      exportOf({ type, address, transferMosaicId: mosaicId, fromTime, toTime: afterOf(toTime), embedded }),
  },
  pending: { title: "pendingTransactions", columns: () => PENDING_COLUMNS },
  accounts: {
    columns: ({ mosaicId }, first, total) => [
      rankColumn(first),
      accountColumn("account", (row) => row, "main flexible", false),
      figureColumn(
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
      mosaicColumn,
      ["id", ({ mosaicId }) => html`<code translate="no">${mosaicId}</code>`, "low"],
      supplyColumn,
      ownerColumn("creator"),
      startColumn("number mid"),
      ["untilBlock", endOf, "number mid"],
      holdersColumn,
    ],
  },
  namespaces: {
    columns: () => [
      nameColumn,
      ownerColumn("owner"),
      ["aliasOf", Alias, "flexible mid"],
      activeColumn,
      startColumn("number end labelled"),
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
