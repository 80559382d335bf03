import { html } from "htm/preact/standalone";
import { Table } from "./table.js";
import { AccountLink } from "./values.js";

export const MetadataTable = ({ rows }) =>
  html`<${Table} id="metadata" label="metadata" rows=${rows} columns=${[
    ["key", ({ scopedMetadataKey }) => html`<code>${scopedMetadataKey}</code>`],
    ["value", ({ text }) => text, "text"],
    [
      "writtenBy",
      ({ source, sourceAddress }) => html`<${AccountLink} address=${sourceAddress} names=${source?.names} isShort />`,
    ],
  ]} />`;
