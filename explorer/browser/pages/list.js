import { html } from "htm/preact/standalone";
import { filtersOf, LIST_FILTERS, pageNumberOf, ROWS, variablesOf } from "../../list-variables.ts";
import { chain } from "../chain.js";
import { CsvButton } from "../csv.js";
import { FilterForm } from "../filters.js";
import { LISTS } from "../lists.js";
import { Heading } from "../page.js";
import { listOf } from "../place.js";
import { NumberedTable } from "../table.js";
import { Section } from "../values.js";
import { words } from "../words.js";

const pick = ({ list }) => list;

/** One of the lists of the navigation; filters and the number of the page come from its address. */
export function ListPage({ kind, version }) {
  const { title, columns, csv } = LISTS[kind];
  const query = new URLSearchParams(location.search);
  const filters = filtersOf(kind, query);
  const number = pageNumberOf(query);
  const variables = variablesOf(kind, filters, chain.currency.mosaicId);
  return html`
    <${Heading} kind="list" text=${words(title)} />
    <${FilterForm} names=${LIST_FILTERS[kind]} filters=${filters} />
    <${Section} title=${title}>
      ${
        csv
          ? html`<p><a href=${csv(variables)} download>${words("csv")}</a></p>`
          : html`<${CsvButton} name=${kind} list=${{ query: kind, variables, pick, from: (number - 1) * ROWS }} />`
      }
      <${NumberedTable} id="list" label=${title} query=${kind} variables=${variables} pick=${pick}
        columns=${columns(variables, (number - 1) * ROWS + 1)} number=${number} pageSize=${ROWS} version=${version}
        hrefOf=${(page) => listOf(kind, { ...filters, page: page === 1 ? "" : page })} />
    <//>`;
}
