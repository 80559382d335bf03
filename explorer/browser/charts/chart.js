import { axisRange } from "../../days.ts";
import { chain, unixMs } from "../chain.js";
import { now } from "../connection.js";
import { CsvButton } from "../csv.js";
import { html, useEffect, useMemo, useRef, useState } from "../dom.js";
import { count, DURATION_STEPS, dateAndTime, duration, formatAmount, toNumber } from "../format.js";
import { Table } from "../table.js";
import { locale, words } from "../words.js";

const HEIGHT_PX = 200;
const RETRY_MS = [1_000, 4_000];
const compact = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 2 });

/** Only pages with a chart load it; another gateway may have it while this one is updated. */
async function library() {
  for (const wait of RETRY_MS) {
    const loaded = await import("uplot").catch(() => undefined);
    if (loaded) return loaded.default;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
  return (await import("uplot")).default;
}

const DAY_S = 86_400;
/** Steps of an axis of whole numbers. */
const WHOLE_STEPS = Array.from({ length: 48 }, (_, n) => [1, 2, 5][n % 3] * 10 ** Math.floor(n / 3));
/** What is written at the steps of an axis of time: from these lengths on, in seconds. */
const TIME_FORMS = [
  [364 * DAY_S, { year: "numeric" }],
  [27 * DAY_S, { month: "short", year: "numeric" }],
  [DAY_S, { month: "short", day: "numeric" }],
  [0, { hour: "2-digit", minute: "2-digit" }],
];

/** The texts at an axis of time: between hours, a midnight is the name of its day. */
function timesAt(ticks, step, timeZone) {
  const formatOf = (length) =>
    new Intl.DateTimeFormat(locale, { ...TIME_FORMS.find(([from]) => length >= from)[1], timeZone });
  const [usual, ofDay] = [step, Math.max(step, DAY_S)].map(formatOf);
  const isMidnight = (ms) => new Date(ms).toLocaleTimeString("en-GB", { timeZone }) === "00:00:00";
  return ticks.map((tick) => (isMidnight(1_000 * tick) ? ofDay : usual).format(1_000 * tick));
}

/** Days that a chart can be limited to. */
const RANGES = [30, 365];

/** The points of the last days, with the one before them, which holds until the first. */
function pointsSince(points, days) {
  if (days === undefined) return points;
  const start = now() / 1_000 - days * DAY_S;
  const first = points.findIndex(({ x }) => x >= start);
  if (first <= 0) return first === 0 ? points : points.slice(-1);
  return [{ ...points[first - 1], x: start }, ...points.slice(first)];
}

/** A point of an amount. */
export const amountPoint = (ms, label, amount, divisibility) => ({
  x: ms / 1_000,
  y: toNumber(amount, divisibility),
  label,
  text: formatAmount(amount, divisibility, true),
});
/** The same after a block, or of now without its timestamp. */
export function blockPoint({ height, timestamp }, amount, divisibility) {
  const ms = timestamp === undefined ? now() : unixMs(timestamp);
  const label = words("blockAt", { height: count(height), time: ms === undefined ? timestamp : dateAndTime(ms) });
  // The first block is as old as the network's time, which may be years before the second one.
  const shownMs = timestamp === undefined ? ms : (unixMs(Math.max(timestamp, chain.begin)) ?? timestamp);
  return amountPoint(shownMs, label, amount, divisibility);
}

/** Room for the longest text at an axis, px. */
const widthOf = (_plot, texts) => 16 + Math.max(0, ...(texts ?? []).map(({ length }) => length)) * 7;
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * A line or bars over time, with its figures as a table for those who cannot see it.
 * @param points `{ x, y, label, text }` in the order of x, which is in Unix seconds
 * @param label what the chart shows
 * @param isBars whether it has bars; otherwise a line, which can be limited to its last days
 * @param isDuration whether values are seconds
 */
export function Chart({ id, points: all, label, isBars, isDuration }) {
  const [days, setDays] = useState();
  const points = useMemo(() => pointsSince(all, days), [JSON.stringify(all.map(({ x, y }) => [x, y])), days]);
  const span = now() / 1_000 - (all[0]?.x ?? 0);
  const ranges = !isBars && all.length > 0 ? RANGES.filter((one) => one * DAY_S < span) : [];
  const place = useRef();
  const [Plot, setPlot] = useState();
  useEffect(() => {
    library()
      .catch(() => null)
      .then((loaded) => setPlot(() => loaded));
  }, []);
  useEffect(() => {
    if (points.length === 0 || !Plot) return undefined;
    const draw = () => plot(Plot, place.current, points, { label, isBars, isDuration });
    let drawn = draw();
    const resized = new ResizeObserver(() => drawn.setSize({ width: place.current.clientWidth, height: HEIGHT_PX }));
    resized.observe(place.current);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.onchange = () => {
      drawn.destroy();
      drawn = draw();
    };
    return () => {
      scheme.onchange = null;
      resized.disconnect();
      drawn.destroy();
    };
  }, [points, Plot]);
  if (points.length === 0) return html`<p class="note">${words("nothingToShow")}</p>`;
  return html`
    ${ranges.length > 0 && html`<div class="filter" role="group" aria-label=${words("range")}>${[...ranges, undefined].map((one) => html`<button type="button" aria-pressed=${String(one === days)} onClick=${() => setDays(one)}>${one ? duration(one * DAY_S) : words("rangeAll")}</button>`)}</div>`}
    <div ref=${place} class="plot" role="img" aria-label=${words("chart", { label: words(label), count: points.length, last: points[points.length - 1].text })}></div>
    ${Plot === null && html`<p role="alert" class="failure">${words("noChart")}</p>`}
    <details><summary>${words("figures")}</summary>
      <${Table} id=${id} label=${label} rows=${[...points].reverse()} columns=${[
        ["when", ({ label: when }) => when],
        ["value", ({ text }) => text, "number"],
      ]} />
      <${CsvButton} name=${id} rows=${points.map(({ x, y }) => ({ time: new Date(1_000 * x).toISOString(), value: y }))} />
    </details>`;
}

function plot(Plot, place, points, { label, isBars, isDuration }) {
  const steps = isDuration ? DURATION_STEPS : points.every(({ y }) => y % 1 === 0) && WHOLE_STEPS;
  const textOf = (value) => (isDuration ? duration(value) : compact.format(value));
  const ink = color("--accent");
  const axis = { stroke: color("--faint"), grid: { stroke: color("--line"), width: 1 }, ticks: { show: false } };
  const timeZone = isBars ? "Etc/UTC" : undefined;
  const paths = isBars ? Plot.paths.bars({ size: [0.7, 36] }) : Plot.paths.stepped({ align: 1 });
  const options = {
    width: place.clientWidth,
    height: HEIGHT_PX,
    // Days are those of UTC.
    tzDate: (seconds) => (timeZone ? Plot.tzDate(new Date(1_000 * seconds), timeZone) : new Date(1_000 * seconds)),
    legend: { show: false },
    cursor: { y: false },
    scales: {
      x: { range: (_plot, low, high) => axisRange(low, high, isBars ? points.length : undefined) },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.05 : 1] },
    },
    axes: [
      { ...axis, space: 80, size: 28, values: (_plot, ticks, _axis, _space, step) => timesAt(ticks, step, timeZone) },
      { ...axis, size: widthOf, ...(steps && { incrs: steps }), values: (_plot, ticks) => ticks.map(textOf) },
    ],
    series: [
      {},
      {
        label,
        paths,
        points: { show: false },
        stroke: ink,
        ...(isBars ? { fill: ink } : { fill: `${ink}22`, width: 2 }),
      },
    ],
  };
  return new Plot(options, [points.map(({ x }) => x), points.map(({ y }) => y)], place);
}
