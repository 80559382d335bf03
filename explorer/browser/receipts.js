import { html } from "htm/preact/standalone";
import { receiptName } from "./format.js";
import { AccountLink, MosaicAmount, MosaicLink, NamespaceLink } from "./values.js";
import { words } from "./words.js";

// Receipts of statements, one row each.

const account = (entry) => (entry ? html`<${AccountLink} ...${entry} isShort />` : "");
const NAMESPACE_RECEIPTS = [16_718, 16_974];

/** What an amount or an artifact id says. */
function What({ receipt: { type, amount, mosaicId, artifactId, mosaic } }) {
  if (amount !== null) return html`<${MosaicAmount} amount=${amount} id=${mosaicId} mosaic=${mosaic} />`;
  if (artifactId === null) return "";
  return NAMESPACE_RECEIPTS.includes(type)
    ? html`<${NamespaceLink} id=${artifactId} />`
    : html`<${MosaicLink} id=${artifactId} names=${mosaic?.names} />`;
}

export const ReceiptsTable = {
  columns: [
    [
      "source",
      ({ source }) =>
        source.primaryId === 0
          ? words("block")
          : words("sourceTransaction", {
              place: source.secondaryId > 0 ? `${source.primaryId}.${source.secondaryId}` : source.primaryId,
            }),
    ],
    ["type", ({ receipt }) => receiptName(receipt.type)],
    ["from", ({ receipt }) => account(receipt.sender)],
    ["to", ({ receipt }) => account(receipt.recipient ?? receipt.target)],
    ["what", ({ receipt }) => html`<${What} receipt=${receipt} />`],
  ],
  /** A list of statements as a list of their receipts, whose number is known if all statements are in it. */
  flatten(list) {
    const data = list.data.flatMap(({ source, receipts }) => receipts.map((receipt) => ({ source, receipt })));
    const isWhole = list.pagination?.totalEntries === list.data.length;
    return { ...list, data, pagination: isWhole ? { totalEntries: data.length } : undefined };
  },
};
