import { homeVariables } from "../../days.ts";
import { chain } from "../chain.js";
import { DayChart } from "../charts/day-chart.js";
import { BRIEF_BLOCK_COLUMNS, BRIEF_COLUMNS } from "../columns.js";
import { html } from "../dom.js";
import { feeOffers } from "../fee-offers.js";
import { count, duration, formatAmount } from "../format.js";
import { useQuery } from "../graphql.js";
import { Heading, Missing } from "../page.js";
import { listOf } from "../paths.js";
import { Table } from "../table.js";
import { Age, BlockLink, Section } from "../values.js";
import { counted, words } from "../words.js";

const DAY_S = 86_400;
const total = ({ pagination }) => count(pagination.totalEntries);

/** The first page: how far the chain is, what it costs to use it, and what is new in it. */
export function HomePage({ version }) {
  const { data, failure } = useQuery("home", {}, version);
  const newest = data?.blocks.data[0]?.timestamp;
  const hasDays = newest !== undefined && chain.epochMs !== undefined;
  const variables = hasDays ? homeVariables(chain, newest) : {};
  const { data: ofDay } = useQuery(hasDays ? "dayOfHome" : undefined, variables.day, 0);
  const { data: ofDays } = useQuery(hasDays ? "daysOfHome" : undefined, variables.days, Math.floor(version / 10));
  // The newest day is not over.
  const byDay = { days: ofDays?.activity.slice(0, -1), seconds: DAY_S, newest };
  if (!data) return html`<${Missing} kind="overview" text="" failure=${failure} isLoading />`;
  const { head, blocks, transactions, unconfirmed, partial, accounts, recent } = data;
  return html`
    <${Heading} kind="overview" text="" />
    <div class="tiles">
      <${Tile} title="height" note=${newest !== undefined && html`<${Age} timestamp=${newest} />`}><span data-field="height"><${BlockLink} height=${head.height} /></span><//>
      <${Tile} title="finalized" note=${lagOf(head, recent.data)}><span data-field="finalizedHeight"><${BlockLink} height=${head.latestFinalizedBlock.height} /></span><//>
      <${Tile} title="transactionsOfDay" note=${words("inAll", { count: html`<span data-field="transactions">${total(transactions)}</span>` })}>${ofDay ? total(ofDay.transactions) : "–"}<//>
      <${Tile} title="blockTime" note=${words("lastBlocks", { count: count(recent.data.length) })}>${blockTime(recent.data)}<//>
      <${Fees} offers=${feeOffers(recent.data)} />
      <${Tile} title="pending" isBroad note=${words("waiting")}><a href=${listOf("pending", { group: "unconfirmed" })}><span data-field="unconfirmed">${total(unconfirmed)}</span></a> <small>${words("group.unconfirmed")}</small> <a href=${listOf("pending", { group: "partial" })}><span data-field="partial">${total(partial)}</span></a> <small>${words("group.partial")}</small><//>
      <${Tile} title="accounts" note=${words("withBalance")}><a href=${listOf("accounts")}>${total(accounts)}</a><//>
      <${Tile} title="harvesters" note=${words("lastBlocks", { count: count(recent.data.length) })}><a href=${listOf("harvesters")}>${count(new Set(recent.data.map(({ signerPublicKey }) => signerPublicKey)).size)}</a><//>
    </div>
    <${Section} title="transactionsByDay" isHalf><${DayChart} id="transactions" ...${byDay} valueIn=${({ transactions: number }) => number} textOf=${count} /><//>
    <${Section} title="blockTimeByDay" isHalf><${DayChart} id="blockTime" ...${byDay} valueIn=${({ blocks: number }, seconds) => seconds / number} textOf=${duration} /><//>
    <${Latest} kind="blocks" title="latestBlocks" columns=${BRIEF_BLOCK_COLUMNS} rows=${blocks.data} all="allBlocks" />
    <${Latest} kind="transactions" title="latestTransactions" columns=${BRIEF_COLUMNS} rows=${transactions.data} all="allTransactions" />`;
}

const Latest = ({ kind, title, columns, rows, all }) =>
  html`<${Section} title=${title} isHalf><${Table} id=${kind} label=${title} columns=${columns} rows=${rows} /><p><a class="button" href=${listOf(kind)}>${words(all)}</a></p><//>`;

const Tile = ({ title, note, isBroad, children }) =>
  html`<section class=${isBroad ? "tile broad" : "tile"}><h2>${words(title)}</h2><p class="figure">${children}</p><p class="note">${note}</p></section>`;

const Fees = ({ offers }) =>
  html`<section class="tile broad" id="fees"><h2>${words("feeOffers")} <span translate="no">(${chain.currency.name})</span></h2>
    <dl class="three">${offers.map(({ name, multiplier, fee, seconds }) => html`<div key=${name}><dt>${words(`offer.${name}`)}</dt><dd class="figure" translate="no" title=${words("multiplier", { count: count(multiplier) })}>${formatAmount(fee, chain.currency.divisibility)}</dd><dd class="note">${seconds === undefined ? words("longer") : words("about", { duration: duration(seconds) })}</dd></div>`)}</dl>
  </section>`;

/** How far finalization is behind the newest block; how long only if that is among the last blocks. */
function lagOf({ height, latestFinalizedBlock: { height: finalizedHeight } }, blocks) {
  const finalized = blocks.find((one) => one.height === finalizedHeight);
  const behind = counted("blocks", height - finalizedHeight);
  if (!finalized) return words("lagOfBlocks", { blocks: behind });
  return words("lag", { blocks: behind, duration: duration((blocks[0].timestamp - finalized.timestamp) / 1_000) });
}

/** The mean time between blocks, without the first one, which is as old as the network. */
function blockTime(blocks) {
  const [newest] = blocks;
  const oldest = blocks.filter(({ height }) => height > 1).pop();
  if (!oldest || oldest === newest) return "–";
  return duration((newest.timestamp - oldest.timestamp) / 1_000 / (newest.height - oldest.height));
}
