import { html, useEffect, useMemo, useState } from "htm/preact/standalone";
import { count } from "./format.js";
import { ask, useQuery } from "./graphql.js";
import { words } from "./words.js";

/** From a number of columns on, the screens on which the rows of a table are paragraphs. */
const NARROW = [
  [9, "(max-width: 79rem)"],
  [4, "(max-width: 56rem)"],
  [3, "(max-width: 30rem)"],
  [0, "(max-width: 0)"],
];

/** Whether a table has no room for its columns. */
function useNarrow(columns) {
  const [, screen] = NARROW.find(([least]) => columns >= least);
  const media = useMemo(() => matchMedia(screen), [screen]);
  const [isNarrow, setIsNarrow] = useState(media.matches);
  useEffect(() => {
    const change = () => setIsNarrow(media.matches);
    media.addEventListener("change", change);
    return () => media.removeEventListener("change", change);
  }, [media]);
  return isNarrow;
}

/**
 * A table. Columns are `[heading, render(row, index), class?]`.
 * @param label names the table for those who cannot see where it stands
 */
export function Table({ id, label, columns, rows }) {
  const isNarrow = useNarrow(columns.length);
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${words(label)}>
    <table id=${id} class=${isNarrow ? "rows" : undefined}>
      <thead><tr>${columns.map(([heading, , kind]) => html`<th scope="col" class=${kind}>${words(heading)}</th>`)}</tr></thead>
      <tbody>
        ${rows.map((row, index) => html`<tr>${columns.map(([heading, render, kind]) => html`<td class=${kind} data-label=${words(heading)}>${render(row, index)}</td>`)}</tr>`)}
      </tbody>
    </table>
    ${rows.length === 0 && html`<p class="note">${words("none")}</p>`}
  </div>`;
}

/**
 * A list of the gateway, page by page; the newest page follows the chain.
 * @param query the name of a document with the variable `$after: EntityId` (or String)
 * @param variables its other variables
 * @param pick finds `{ data, pageInfo, pagination? }` in the response
 * @param version changes when the list may have changed
 */
export function PagedTable({ id, label, query, variables, pick, columns, version }) {
  const [cursors, setCursors] = useState([]);
  const [list, setList] = useState();
  const [failure, setFailure] = useState();
  const after = cursors.at(-1);
  const key = JSON.stringify(variables);
  useEffect(() => {
    let isCurrent = true;
    ask(query, { ...variables, after }).then(
      (data) => {
        if (!isCurrent) return;
        setList(pick(data));
        setFailure(undefined);
      },
      (error) => isCurrent && setFailure(error.message),
    );
    return () => {
      isCurrent = false;
    };
  }, [query, key, after, after === undefined ? version : 0]);
  useEffect(() => setCursors([]), [query, key]);
  if (failure) return html`<p role="alert" class="failure">${failure}</p>`;
  if (!list) return html`<p class="note">${words("loading")}</p>`;
  const { data, pageInfo, pagination } = list;
  return html`
    <${Table} id=${id} label=${label} columns=${columns} rows=${data} />
    <nav class="pages" aria-label=${words("pagesOf", { list: words(label) })}>
      ${cursors.length > 0 && html`<button type="button" onClick=${() => setCursors(cursors.slice(0, -1))}>${words("previous")}</button>`}
      ${pageInfo.hasNextPage && html`<button type="button" onClick=${() => setCursors([...cursors, pageInfo.endCursor])}>${words("next")}</button>`}
      ${pagination && html`<span class="note">${words("inAll", { count: html`<span data-field=${`${id}-total`}>${count(pagination.totalEntries)}</span>` })}</span>`}
    </nav>`;
}

/**
 * A list by numbered pages, each of which has an address of its own.
 * @param query the name of a document with the variable `$page: PageInput`
 * @param variables its other variables
 * @param pick finds `{ data, pagination }` in the response
 * @param number the page that is shown, from 1
 * @param hrefOf the address of a page
 */
export function NumberedTable({ id, label, query, variables, pick, columns, number, pageSize, hrefOf, version }) {
  const page = { pageNumber: number, pageSize };
  const { data: response, failure } = useQuery(query, { ...variables, page }, number === 1 ? version : 0);
  if (failure) return html`<p role="alert" class="failure">${failure}</p>`;
  if (!response) return html`<p class="note">${words("loading")}</p>`;
  const { data, pagination } = pick(response);
  const last = Math.max(1, Math.ceil(pagination.totalEntries / pageSize));
  const link = (to, text) => html`<a href=${hrefOf(to)}>${text}</a>`;
  return html`
    <${Table} id=${id} label=${label} columns=${columns} rows=${data} />
    <nav class="pages" aria-label=${words("pagesOf", { list: words(label) })}>
      ${number > 1 && html`${link(1, words("first"))} ${link(number - 1, words("previous"))}`}
      <span class="note">${words("pageNumber", { number: count(number), last: count(last) })}</span>
      ${number < last && html`${link(number + 1, words("next"))} ${link(last, words("last"))}`}
      <span class="note">${words("inAll", { count: html`<span data-field=${`${id}-total`}>${count(pagination.totalEntries)}</span>` })}</span>
    </nav>`;
}
