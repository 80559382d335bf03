import { chain, unixMs } from "../chain.js";
import { now as serverNow } from "../connection.js";
import { html, useState } from "../dom.js";
import { dateAndTime } from "../format.js";
import { answered, useQuery } from "../graphql.js";
import { words } from "../words.js";
import { amountPoint, blockPoint, Chart } from "./chart.js";

/** Intervals of an account with more changes than one answer has. */
const INTERVALS = 400;
/** The shortest that there are. */
const MIN_SECONDS = 60;

/**
 * An account's balance of one of its mosaics from its beginning until now: after each block that changed it, or, if there
 * are very many, at the end of intervals.
 * @param since the height of the first block that named the account
 */
export function BalanceChart({ address, mosaics, since, version }) {
  const [chosen, setChosen] = useState(mosaics[0].mosaicId);
  const holding = { address, mosaicId: chosen };
  const answer = useQuery("balanceHistory", holding, version);
  const divisibility = mosaics.find(({ mosaicId }) => mosaicId === chosen)?.mosaic?.divisibility || 0;
  return html`
    <div class="filter"><label>${words("mosaic")} <select id="balance-mosaic" value=${chosen} onChange=${({ target }) => setChosen(target.value)}>
      ${mosaics.map(({ mosaicId, mosaic: known }) => html`<option value=${mosaicId}>${known?.names[0] || mosaicId}</option>`)}
    </select></label></div>
    ${answered(answer, ({ balanceHistory: { data: steps, pageInfo } }) =>
      pageInfo.hasNextPage
        ? html`<${Intervals} holding=${holding} since=${since} until=${steps[0].timestamp} divisibility=${divisibility} />`
        : html`<${UntilNow} points=${[...steps].reverse().map((step) => blockPoint(step, step.amount, divisibility))} />`,
    )}`;
}

/** @param until the time of the last change, in ms since the epoch */
function Intervals({ holding, since, until, divisibility }) {
  const first = useQuery("timeOfBlock", { height: since }, 0);
  const from = first.data && Math.max(first.data.block.timestamp, chain.begin);
  const seconds = Math.max(MIN_SECONDS, Math.ceil((until - from) / 1_000 / INTERVALS));
  const series = useQuery(from === undefined ? undefined : "balanceSeries", { ...holding, from, seconds }, 0);
  return answered(first.failure ? first : series, ({ balanceSeries }) => {
    const points = balanceSeries.map(({ time, amount }) => {
      // The last interval ends after the last change.
      const ms = Math.min(Date.parse(time) + 1_000 * seconds, unixMs(until) ?? Number.POSITIVE_INFINITY);
      return amountPoint(ms, dateAndTime(ms), amount, divisibility);
    });
    return html`<${UntilNow} points=${points} />`;
  });
}

/** The newest balance holds until now. */
function UntilNow({ points }) {
  const newest = points[points.length - 1];
  const now = { ...newest, x: serverNow() / 1_000, label: words("now") };
  const shown = newest && unixMs(0) !== undefined && now.x > newest.x ? [...points, now] : points;
  return html`<${Chart} id="balance-history" label="balance" points=${shown} />`;
}
