import { html, useEffect, useMemo, useRef, useState } from "htm/preact/standalone";
import { duration } from "./format.js";
import { Table } from "./table.js";
import { locale, words } from "./words.js";

const HEIGHT_PX = 220;
const compact = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 2 });

/** Only pages with a chart load it. */
const library = async () => (await import("uplot")).default;

/** Names of months and days, which uPlot has in English only. */
function dateNames() {
  const names = (options, count, dateOf) =>
    Array.from({ length: count }, (_, n) =>
      new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" }).format(dateOf(n)),
    );
  const ofMonths = (month) => names({ month }, 12, (n) => Date.UTC(2024, n, 15));
  // The 7th of January 2024 was a Sunday.
  const ofDays = (weekday) => names({ weekday }, 7, (n) => Date.UTC(2024, 0, 7 + n));
  return { MMMM: ofMonths("long"), MMM: ofMonths("short"), WWWW: ofDays("long"), WWW: ofDays("short") };
}

const DAY_S = 86_400;
/** Days that a chart can be limited to. */
const RANGES = [30, 365];

/** The points of the last days, with the one before them, which holds until the first. */
function pointsSince(points, days, kind) {
  if (days === undefined) return points;
  const start = Date.now() / 1_000 - days * DAY_S;
  const first = points.findIndex(({ x }) => x >= start);
  if (first <= 0) return first === 0 ? points : points.slice(-1);
  const before = kind === "steps" ? [{ ...points[first - 1], x: start }] : [];
  return [...before, ...points.slice(first)];
}

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * A line or bars over time, with its figures as a table for those who cannot see it.
 * @param points `{ x, y, label, text }` in the order of x, which is in Unix seconds
 * @param label what the chart shows
 * @param kind "steps" or "bars"
 */
export function Chart({ id, points: all, label, kind = "steps" }) {
  const [days, setDays] = useState();
  const points = useMemo(() => pointsSince(all, days, kind), [JSON.stringify(all.map(({ x, y }) => [x, y])), days]);
  const span = Date.now() / 1_000 - (all[0]?.x ?? 0);
  const ranges = all.length > 0 ? RANGES.filter((one) => one * DAY_S < span) : [];
  const place = useRef();
  const [Plot, setPlot] = useState();
  useEffect(() => {
    void library().then((loaded) => setPlot(() => loaded));
  }, []);
  useEffect(() => {
    if (points.length === 0 || !Plot) return undefined;
    const draw = () => plot(Plot, place.current, points, { label, kind });
    let drawn = draw();
    const resized = new ResizeObserver(() => drawn.setSize({ width: place.current.clientWidth, height: HEIGHT_PX }));
    resized.observe(place.current);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const redraw = () => {
      drawn.destroy();
      drawn = draw();
    };
    scheme.addEventListener("change", redraw);
    return () => {
      scheme.removeEventListener("change", redraw);
      resized.disconnect();
      drawn.destroy();
    };
  }, [points, Plot]);
  if (points.length === 0) return html`<p class="note">${words("nothingToShow")}</p>`;
  return html`
    ${
      ranges.length > 0 &&
      html`<div class="ranges" role="group" aria-label=${words("range")}>
      ${[...ranges, undefined].map((one) => html`<button type="button" aria-pressed=${String(one === days)} onClick=${() => setDays(one)}>${one ? duration(one * DAY_S) : words("rangeAll")}</button>`)}
    </div>`
    }
    <div ref=${place} class="plot" role="img" aria-label=${words("chart", { label: words(label), count: points.length, last: points.at(-1).text })}></div>
    <details><summary>${words("figures")}</summary>
      <${Table} id=${id} label=${label} rows=${points.toReversed()} columns=${[
        ["when", ({ label: when }) => when],
        ["value", ({ text }) => text, "number"],
      ]} />
    </details>`;
}

function plot(Plot, place, points, { label, kind }) {
  const axis = { stroke: color("--faint"), grid: { stroke: color("--line"), width: 1 }, ticks: { show: false } };
  const paths = kind === "bars" ? Plot.paths.bars({ size: [0.8, 40] }) : Plot.paths.stepped({ align: 1 });
  const options = {
    width: place.clientWidth,
    height: HEIGHT_PX,
    fmtDate: (template) => Plot.fmtDate(template, dateNames()),
    legend: { show: false },
    cursor: { y: false },
    scales: { y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.05 : 1] } },
    axes: [axis, { ...axis, size: 70, values: (_plot, ticks) => ticks.map((tick) => compact.format(tick)) }],
    series: [
      {},
      { label, stroke: color("--accent"), fill: `${color("--accent")}33`, width: 1.5, paths, points: { show: false } },
    ],
  };
  return new Plot(options, [points.map(({ x }) => x), points.map(({ y }) => y)], place);
}
