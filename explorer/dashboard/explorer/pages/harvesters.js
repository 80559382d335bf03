import { count } from "../../format.js";
import { html } from "../library.js";
import { Heading } from "../page.js";
import { useQuery } from "../query.js";
import { Table } from "../table.js";
import { AccountLink, CurrencyAmount, Section } from "../values.js";

/** About 30 days on the main network, where a block comes every 30 seconds. */
const BLOCKS = 86_400;
const HEIGHT = "{ indexStatus { height } }";
const RANKING = `query ($fromHeight: SafeInt!) {
  ranking(by: HARVESTED, first: 100, fromHeight: $fromHeight) { address value count }
}`;
const NAMES = "query ($addresses: [Address!]!) { accountNames(addresses: $addresses) { address names } }";

export function HarvestersPage() {
  const { data, failure } = useQuery(HEIGHT, {});
  return html`<${Heading} kind="List" text="Harvesters" />
    <${Section} title=${`Rewards in the last ${count(BLOCKS)} blocks`}>
      ${failure && html`<p role="alert" class="failure">${failure}</p>`}
      ${data && html`<${Ranking} fromHeight=${Math.max(1, data.indexStatus.height - BLOCKS + 1)} />`}
    <//>`;
}

function Ranking({ fromHeight }) {
  const { data, failure } = useQuery(RANKING, { fromHeight });
  const ranked = data?.ranking ?? [];
  const known = useQuery(NAMES, { addresses: ranked.map(({ address }) => address) });
  const names = new Map((known.data?.accountNames ?? []).map((one) => [one.address, one.names]));
  if (failure) return html`<p role="alert" class="failure">${failure}</p>`;
  if (!data) return html`<p class="note">loading</p>`;
  return html`<${Table} id="list" label="Harvesters" rows=${ranked} columns=${[
    ["Rank", (_row, index) => count(index + 1), "number"],
    ["Account", ({ address }) => html`<${AccountLink} address=${address} names=${names.get(address)} />`],
    ["Blocks", ({ count: blocks }) => count(blocks), "number"],
    ["Rewards", ({ value }) => html`<${CurrencyAmount} amount=${value} />`, "number"],
  ]} />`;
}
