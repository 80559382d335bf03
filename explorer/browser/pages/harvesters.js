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
/** Names are asked in parts, which the longest URL has room for: as many parts as the ranking may fill. */
const NAMES_AT_ONCE = 34;
const NAMES_FROM = [0, NAMES_AT_ONCE, 2 * NAMES_AT_ONCE];

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
  return data ? html`<${Ranked} ranked=${data.ranking} />` : html`<p class="note">${words("loading")}</p>`;
}

function Ranked({ ranked }) {
  const addresses = ranked.map(({ address }) => address);
  const known = NAMES_FROM.map((from) => {
    const some = addresses.slice(from, from + NAMES_AT_ONCE);
    return useQuery(some.length > 0 ? "accountNames" : undefined, { addresses: some });
  });
  const names = new Map(known.flatMap(({ data }) => data?.accountNames ?? []).map((one) => [one.address, one.names]));
  const named = ranked.map((one) => ({ ...one, names: names.get(one.address) }));
  return html`<${CsvButton} name="harvesters" rows=${named} /><${Table} id="list" label="harvesters" rows=${named} columns=${[
    ["rank", (_row, index) => count(index + 1), "number"],
    ["account", ({ address, names: own }) => html`<${AccountLink} address=${address} names=${own} />`],
    ["blocks", ({ count: blocks }) => count(blocks), "number"],
    ["rewards", ({ value }) => html`<${CurrencyAmount} amount=${value} isFixed />`, "number"],
  ]} />`;
}
