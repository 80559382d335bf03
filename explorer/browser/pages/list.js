import { filtersOf, groupOf, LIST_FILTERS, pageNumberOf, ROWS, variablesOf } from "../../list-variables.ts";
import { chain } from "../chain.js";
import { CsvButton } from "../csv.js";
import { html } from "../dom.js";
import { FilterForm } from "../filters.js";
import { useQuery } from "../graphql.js";
import { LISTS } from "../lists.js";
import { Heading } from "../page.js";
import { listOf } from "../paths.js";
import { NumberedTable } from "../table.js";
import { words } from "../words.js";

const pick = ({ list }) => list;

/** One of the lists of the navigation; filters and the number of the page come from its address. */
export function ListPage({ kind, version }) {
  const query = new URLSearchParams(location.search);
  const given = filtersOf(kind, query);
  const isOpen = kind === "pending" && given.group === undefined;
  const { data: counts } = useQuery(isOpen ? "pendingCounts" : undefined, {}, 0);
  const { data: importance } = useQuery(kind === "accounts" ? "totalImportance" : undefined, {}, 0);
  const filters = isOpen && counts ? { group: groupOf(counts) } : given;
  const { title = kind, columns, csv } = LISTS[kind];
  const number = pageNumberOf(query);
  const variables = variablesOf(kind, filters, chain.currency.mosaicId);
  if (isOpen && !counts) return html`<${Heading} text=${words(title)} />`;
  return html`
    <${Heading} text=${words(title)} />
    <section>
      <div class="row">
        <${FilterForm} names=${LIST_FILTERS[kind]} filters=${filters} />
        ${
          csv
            ? html`<a class="button" href=${csv(variables)} download>${words("csv")}</a>`
            : html`<${CsvButton} name=${kind} list=${{ query: kind, variables, pick, from: (number - 1) * ROWS }} />`
        }
      </div>
      <${NumberedTable} id="list" label=${title} query=${kind} variables=${variables} pick=${pick}
        columns=${columns(variables, (number - 1) * ROWS + 1, importance?.network.totalImportance)} number=${number}
        pageSize=${ROWS} version=${version} hrefOf=${(page) => listOf(kind, { ...filters, page: page === 1 ? "" : page })} />
    </section>`;
}
