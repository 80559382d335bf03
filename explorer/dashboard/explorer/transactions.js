import { html } from "./library.js";
import { AccountLink, BlockLink, CurrencyAmount, MosaicAmount, Time, TransactionLink, Type } from "./values.js";

// Rows of transactions, as all pages list them.

/** Fields of `Transaction` that a row needs. */
export const TRANSACTION_ROW = `
  id hash type height timestamp fee signerPublicKey signer { address names }
  recipientAddress recipient { address names } mosaics { amount id mosaic { divisibility names } }`;

const Signer = ({ row: { signer, signerPublicKey } }) =>
  html`<${AccountLink} address=${signer?.address ?? signerPublicKey} names=${signer?.names} isShort />`;

/** The account that gets the transfer; an alias that is not resolved here has no account. */
function Recipient({ row: { recipient, recipientAddress } }) {
  if (recipient) return html`<${AccountLink} ...${recipient} isShort />`;
  return recipientAddress ? html`<${AccountLink} address=${recipientAddress} isShort />` : "";
}

const Mosaics = ({ row: { mosaics } }) =>
  (mosaics ?? []).map((mosaic) => html`<div><${MosaicAmount} ...${mosaic} /></div>`);

/** An embedded transaction has no hash: its id leads to it. */
export const Name = ({ row: { hash, id } }) => html`<${TransactionLink} hash=${hash ?? id} />`;

export const TRANSACTION_COLUMNS = [
  ["Transaction", (row) => html`<${Name} row=${row} />`],
  ["Type", ({ type }) => html`<${Type} type=${type} />`],
  ["Block", ({ height }) => html`<${BlockLink} height=${height} />`],
  ["Time", ({ timestamp }) => html`<${Time} timestamp=${timestamp} />`],
  ["Signer", (row) => html`<${Signer} row=${row} />`],
  ["Recipient", (row) => html`<${Recipient} row=${row} />`],
  ["Mosaics", (row) => html`<${Mosaics} row=${row} />`],
  ["Fee", ({ fee }) => (fee ? html`<${CurrencyAmount} amount=${fee} />` : "")],
];

/** Those of transactions inside an aggregate. */
export const EMBEDDED_COLUMNS = TRANSACTION_COLUMNS.filter(([name]) => !["Block", "Time", "Fee"].includes(name));
