import { chain } from "./chain.js";
import {
  accountColumn,
  activeColumn,
  ageColumn,
  blockColumn,
  countColumn,
  figureColumn,
  mosaicColumn,
  nameColumn,
  ownerColumn,
  signerColumn,
  startColumn,
  supplyColumn,
} from "./columns.js";
import { html } from "./dom.js";
import { count, percent, zone } from "./format.js";
import { at, listOf } from "./place.js";
import { pendingColumns, transactionColumns } from "./transactions.js";
import { AccountLink, MosaicLink, Time, YesNo } from "./values.js";
import { words } from "./words.js";

// The lists of the navigation: what each shows.

const timeColumn = (name, kind) => [
  name,
  (row) => html`<${Time} timestamp=${row.deadline || row.timestamp} isZoned=${false} />`,
  kind,
  zone(),
];

/** As a share of all, where that is known. */
export const importanceOf = (importance, total) =>
  total === undefined ? count(importance) : percent(Number(importance) / Number(total));

const [heightColumn, harvesterColumn] = [
  blockColumn("height", ({ height }) => height, "main"),
  signerColumn("harvester", ({ harvester }) => harvester),
];
/** Quiet for a block without transactions. */
const transactionsColumn = [
  "transactions",
  ({ transactionsCount: number }) => html`<span class=${number === 0 ? "note" : ""}>${count(number)}</span>`,
  "number aside labelled",
];
/** Blocks beside another list. */
export const briefBlockColumns = [heightColumn, transactionsColumn, harvesterColumn, ageColumn];

export const LISTS = {
  blocks: {
    title: "blocks",
    columns: () => [
      heightColumn,
      timeColumn("time", "low"),
      transactionsColumn,
      figureColumn("fees", ({ totalFee }) => ({ amount: totalFee, isEmptyZero: true }), "number mid"),
      countColumn("feeMultiplier", ({ feeMultiplier }) => feeMultiplier, "number mid"),
      harvesterColumn,
      ["finalized", ({ isFinalized }) => html`<${YesNo} value=${isFinalized} />`, "mid"],
      ageColumn,
    ],
  },
  transactions: {
    title: "transactions",
    columns: transactionColumns,
    csv: ({ type, address, mosaicId, fromTime, toTime, embedded }) =>
      exportOf({ type, address, transferMosaicId: mosaicId, fromTime, toTime: afterOf(toTime), embedded }),
  },
  pending: {
    title: "pendingTransactions",
    columns: () => [
      ...pendingColumns(),
      countColumn("cosignatures", ({ cosignatures }) => cosignatures.length, "number mid"),
      timeColumn("deadline", "end"),
    ],
  },
  accounts: {
    title: "accounts",
    columns: ({ mosaicId }, first, total) => [
      countColumn("rank", (_row, index) => first + index),
      accountColumn("account", (row) => row, "main flexible", false),
      figureColumn(
        "balance",
        (row) => holdingOf(row, mosaicId),
        undefined,
        mosaicId === chain.currency.mosaicId ? undefined : "",
      ),
      ["importance", ({ importance }) => importanceOf(importance, total), "number end labelled"],
    ],
  },
  mosaics: {
    title: "mosaics",
    columns: () => [
      mosaicColumn,
      ["id", ({ mosaicId }) => html`<code translate="no">${mosaicId}</code>`, "low"],
      supplyColumn,
      ownerColumn("creator"),
      startColumn("number mid"),
      ["untilBlock", endOf, "number mid"],
      [
        "holders",
        ({ mosaicId }) => html`<a href=${listOf("accounts", { mosaic: mosaicId })}>${words("holders")}</a>`,
        "end",
      ],
    ],
  },
  namespaces: {
    title: "namespaces",
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
