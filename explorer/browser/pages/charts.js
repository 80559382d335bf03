import { CHART_DAYS, chartDaysOf, chartIntervals } from "../../days.ts";
import { chain, currencyText, unixMs } from "../chain.js";
import { DayChart } from "../charts/day-chart.js";
import { accountColumn, figureColumn, shareColumn } from "../columns.js";
import { CsvTable } from "../csv.js";
import { html } from "../dom.js";
import { count, duration, toNumber } from "../format.js";
import { answered, useQuery } from "../graphql.js";
import { Heading } from "../page.js";
import { listOf } from "../paths.js";
import { Section } from "../values.js";
import { words } from "../words.js";

const DAY_S = 86_400;
const MAX_SHARES = 20;
const feesIn = ({ fees }) => toNumber(fees, chain.currency.divisibility);
const feeText = (_value, { fees }) => currencyText(fees, true);

/** Each chart: its title, the document that it is of, its value, and this as text. */
const CHARTS = [
  ["transactions", "days", ({ transactions }) => transactions, count],
  ["withEmbedded", "days", ({ totalTransactions }) => totalTransactions, count],
  ["transfers", "days", ({ transfers }) => transfers, count],
  ["fees", "days", feesIn, feeText],
  ["activeAccounts", "activeAccounts", ({ activeAccounts }) => activeAccounts, count],
  ["newAccounts", "days", ({ newAccounts }) => newAccounts, count],
  ["harvesters", "harvestersByDay", ({ harvesters }) => harvesters, count],
  ["blockTime", "days", ({ blocks }, seconds) => seconds / blocks, duration],
];
/** A document for those that are slower to count. */
const DOCUMENTS = ["days", "activeAccounts", "harvestersByDay"];
const textOfSpan = (days) => (days === undefined ? words("rangeAll") : duration(days * DAY_S));

/** The chain by days. */
export function ChartsPage() {
  const days = chartDaysOf(new URLSearchParams(location.search));
  const newest = useQuery("newestBlock", {}, 0);
  return html`<${Heading} text=${words("charts")} />
    <nav class="pages" aria-label=${words("range")}>${[...CHART_DAYS, undefined].map((one) => html`<a class="button" aria-current=${one === days ? "true" : undefined} href=${listOf("charts", { days: one || "all" })}>${textOfSpan(one)}</a>`)}</nav>
    ${answered(newest, ({ blocks }) => chain.epochMs !== undefined && blocks.data.map(({ timestamp }) => html`<${Charts} intervals=${chartIntervals(chain, timestamp, days)} newest=${timestamp} />`))}`;
}

function Charts({ intervals, newest }) {
  const answers = Object.fromEntries(DOCUMENTS.map((name) => [name, useQuery(name, intervals, 0)]));
  const shares = useQuery("shares", { fromTime: new Date(unixMs(intervals.from)).toISOString() }, 0);
  return html`
    ${CHARTS.map(([id, document, valueIn, textOf]) => html`<${Section} key=${id} title=${id} isHalf>${answered(answers[document], ({ activity }) => html`<${DayChart} days=${activity} seconds=${intervals.seconds} ...${{ id, newest, valueIn, textOf }} />`)}<//>`)}
    <${Section} title="shares">${answered(shares, ({ ranking }) => html`<${Shares} ranking=${ranking} />`)}<//>`;
}

/** Who got most of what harvesting earned. */
function Shares({ ranking }) {
  const sum = ranking.reduce((all, { value }) => all + Number(value), 0);
  return html`<${CsvTable} id="shares" label="shares" name="shares" rows=${ranking} shown=${MAX_SHARES} columns=${[
    accountColumn("account", (row) => row, "main flexible"),
    figureColumn("rewards", ({ value }) => ({ amount: value })),
    shareColumn(({ value }) => Number(value) / sum),
  ]} />`;
}
