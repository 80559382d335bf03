import { unixMs } from "../chain.js";
import { html } from "../dom.js";
import { day, duration } from "../format.js";
import { Chart } from "./chart.js";

/**
 * A chart of the chain by days, or spans of several days.
 * @param days `{ timestamp, … }`, undefined until they are read
 * @param valueIn the value of one of them, of its length in seconds
 * @param newest timestamp of the newest block: the span in which it is may be shorter
 */
export function DayChart({ id, label = id, days, seconds, newest, valueIn, textOf }) {
  if (!days) return html`<div class="plot"></div>`;
  const points = days.map((one) => {
    const value = valueIn(one, Math.min(seconds, (newest - one.timestamp) / 1_000));
    return { x: unixMs(one.timestamp) / 1_000, y: value, label: day(unixMs(one.timestamp)), text: textOf(value, one) };
  });
  return html`<${Chart} id=${`by-day-${id}`} label=${label} isBars points=${points} isDuration=${textOf === duration} />`;
}
