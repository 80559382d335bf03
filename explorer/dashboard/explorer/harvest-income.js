import { formatAmount, toNumber } from "./amounts.js";
import { chain, unixMs } from "./chain.js";
import { Chart } from "./chart.js";
import { html } from "./library.js";
import { useQuery } from "./query.js";

const DAY_MS = 86_400_000;

/** What an account has earned by harvesting, day by day. */
export function HarvestIncome({ address, version }) {
  // Days begin at midnight, UTC.
  const shift = chain.epochMs === undefined ? 0 : (DAY_MS - (chain.epochMs % DAY_MS)) % DAY_MS;
  const { data, failure } = useQuery("harvestIncome", { address, shift }, version);
  if (failure) return html`<p role="alert" class="failure">${failure}</p>`;
  const { divisibility, name } = chain.currency;
  const points = (data?.harvestIncome ?? []).map(({ timestamp, amount }) => ({
    x: (unixMs(timestamp) ?? timestamp) / 1_000,
    y: toNumber(amount, divisibility),
    label: unixMs(timestamp) === undefined ? String(timestamp) : new Date(unixMs(timestamp)).toISOString().slice(0, 10),
    text: `${formatAmount(amount, divisibility)} ${name}`,
  }));
  return html`<${Chart} id="harvest-income" label="harvestIncome" kind="bars" points=${points} />`;
}
