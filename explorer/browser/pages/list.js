import { filtersOf, groupOf, LIST_FILTERS, pageNumberOf, ROWS, variablesOf } from "../../list-variables.ts";
import { chain, importanceOf } from "../chain.js";
import * as column from "../columns.js";
import { CsvButton } from "../csv.js";
import { html } from "../dom.js";
import { FilterForm } from "../filters.js";
import { useQuery } from "../graphql.js";
import { Heading, keyProblem } from "../page.js";
import { at, listOf } from "../paths.js";
import { NumberedTable } from "../table.js";
import { Alias, MosaicEnd } from "../values.js";
import { words } from "../words.js";

/** What each list shows. */
const LISTS = {
  blocks: { columns: () => column.BLOCK_COLUMNS },
  transactions: {
    columns: () => column.TRANSACTION_COLUMNS,
    csv: ({ type, address, mosaicId, fromTime, toTime, embedded }) =>
      exportOf({ type, address, transferMosaicId: mosaicId, fromTime, toTime: afterOf(toTime), embedded }),
  },
  pending: { title: "pendingTransactions", columns: () => column.PENDING_COLUMNS },
  accounts: {
    columns: ({ mosaicId }, first) => [
      column.rankColumn(first),
      column.accountColumn("account", (row) => row, "main flexible", false),
      column.figureColumn(
        "balance",
        (row) => holdingOf(row, mosaicId),
        "number aside",
        () => mosaicId === chain.currency.mosaicId && chain.currency.name,
      ),
      ["importance", ({ importance }) => importanceOf(importance), "number end labelled"],
    ],
  },
  mosaics: {
    columns: () => [
      column.mosaicColumn,
      ["id", ({ mosaicId }) => html`<code translate="no">${mosaicId}</code>`, "low"],
      column.supplyColumn,
      column.ownerColumn("creator"),
      column.startColumn("number mid"),
      ["untilBlock", (row) => html`<${MosaicEnd} ...${row} />`, "number mid"],
      column.holdersColumn,
    ],
  },
  namespaces: {
    columns: () => [
      column.nameColumn,
      column.ownerColumn("owner"),
      ["aliasOf", ({ alias }) => html`<${Alias} ...${alias} />`, "flexible mid"],
      column.activeColumn,
      column.startColumn("number end labelled"),
    ],
  },
};

const pick = ({ list }) => list;

/** One of the lists of the navigation; filters and the number of the page come from its address. */
export function ListPage({ kind, version }) {
  const query = new URLSearchParams(location.search);
  const given = filtersOf(kind, query);
  const isOpen = kind === "pending" && given.group === undefined;
  const { data: counts } = useQuery(isOpen ? "pendingCounts" : undefined, {}, 0);
  const filters = isOpen && counts ? { group: groupOf(counts) } : given;
  const { title = kind, columns, csv } = LISTS[kind];
  const number = pageNumberOf(query);
  const variables = variablesOf(kind, filters, chain.currency.mosaicId);
  // Some filters are keys of pages.
  const problem = Object.entries(filters)
    .map(([name, value]) => keyProblem(name, value))
    .find(Boolean);
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
      ${
        problem
          ? html`<p role="alert" class="failure">${problem}</p>`
          : html`<${NumberedTable} id="list" label=${title} query=${kind} variables=${variables} pick=${pick}
        columns=${columns(variables, (number - 1) * ROWS + 1)} number=${number}
        pageSize=${ROWS} version=${version} hrefOf=${(page) => listOf(kind, { ...filters, page: page === 1 ? "" : page })} />`
      }
    </section>`;
}

function holdingOf({ mosaics }, mosaicId) {
  const { amount = "0", mosaic } = mosaics.find((one) => one.mosaicId === mosaicId) || {};
  return { amount, divisibility: mosaic?.divisibility };
}

/** Ends are inclusive in lists, and exclusive in files. */
const afterOf = (time) => time && new Date(Date.parse(time) + 1).toISOString();

/** The same transactions as a file. */
function exportOf(filters) {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return at(`transactions/confirmed.csv?${new URLSearchParams([...given, ["bom", "1"]])}`);
}
