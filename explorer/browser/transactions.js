import { chain } from "./chain.js";
import { accountColumn, ageColumn, blockColumn, figureColumn, signerColumn } from "./columns.js";
import { html } from "./dom.js";
import { sumsFor } from "./movements.js";
import { pageOf } from "./place.js";
import { messageOf } from "./sentence.js";
import { AccountLink, MosaicFigure, TransactionLink, Type } from "./values.js";
import { words } from "./words.js";

// Rows of transactions, as all pages list them.

/** Mosaics of a row that are shown; the others are counted. */
const MAX_MOSAICS = 2;
const SIGNS = { "+": "in", "−": "out" };
const HUES = { in: 150, out: 5, both: 215, self: 240 };

export const Mosaics = ({ mosaics }) => [
  ...(mosaics || [])
    .slice(0, MAX_MOSAICS)
    .map((one) => html`<div class=${SIGNS[one.sign]}><${MosaicFigure} ...${one} /></div>`),
  mosaics?.length > MAX_MOSAICS &&
    html`<div class="note">${words("more", { count: mosaics.length - MAX_MOSAICS })}</div>`,
];

function Message({ row }) {
  const text = messageOf(row);
  return text === undefined ? "" : html`<q class="message" title=${text}>${text}</q>`;
}

/** An embedded transaction has no hash: it is named by its aggregate and its place in it. */
function Name({ row: { hash, id, aggregate, index } }) {
  if (hash) return html`<${TransactionLink} hash=${hash} />`;
  const text = aggregate?.hash ? `${aggregate.hash.slice(0, 8)}… #${index + 1}` : `#${index + 1}`;
  return html`<${TransactionLink} hash=${id} text=${text} />`;
}

/** Its type, which leads to it where there is no room for its hash. */
const TypeLink = ({ hash, id, type }) =>
  html`<a href=${pageOf("transaction", hash || id)}><${Type} type=${type} /></a>`;
const amountColumn = (pick) => [
  "amount",
  (row) => html`<${Mosaics} mosaics=${pick(row)} />`,
  "number aside",
  chain.currency.name,
];

export const transactionColumns = () => [
  ["transaction", (row) => html`<${Name} row=${row} />`, "mid"],
  ["type", TypeLink, "main"],
  blockColumn("block", ({ height }) => height, "number low"),
  signerColumn("signer", ({ signer }) => signer),
  // An alias that is not resolved here has no account.
  accountColumn(
    "recipient",
    ({ recipient, recipientAddress }) => recipient || { address: recipientAddress },
    "flexible to",
  ),
  amountColumn(({ mosaics }) => mosaics),
  ["message", (row) => html`<${Message} row=${row} />`, "flexible low"],
  figureColumn("fee", ({ fee }) => ({ amount: fee || 0, isEmptyZero: true }), "number low"),
  ageColumn,
];

const without = (columns, ...names) => columns.filter(([name]) => !names.includes(name));

/** Those of a list beside another one. */
export const briefColumns = () => without(transactionColumns(), "transaction", "block", "message", "fee");
/** Those of a block's transactions. */
export const columnsOfBlock = () => without(transactionColumns(), "block", "age");
/** Those of pending transactions, which are in no block. */
export const pendingColumns = () => without(transactionColumns(), "block", "age", "fee");
/** Those of transactions inside an aggregate. */
export const embeddedColumns = () => [
  ["transaction", ({ id }, index) => html`<${TransactionLink} hash=${id} text=${`#${index + 1}`} />`],
  ...without(pendingColumns(), "transaction"),
];

/** Those of an account's transactions: what each did to its balances, by which counterparties. */
export function columnsFor(address) {
  const effects = new WeakMap();
  const effectOf = (row) => {
    if (!effects.has(row)) effects.set(row, sumsFor(row, address));
    return effects.get(row);
  };
  const [transaction, type, block, ...others] = transactionColumns();
  return [
    transaction,
    type,
    ["direction", (row) => html`<${Badge} direction=${effectOf(row).direction} />`, "low"],
    block,
    ["counterparty", (row) => html`<${Counterparties} accounts=${effectOf(row).counterparties} />`, "flexible"],
    amountColumn((row) => effectOf(row).amounts),
    ...without(others, "signer", "recipient", "amount"),
  ];
}

const Counterparties = ({ accounts: [first, ...others] }) => [
  first && html`<${AccountLink} ...${first} isShort />`,
  others.length > 0 && html` <small>${words("more", { count: others.length })}</small>`,
];

const Badge = ({ direction }) =>
  HUES[direction] &&
  html`<span class=${`badge ${direction}`} style=${`--hue: ${HUES[direction]}`}>${words(`direction.${direction}`)}</span>`;
