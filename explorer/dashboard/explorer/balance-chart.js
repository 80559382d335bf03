import { count, dateAndTime } from "../format.js";
import { formatAmount, toNumber } from "./amounts.js";
import { unixMs } from "./chain.js";
import { Chart } from "./chart.js";
import { html, useState } from "./library.js";
import { useQuery } from "./query.js";

/** As many as the document asks for. */
const STEPS = 1_000;

/** An account's balance of one of its mosaics after each block that changed it. */
export function BalanceChart({ address, mosaics, version }) {
  const [chosen, setChosen] = useState(mosaics[0].mosaicId);
  const { data, failure } = useQuery("balanceHistory", { address, mosaicId: chosen }, version);
  const mosaic = mosaics.find(({ mosaicId }) => mosaicId === chosen)?.mosaic;
  const divisibility = mosaic?.divisibility ?? 0;
  if (failure) return html`<p role="alert" class="failure">${failure}</p>`;
  const { data: steps = [], pageInfo } = data?.balanceHistory ?? {};
  return html`
    <label>Mosaic <select id="balance-mosaic" value=${chosen} onChange=${({ target }) => setChosen(target.value)}>
      ${mosaics.map(({ mosaicId, mosaic: known }) => html`<option value=${mosaicId}>${known?.names[0] ?? mosaicId}</option>`)}
    </select></label>
    <${BalancePlot} steps=${steps} divisibility=${divisibility} />
    ${pageInfo?.hasNextPage && html`<p class="note">the last ${count(STEPS)} changes</p>`}`;
}

function BalancePlot({ steps, divisibility }) {
  const points = steps.toReversed().map(({ height, timestamp, amount }) => ({
    x: (unixMs(timestamp) ?? timestamp) / 1_000,
    y: toNumber(amount, divisibility),
    label: `block ${count(height)}, ${unixMs(timestamp) === undefined ? timestamp : dateAndTime(unixMs(timestamp))}`,
    text: formatAmount(amount, divisibility),
  }));
  // The newest balance holds until now.
  const newest = points.at(-1);
  const now = { ...newest, x: Date.now() / 1_000, label: "now" };
  const shown = newest && unixMs(0) !== undefined && now.x > newest.x ? [...points, now] : points;
  return html`<${Chart} id="balance-history" label="Balance" points=${shown} />`;
}
