import { html } from "./library.js";
import { Table } from "./table.js";
import { AccountLink } from "./values.js";

export const MetadataTable = ({ rows }) =>
  html`<${Table} id="metadata" label="Metadata" rows=${rows} columns=${[
    ["Key", ({ scopedMetadataKey }) => html`<code>${scopedMetadataKey}</code>`],
    ["Value", ({ text }) => text, "text"],
    [
      "Written by",
      ({ source, sourceAddress }) => html`<${AccountLink} address=${sourceAddress} names=${source?.names} isShort />`,
    ],
  ]} />`;
