import { listOf } from "../../place.js";
import { FilterForm, readFilters, variablesOf } from "../filters.js";
import { html } from "../library.js";
import { LISTS } from "../lists.js";
import { Heading } from "../page.js";
import { NumberedTable } from "../table.js";
import { Section } from "../values.js";

const ROWS = 25;

/** One of the lists of the navigation; filters and the number of the page come from its address. */
export function ListPage({ kind, version }) {
  const { title, filters: names, columns, defaults = {}, variables: complete = (given) => given, csv } = LISTS[kind];
  const filters = { ...defaults, ...readFilters(names) };
  const number = Math.max(1, Number.parseInt(new URLSearchParams(location.search).get("page") ?? "1", 10) || 1);
  const variables = complete(variablesOf(filters));
  return html`
    <${Heading} kind="List" text=${title} />
    <${FilterForm} names=${names} filters=${filters} />
    <${Section} title=${title}>
      ${csv && html`<p><a href=${csv(variables)} download>Download as CSV</a></p>`}
      <${NumberedTable} id="list" label=${title} query=${kind} variables=${variables} pick=${({ list }) => list}
        columns=${columns(variables, (number - 1) * ROWS + 1)} number=${number} pageSize=${ROWS} version=${version}
        hrefOf=${(page) => listOf(kind, { ...filters, page: page === 1 ? "" : page })} />
    <//>`;
}
