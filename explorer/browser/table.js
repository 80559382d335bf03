import { html, useEffect, useRef, useState } from "./dom.js";
import { count } from "./format.js";
import { answered, useQuery } from "./graphql.js";
import { Section } from "./values.js";
import { words } from "./words.js";

/** What makes a row the same in two answers. */
const keyOf = (row, index) =>
  row.hash || row.id || row.compositeHash || row.address || row.mosaicId || row.namespaceId || row.height || index;

/** Where fingers point, the last place that was touched counts as hovered. */
const canHover = matchMedia("(hover: hover)").matches;

/** The rows; while the pointer or the focus is in the table, those from before. */
function useHeld(rows, identity) {
  const place = useRef();
  const held = useRef({});
  const [, redraw] = useState();
  const isUsed = () => place.current?.matches(canHover ? ":hover, :focus-within" : ":focus-within");
  if (held.current.identity !== identity || !isUsed()) held.current = { identity, rows };
  const release = () => setTimeout(() => redraw({}));
  return [held.current.rows, { ref: place, onPointerLeave: release, onFocusOut: release }];
}

/**
 * A table. Columns are `[heading, render(row, index), class?, unit?]`: the heading names what `unit()` gives. The classes
 * `low` and `mid` are shown on wide screens only, `flexible` ones are cut where there is no room; on a phone a row has two
 * lines, `main` and `aside` in the first and all others in the second, `end` last.
 * @param label names the table for those who cannot see where it stands
 * @param identity changes when the table shows another list
 */
export function Table({ id, label, columns, rows, identity = id }) {
  const [shown, place] = useHeld(rows, identity);
  const flexible = columns.filter(([, , kind = ""]) => kind.includes("flexible")).length;
  const widthOf = (kind = "") => (kind.includes("flexible") ? `width: ${Math.floor(100 / flexible)}%` : undefined);
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${words(label)} ...${place}>
    <table id=${id} role="table">
      <thead><tr role="row">${columns.map(([heading, , kind, unit]) => html`<th scope="col" role="columnheader" class=${kind} style=${widthOf(kind)}>${words(heading)}${unit?.() && html` <span translate="no">(${unit()})</span>`}</th>`)}</tr></thead>
      <tbody>
        ${shown.map((row, index) => html`<tr role="row" key=${keyOf(row, index)}>${columns.map(([heading, render, kind]) => html`<td role="cell" class=${kind} data-label=${words(heading)}>${render(row, index)}</td>`)}</tr>`)}
      </tbody>
    </table>
    ${rows.length === 0 && html`<p class="note">${words("none")}</p>`}
  </div>`;
}

/** A section with a table, or nothing without rows. */
export const Listed = ({ title, id = title, rows, columns, isHalf }) =>
  rows.length > 0 &&
  html`<${Section} title=${title} isHalf=${isHalf}><${Table} id=${id} label=${title} rows=${rows} columns=${columns} /><//>`;

/** Below a list: its other pages, and how many entries it has. @param links to pages before and after this one */
const Pages = ({ id, label, before, after, note, total }) =>
  html`<nav class="pages" aria-label=${words("pagesOf", { list: words(label) })}>
    ${before} ${note && html`<span class="note">${note}</span>`} ${after}
    ${total !== undefined && html`<span class="note">${words("inAll", { count: html`<span data-field=${`${id}-total`}>${count(total)}</span>` })}</span>`}
  </nav>`;

/**
 * A list of the gateway, page by page; the newest page follows the chain.
 * @param query the name of a document with the variable `$after: EntityId` (or String)
 * @param variables its other variables
 * @param pick finds `{ data, pageInfo, pagination? }` in the response
 * @param version changes when the list may have changed
 */
export function PagedTable({ id, label, query, variables, pick, columns, version }) {
  const [cursors, setCursors] = useState([]);
  const identity = JSON.stringify([query, variables]);
  useEffect(() => setCursors([]), [identity]);
  const after = cursors[cursors.length - 1];
  const answer = useQuery(query, { ...variables, after }, after === undefined ? version : 0);
  if (!answer.data) return answered(answer);
  const { data, pageInfo, pagination } = pick(answer.data);
  const button = (to, text) => html`<button type="button" onClick=${() => setCursors(to)}>${words(text)}</button>`;
  return html`<${Table} id=${id} label=${label} columns=${columns} rows=${data} identity=${answer.key} />
    <${Pages} id=${id} label=${label} total=${pagination?.totalEntries}
      before=${cursors.length > 0 && button(cursors.slice(0, -1), "previous")}
      after=${pageInfo.hasNextPage && button([...cursors, pageInfo.endCursor], "next")} />`;
}

/**
 * The same by numbered pages, from 1, each of which has an address of its own: `hrefOf(number)`. Its document has the
 * variable `$page: PageInput`.
 */
export function NumberedTable({ id, label, query, variables, pick, columns, number, pageSize, hrefOf, version }) {
  const page = { pageNumber: number, pageSize };
  const answer = useQuery(query, { ...variables, page }, number === 1 ? version : 0);
  if (!answer.data) return answered(answer);
  const { data, pagination } = pick(answer.data);
  const last = Math.max(1, Math.ceil(pagination.totalEntries / pageSize));
  const link = (to, text) => html`<a class="button" href=${hrefOf(to)}>${words(text)}</a>`;
  return html`<${Table} id=${id} label=${label} columns=${columns} rows=${data} identity=${answer.key} />
    <${Pages} id=${id} label=${label} total=${pagination.totalEntries}
      note=${words("pageNumber", { number: count(number), last: count(last) })}
      before=${number > 1 && [link(1, "first"), link(number - 1, "previous")]}
      after=${number < last && [link(number + 1, "next"), link(last, "last")]} />`;
}
