import { html } from "htm/preact/standalone";
import { count } from "../format.js";
import { useQuery } from "../graphql.js";
import { LISTS } from "../lists.js";
import { Heading, Missing } from "../page.js";
import { Table } from "../table.js";
import { TRANSACTION_COLUMNS } from "../transactions.js";
import { BlockLink, Facts, Section } from "../values.js";

/** The first page: how far the chain is, and what is new in it. */
export function HomePage({ version }) {
  const { data, failure } = useQuery("home", {}, version);
  if (!data) return html`<${Missing} kind="overview" text="" failure=${failure} isLoading />`;
  const { indexStatus, blocks, transactions, unconfirmed, partial } = data;
  const total = ({ pagination }) => count(pagination.totalEntries);
  return html`
    <${Heading} kind="overview" text="" />
    <${Section} title="index">
      <${Facts} rows=${[
        ["height", html`<${BlockLink} height=${indexStatus.height} />`, "height"],
        ["finalized", html`<${BlockLink} height=${indexStatus.finalizedHeight} />`, "finalizedHeight"],
        ["transactions", total(transactions), "transactions"],
        ["group.unconfirmed", total(unconfirmed), "unconfirmed"],
        ["group.partial", total(partial), "partial"],
      ]} />
    <//>
    <${Section} title="latestBlocks">
      <${Table} id="blocks" label="latestBlocks" columns=${LISTS.blocks.columns()} rows=${blocks.data} />
    <//>
    <${Section} title="latestTransactions">
      <${Table} id="transactions" label="latestTransactions" columns=${TRANSACTION_COLUMNS} rows=${transactions.data} />
    <//>`;
}
