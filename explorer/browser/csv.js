import { BYTE_ORDER_MARK, csvLine, withoutFormulas } from "../../gateway/rest/route/csv.ts";
import { unixMs } from "./chain.js";
import { html, useState } from "./dom.js";
import { count } from "./format.js";
import { ask } from "./graphql.js";
import { Table } from "./table.js";
import { words } from "./words.js";

// Rows of a list as a file: as the gateway sends them, so amounts are in atomic units; times are in ISO 8601. A byte
// order mark comes first, for Excel.

/** As many as an answer may have, and a file of a list. */
const PAGE_SIZE = 100;
const MAX_ROWS = 1_000;
const TIMES = ["timestamp", "deadline"];

/** The values of an object by their paths, such as `owner.names`. Bodies repeat the other fields. */
function valuesOf(entry, path = "") {
  return Object.entries(entry).flatMap(([name, value]) => {
    if (name === "body") return [];
    if (value === null || typeof value !== "object") return [[path + name, textOf(name, value)]];
    if (Array.isArray(value)) return [[path + name, value.map(itemOf).join(" ")]];
    return valuesOf(value, `${path}${name}.`);
  });
}

const itemOf = (item) =>
  valuesOf({ item })
    .map(([, text]) => text)
    .join(":");

function textOf(name, value) {
  const ms = TIMES.includes(name) ? unixMs(value) : undefined;
  return ms === undefined || Number.isNaN(new Date(ms).getTime()) ? String(value ?? "") : new Date(ms).toISOString();
}

/** A line of names, and one for each row. */
function toCsv(rows) {
  const entries = rows.map((row) => Object.fromEntries(valuesOf(row)));
  const names = [...new Set(entries.flatMap((entry) => Object.keys(entry)))];
  const lines = entries.map((entry) => csvLine(names.map((name) => withoutFormulas(entry[name] ?? ""))));
  return csvLine(names) + lines.join("");
}

/** The rows of a numbered list from a row on. */
async function readRows({ query, variables, pick, from }) {
  const rows = [];
  for (let pageNumber = Math.floor(from / PAGE_SIZE) + 1; rows.length < MAX_ROWS; pageNumber += 1) {
    const { data } = pick(await ask(query, { ...variables, page: { pageNumber, pageSize: PAGE_SIZE } }));
    rows.push(...data);
    if (data.length < PAGE_SIZE) break;
  }
  return rows.slice(from % PAGE_SIZE);
}

function save(name, text) {
  const href = URL.createObjectURL(new Blob([BYTE_ORDER_MARK, text], { type: "text/csv" }));
  Object.assign(document.createElement("a"), { href, download: `${name}.csv` }).click();
  URL.revokeObjectURL(href);
}

/**
 * Saves rows as a file.
 * @param rows all of them, or undefined for those of a numbered `list`, `{ query, variables, pick, from }`
 */
export function CsvButton({ name, rows, list }) {
  const [failure, setFailure] = useState();
  const download = async () => {
    try {
      save(name, toCsv(rows ?? (await readRows(list))));
      setFailure(undefined);
    } catch (error) {
      setFailure(error.message);
    }
  };
  return html`<div class="csv"><button type="button" onClick=${download}>${words("csv")}</button>
    ${list && html` <span class="note">${words("csvRows", { count: count(MAX_ROWS) })}</span>`}
    ${failure && html`<span role="alert" class="failure">${failure}</span>`}</div>`;
}

/** A table that can be saved. @param shown how many of its rows are shown */
export const CsvTable = ({ name, rows, shown, ...table }) =>
  html`<${Table} rows=${rows.slice(0, shown)} ...${table} /><${CsvButton} name=${name} rows=${rows} />`;
