import { html } from "htm/preact/standalone";
import { Table } from "./table.js";
import { AccountLink, MosaicLink, NamespaceLink } from "./values.js";

/** What an entry is about, by its type. */
const SUBJECTS = [
  ({ targetAddress, target }) => html`<${AccountLink} address=${targetAddress} names=${target?.names} isShort />`,
  ({ targetId, mosaic }) => html`<${MosaicLink} id=${targetId} names=${mosaic?.names} />`,
  ({ targetId, namespace }) => html`<${NamespaceLink} id=${targetId} name=${namespace?.name} />`,
];

export const MetadataTable = ({ rows }) =>
  html`<${Table} id="metadata" label="metadata" rows=${rows} columns=${[
    ["subject", (row) => SUBJECTS[row.metadataType]?.(row)],
    ["key", ({ scopedMetadataKey }) => html`<code>${scopedMetadataKey}</code>`],
    ["value", ({ text }) => text, "text"],
    [
      "writtenBy",
      ({ source, sourceAddress }) => html`<${AccountLink} address=${sourceAddress} names=${source?.names} isShort />`,
    ],
  ]} />`;
