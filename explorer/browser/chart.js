import { html, useEffect, useRef, useState } from "htm/preact/standalone";
import { Table } from "./table.js";
import { locale, words } from "./words.js";

const HEIGHT_PX = 220;
const compact = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 2 });

/** Only pages with a chart load it. */
const library = async () => (await import("uplot")).default;

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * A line or bars over time, with its figures as a table for those who cannot see it.
 * @param points `{ x, y, label, text }` in the order of x, which is in Unix seconds
 * @param label what the chart shows
 * @param kind "steps" or "bars"
 */
export function Chart({ id, points, label, kind = "steps" }) {
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
    <div ref=${place} class="plot" role="img" aria-label=${words("chart", { label: words(label), count: points.length, last: points.at(-1).text })}></div>
    <details><summary>${words("figures")}</summary>
      <${Table} id=${id} label=${label} rows=${points.toReversed()} columns=${[
        ["when", ({ label: when }) => when],
        ["value", ({ text }) => text],
      ]} />
    </details>`;
}

function plot(Plot, place, points, { label, kind }) {
  const axis = { stroke: color("--faint"), grid: { stroke: color("--line"), width: 1 }, ticks: { show: false } };
  const paths = kind === "bars" ? Plot.paths.bars({ size: [0.8, 40] }) : Plot.paths.stepped({ align: 1 });
  const options = {
    width: place.clientWidth,
    height: HEIGHT_PX,
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
