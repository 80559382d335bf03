import { accountColumn, amountColumn } from "./columns.js";
import { html } from "./dom.js";
import { receiptName } from "./format.js";
import { KnownNamespace, MosaicFigure, MosaicLink } from "./values.js";
import { words } from "./words.js";

// Receipts of statements, one row each.

const NAMESPACE_RECEIPTS = [16_718, 16_974];
/** The first digit of a receipt's type says that an account paid, as for a lock. */
const isDebit = ({ type }) => type >> 12 === 3;
const payerOf = (receipt) => receipt.sender || (isDebit(receipt) ? receipt.target : undefined);
const payeeOf = (receipt) => receipt.recipient || (isDebit(receipt) ? undefined : receipt.target);

/** What an amount or an artifact id says. */
function What({ receipt: { type, amount, mosaicId, artifactId, mosaic } }) {
  if (amount !== null) return html`<${MosaicFigure} amount=${amount} id=${mosaicId} mosaic=${mosaic} />`;
  if (artifactId === null) return "";
  return NAMESPACE_RECEIPTS.includes(type)
    ? html`<${KnownNamespace} id=${artifactId} />`
    : html`<${MosaicLink} id=${artifactId} names=${mosaic?.names} />`;
}

function sourceOf({ source: { primaryId, secondaryId } }) {
  if (primaryId === 0) return words("block");
  return words("sourceTransaction", { place: secondaryId > 0 ? `${primaryId}.${secondaryId}` : primaryId });
}

export const RECEIPT_COLUMNS = [
  ["source", sourceOf, "end"],
  ["type", ({ receipt }) => receiptName(receipt.type), "main"],
  accountColumn("from", ({ receipt }) => payerOf(receipt)),
  accountColumn("to", ({ receipt }) => payeeOf(receipt), "flexible to"),
  amountColumn("what", ({ receipt }) => html`<${What} receipt=${receipt} />`),
];

/** A list of statements as a list of their receipts, whose number is known if all statements are in it. */
export function receiptsOf(list) {
  const data = list.data.flatMap(({ source, receipts }) => receipts.map((receipt) => ({ source, receipt })));
  const isWhole = list.pagination?.totalEntries === list.data.length;
  return { ...list, data, pagination: isWhole ? { totalEntries: data.length } : undefined };
}
