import { chain } from "./chain.js";
import { html } from "./dom.js";
import { count } from "./format.js";
import { AccountLink, Age, BlockLink, Figure, MosaicLink, NamespaceLink, YesNo } from "./values.js";

// Columns that several tables have: `[heading, render(row, index), class?, unit?]`, see table.js.

/** @param pick the account of a row, `{ address, names }`, or undefined */
export const accountColumn = (name, pick, kind = "flexible", isShort = true) => [
  name,
  (row) => (pick(row)?.address ? html`<${AccountLink} ...${pick(row)} isShort=${isShort} />` : ""),
  kind,
];
/** An account's state beside its address or key, which is there without one. */
export const accountOf = (account, address) => ({ address: account?.address || address, names: account?.names });
export const ownerColumn = (name) => accountColumn(name, ({ owner, ownerAddress }) => accountOf(owner, ownerAddress));
export const signerColumn = (name, pick) => accountColumn(name, (row) => accountOf(pick(row), row.signerPublicKey));
/** @param pick `{ amount, divisibility? }` of a row, by default of the currency, which the heading then names */
export const figureColumn = (name, pick, kind = "number aside", unit = chain.currency.name) => [
  name,
  (row) => html`<${Figure} ...${pick(row)} />`,
  kind,
  unit,
];
export const countColumn = (name, pick, kind = "number") => [name, (row, index) => count(pick(row, index)), kind];
export const blockColumn = (name, pick, kind) => [name, (row) => html`<${BlockLink} height=${pick(row)} />`, kind];
export const startColumn = (kind) => blockColumn("fromBlock", ({ startHeight }) => startHeight, kind);
export const ageColumn = ["age", ({ timestamp }) => html`<${Age} timestamp=${timestamp} />`, "number end"];
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
export const supplyColumn = figureColumn(
  "supply",
  ({ supply, divisibility }) => ({ amount: supply, divisibility }),
  "number aside",
  "",
);
