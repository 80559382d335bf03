import { html } from "htm/preact/standalone";
import { CsvButton } from "../csv.js";
import { count } from "../format.js";
import { useQuery } from "../graphql.js";
import { Heading } from "../page.js";
import { Table } from "../table.js";
import { AccountLink, CurrencyAmount, Section } from "../values.js";
import { words } from "../words.js";

/** About 30 days on the main network, where a block comes every 30 seconds. */
const BLOCKS = 86_400;

export function HarvestersPage() {
  const { data, failure } = useQuery("height", {});
  return html`<${Heading} kind="list" text=${words("harvesters")} />
    <${Section} title="harvestRewards" values=${{ count: count(BLOCKS) }}>
      ${failure && html`<p role="alert" class="failure">${failure}</p>`}
      ${data && html`<${Ranking} fromHeight=${Math.max(1, data.indexStatus.height - BLOCKS + 1)} />`}
    <//>`;
}

function Ranking({ fromHeight }) {
  const { data, failure } = useQuery("harvesters", { fromHeight });
  if (failure) return html`<p role="alert" class="failure">${failure}</p>`;
  if (!data) return html`<p class="note">${words("loading")}</p>`;
  return html`<${CsvButton} name="harvesters" rows=${data.ranking} /><${Table} id="list" label="harvesters" rows=${data.ranking} columns=${[
    ["rank", (_row, index) => count(index + 1), "number"],
    ["account", ({ address, names }) => html`<${AccountLink} address=${address} names=${names} />`],
    ["blocks", ({ count: blocks }) => count(blocks), "number"],
    ["rewards", ({ value }) => html`<${CurrencyAmount} amount=${value} isFixed />`, "number"],
  ]} />`;
}
