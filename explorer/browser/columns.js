import { chain } from "./chain.js";
import { html } from "./dom.js";
import { count, percent, zone } from "./format.js";
import { sumsFor } from "./movements.js";
import { listOf, pageOf } from "./paths.js";
import { messageOf, Sentence } from "./sentence.js";
import {
  AccountLink,
  Age,
  accountOf,
  BlockLink,
  Figure,
  MosaicFigure,
  MosaicLink,
  NamespaceLink,
  Time,
  TransactionLink,
  Type,
  YesNo,
} from "./values.js";
import { nameOf, words } from "./words.js";

// Columns that several tables have: `[heading, render(row, index), class?, unit?]`, see table.js.

/** @param pick the account of a row, `{ address, names }`, or undefined */
export const accountColumn = (name, pick, kind = "flexible", isShort = true) => [
  name,
  (row) => (pick(row)?.address ? html`<${AccountLink} ...${pick(row)} isShort=${isShort} />` : ""),
  kind,
];
export const ownerColumn = (name) => accountColumn(name, ({ owner, ownerAddress }) => accountOf(owner, ownerAddress));
export const signerColumn = (name, pick = ({ signer }) => signer) =>
  accountColumn(name, (row) => accountOf(pick(row), row.signerPublicKey));

/** @param pick `{ amount, divisibility? }` of a row, by default of the currency, which the heading then names */
export const figureColumn = (name, pick, kind = "number aside", unit = () => chain.currency.name) => [
  name,
  (row) => html`<${Figure} ...${pick(row)} />`,
  kind,
  unit,
];
export const amountColumn = (name, render) => [name, render, "number aside", () => chain.currency.name];
export const countColumn = (name, pick, kind = "number") => [name, (row, index) => count(pick(row, index)), kind];
const blockColumn = (name, pick, kind) => [name, (row) => html`<${BlockLink} height=${pick(row)} />`, kind];
export const startColumn = (kind) => blockColumn("fromBlock", ({ startHeight }) => startHeight, kind);
export const rankColumn = (first = 1) => countColumn("rank", (_row, index) => first + index);
export const shareColumn = (pick) => ["share", (row) => percent(pick(row)), "number end"];
const timeColumn = (name, kind) => [
  name,
  (row) => html`<${Time} timestamp=${row.deadline || row.timestamp} isZoned=${false} />`,
  kind,
  zone,
];
const ageColumn = ["age", ({ timestamp }) => html`<${Age} timestamp=${timestamp} />`, "number end"];
export const activeColumn = ["active", ({ active }) => html`<${YesNo} value=${active} />`, "aside labelled"];
export const nameColumn = [
  "name",
  ({ namespaceId, name }) => html`<${NamespaceLink} id=${namespaceId} name=${name} />`,
  "main flexible",
];
export const mosaicColumn = [
  "mosaic",
  ({ mosaicId, names, mosaic }) => html`<${MosaicLink} id=${mosaicId} names=${names || mosaic?.names} />`,
  "main flexible",
];
const supplyOf = ({ supply, divisibility }) => ({ amount: supply, divisibility });
export const supplyColumn = figureColumn("supply", supplyOf, undefined, null);

// Of blocks.

const heightColumn = blockColumn("height", ({ height }) => height, "main");
const harvesterColumn = signerColumn("harvester", ({ harvester }) => harvester);
/** Quiet for a block without transactions. */
const transactionsColumn = [
  "transactions",
  ({ transactionsCount: number }) => html`<span class=${number === 0 ? "note" : ""}>${count(number)}</span>`,
  "number aside labelled",
];
export const BLOCK_COLUMNS = [
  heightColumn,
  timeColumn("time", "low"),
  transactionsColumn,
  figureColumn("fees", ({ totalFee }) => ({ amount: totalFee, isEmptyZero: true }), "number mid"),
  countColumn("feeMultiplier", ({ feeMultiplier }) => feeMultiplier, "number mid"),
  harvesterColumn,
  ["finalized", ({ isFinalized }) => html`<${YesNo} value=${isFinalized} />`, "mid"],
  ageColumn,
];
/** Those of blocks beside another list. */
export const BRIEF_BLOCK_COLUMNS = [heightColumn, transactionsColumn, harvesterColumn, ageColumn];

// Of transactions.

/** Mosaics of a row that are shown; the others are counted. */
const MAX_MOSAICS = 2;
const SIGNS = { "+": "in", "−": "out" };
const HUES = { in: 150, out: 5, both: 215, self: 240 };

const Mosaics = ({ mosaics }) => [
  ...(mosaics || [])
    .slice(0, MAX_MOSAICS)
    .map((one) => html`<div class=${SIGNS[one.sign]}><${MosaicFigure} ...${one} /></div>`),
  mosaics?.length > MAX_MOSAICS &&
    html`<div class="note">${words("more", { count: mosaics.length - MAX_MOSAICS })}</div>`,
];

function messageIn(row) {
  const text = messageOf(row);
  return text && html`<q class="message" title=${text}>${text}</q>`;
}

/** An embedded transaction has no hash: it is named by its aggregate and its place in it. */
function Name({ row: { hash, id, aggregate, index } }) {
  if (hash) return html`<${TransactionLink} hash=${hash} />`;
  const text = aggregate?.hash ? `${aggregate.hash.slice(0, 8)}… #${index + 1}` : `#${index + 1}`;
  return html`<${TransactionLink} hash=${id} text=${text} />`;
}

/** Its type, which leads to it where there is no room for its hash. */
const typeColumn = [
  "type",
  ({ hash, id, type }) => html`<a href=${pageOf("transaction", hash || id)}><${Type} type=${type} /></a>`,
  "main",
];
const mosaicsColumn = (pick) => amountColumn("amount", (row) => html`<${Mosaics} mosaics=${pick(row)} />`);

export const TRANSACTION_COLUMNS = [
  ["transaction", (row) => html`<${Name} row=${row} />`, "mid"],
  typeColumn,
  blockColumn("block", ({ height }) => height, "number low"),
  signerColumn("signer"),
  // An alias that is not resolved here has no account.
  accountColumn(
    "recipient",
    ({ recipient, recipientAddress }) => recipient || { address: recipientAddress },
    "flexible to",
  ),
  mosaicsColumn(({ mosaics }) => mosaics),
  ["message", messageIn, "flexible low"],
  figureColumn("fee", ({ fee }) => ({ amount: fee || 0, isEmptyZero: true }), "number low"),
  ageColumn,
];

const without = (columns, ...names) => columns.filter(([name]) => !names.includes(name));

/** Those of transactions beside another list. */
export const BRIEF_COLUMNS = without(TRANSACTION_COLUMNS, "transaction", "block", "message", "fee");
/** Those of a block's transactions. */
export const COLUMNS_OF_BLOCK = without(TRANSACTION_COLUMNS, "block", "age");
/** Those of pending transactions, which are in no block. */
export const PENDING_COLUMNS = [
  ...without(TRANSACTION_COLUMNS, "block", "age", "fee"),
  countColumn("cosignatures", ({ cosignatures }) => cosignatures.length, "number mid"),
  timeColumn("deadline", "end"),
];
/** Those of transactions inside an aggregate: what each does, in words. */
export const EMBEDDED_COLUMNS = [
  ["transaction", ({ id }, index) => html`<${TransactionLink} hash=${id} text=${`#${index + 1}`} />`, "aside"],
  typeColumn,
  ["what", (row) => html`<${Sentence} row=${row} />`, "text"],
];

/** Those of an account's transactions: what each did to its balances, by which counterparties. */
export function columnsFor(address) {
  const effects = new WeakMap();
  const effectOf = (row) => {
    if (!effects.has(row)) effects.set(row, sumsFor(row, address));
    return effects.get(row);
  };
  const [transaction, type, block, ...others] = TRANSACTION_COLUMNS;
  return [
    transaction,
    type,
    ["direction", (row) => html`<${Direction} of=${effectOf(row).direction} />`, "low"],
    block,
    ["counterparty", (row) => html`<${Counterparties} ...${effectOf(row)} />`, "flexible"],
    mosaicsColumn((row) => effectOf(row).amounts),
    ...without(others, "signer", "recipient", "amount"),
  ];
}

function Counterparties({ counterparties: [first, ...others], direction }) {
  if (!first) return direction === "self" && html`<span class="note">${words("direction.self")}</span>`;
  return html`<${AccountLink} ...${first} isShort />${others.length > 0 && html` <small>${words("more", { count: others.length })}</small>`}`;
}

const Direction = ({ of }) =>
  HUES[of] && html`<span class=${`badge ${of}`} style=${`--hue: ${HUES[of]}`}>${words(`direction.${of}`)}</span>`;

const isDebit = ({ change }) => change.startsWith("-");
const partyOf = (change) => change && accountOf(change.account, change.address);
/** Those of everything that a transaction moved: its movements have changes, the debit first. */
export const MOVEMENT_COLUMNS = [
  ["cause", ({ cause }) => nameOf("receipts", cause) || nameOf("types", cause) || words("feeOf"), "main"],
  accountColumn("from", ({ changes }) => partyOf(changes.find(isDebit))),
  accountColumn("to", ({ changes }) => partyOf(changes.find((one) => !isDebit(one))), "flexible to"),
  amountColumn(
    "amount",
    ({ changes: [{ change, mosaicId, mosaic }] }) =>
      html`<${MosaicFigure} amount=${change.replace("-", "")} id=${mosaicId} mosaic=${mosaic} />`,
  ),
];

/** Those of who holds a mosaic. */
export const holderColumns = (divisibility) => [
  accountColumn("account", ({ address, account }) => accountOf(account, address), "main flexible"),
  figureColumn("amount", ({ amount }) => ({ amount, divisibility }), "number aside", null),
];
export const holdersColumn = [
  "holders",
  ({ mosaicId }) => html`<a href=${listOf("accounts", { mosaic: mosaicId })}>${words("holders")}</a>`,
  "end",
];
