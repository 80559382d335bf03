import { count } from "../format.js";
import { ask } from "../graphql.js";
import { html, useEffect, useState } from "./library.js";

/**
 * A table. Columns are `[heading, render(row)]`.
 * @param label names the table for those who cannot see where it stands
 */
export function Table({ id, label, columns, rows }) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${label}>
    <table id=${id}>
      <thead><tr>${columns.map(([heading]) => html`<th scope="col">${heading}</th>`)}</tr></thead>
      <tbody>
        ${rows.map((row) => html`<tr>${columns.map(([, render]) => html`<td>${render(row)}</td>`)}</tr>`)}
      </tbody>
    </table>
    ${rows.length === 0 && html`<p class="note">none</p>`}
  </div>`;
}

/**
 * A list of the gateway, page by page; the newest page follows the chain.
 * @param query a query with the variable `$after: EntityId` (or String)
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
  if (!list) return html`<p class="note">loading</p>`;
  const { data, pageInfo, pagination } = list;
  return html`
    <${Table} id=${id} label=${label} columns=${columns} rows=${data} />
    <nav class="pages" aria-label=${`Pages of ${label}`}>
      ${cursors.length > 0 && html`<button type="button" onClick=${() => setCursors(cursors.slice(0, -1))}>Previous</button>`}
      ${pageInfo.hasNextPage && html`<button type="button" onClick=${() => setCursors([...cursors, pageInfo.endCursor])}>Next</button>`}
      ${pagination && html`<span class="note"><span data-field=${`${id}-total`}>${count(pagination.totalEntries)}</span> in all</span>`}
    </nav>`;
}
