import { accountColumn } from "./columns.js";
import { html } from "./dom.js";
import { Listed } from "./table.js";
import { AccountLink, accountOf, MosaicLink, NamespaceLink } from "./values.js";

/** What an entry is about, by its type. */
const SUBJECTS = [
  ({ targetAddress, target }) => html`<${AccountLink} ...${accountOf(target, targetAddress)} isShort />`,
  ({ targetId, mosaic }) => html`<${MosaicLink} id=${targetId} names=${mosaic?.names} />`,
  ({ targetId, namespace }) => html`<${NamespaceLink} id=${targetId} name=${namespace?.name} />`,
];

export const Metadata = ({ rows }) =>
  html`<${Listed} title="metadata" rows=${rows} columns=${[
    ["subject", (row) => SUBJECTS[row.metadataType]?.(row), "flexible"],
    ["key", ({ scopedMetadataKey }) => html`<code>${scopedMetadataKey}</code>`, "main"],
    ["value", ({ text }) => text, "flexible text"],
    accountColumn("writtenBy", ({ source, sourceAddress }) => accountOf(source, sourceAddress)),
  ]} />`;
