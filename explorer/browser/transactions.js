import { html } from "htm/preact/standalone";
import { messageOf } from "./sentence.js";
import { AccountLink, BlockLink, CurrencyAmount, MosaicAmount, Time, TransactionLink, Type } from "./values.js";
import { words } from "./words.js";

// Rows of transactions, as all pages list them.

const Signer = ({ row: { signer, signerPublicKey } }) =>
  html`<${AccountLink} address=${signer?.address ?? signerPublicKey} names=${signer?.names} isShort />`;

/** The account that gets the transfer; an alias that is not resolved here has no account. */
function Recipient({ row: { recipient, recipientAddress } }) {
  if (recipient) return html`<${AccountLink} ...${recipient} isShort />`;
  return recipientAddress ? html`<${AccountLink} address=${recipientAddress} isShort />` : "";
}

const Mosaics = ({ row: { mosaics }, sign }) =>
  (mosaics ?? []).map((mosaic) => html`<div><${MosaicAmount} ...${mosaic} sign=${sign} isFixed /></div>`);

function Message({ row }) {
  const text = messageOf(row);
  return text === undefined ? "" : html`<q class="message" title=${text}>${text}</q>`;
}

/** An embedded transaction has no hash: it is named by its aggregate and its place in it. */
export function Name({ row: { hash, id, aggregate, index } }) {
  if (hash) return html`<${TransactionLink} hash=${hash} />`;
  const text = aggregate?.hash ? `${aggregate.hash.slice(0, 8)}… #${index + 1}` : `#${index + 1}`;
  return html`<${TransactionLink} hash=${id} text=${text} />`;
}

export const TRANSACTION_COLUMNS = [
  ["transaction", (row) => html`<${Name} row=${row} />`],
  ["type", ({ type }) => html`<${Type} type=${type} />`],
  ["block", ({ height }) => html`<${BlockLink} height=${height} />`, "number"],
  ["time", ({ timestamp }) => html`<${Time} timestamp=${timestamp} />`],
  ["signer", (row) => html`<${Signer} row=${row} />`],
  ["recipient", (row) => html`<${Recipient} row=${row} />`],
  ["mosaics", (row) => html`<${Mosaics} row=${row} />`, "number"],
  ["message", (row) => html`<${Message} row=${row} />`],
  ["fee", ({ fee }) => (fee ? html`<${CurrencyAmount} amount=${fee} isFixed />` : ""), "number"],
];

/** Those of transactions inside an aggregate. */
export const EMBEDDED_COLUMNS = [
  ["transaction", ({ id }, index) => html`<${TransactionLink} hash=${id} text=${`#${index + 1}`} />`],
  ...TRANSACTION_COLUMNS.filter(([name]) => !["transaction", "block", "time", "fee"].includes(name)),
];

/** Those of an account's transactions: amounts with their sign, and whether the account sent or got them. */
export function columnsFor(address) {
  const own = {
    mosaics: (row) =>
      row.mosaics?.length > 0 &&
      html`<div class=${directionOf(row, address)}><${Mosaics} row=${row} sign=${SIGN[directionOf(row, address)]} /></div>`,
  };
  const columns = TRANSACTION_COLUMNS.map(([name, render, kind]) => [name, own[name] ?? render, kind]);
  return [
    columns[0],
    ["direction", (row) => html`<${Badge} direction=${directionOf(row, address)} />`],
    ...columns.slice(1),
  ];
}

const SIGN = { in: "+", out: "−" };

function directionOf({ signer, recipient }, address) {
  const isSigner = signer?.address === address;
  if (recipient?.address === address) return isSigner ? "self" : "in";
  return isSigner ? "out" : "other";
}

const Badge = ({ direction }) =>
  direction === "other" ? "" : html`<span class=${`badge ${direction}`}>${words(`direction.${direction}`)}</span>`;
