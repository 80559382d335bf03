import { words } from "./words.js";

// Bar charts as SVG: no library, and sharp at every width.

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 100;
/** Fraction of a bar's width that stays empty. */
const GAP = 0.15;

function element(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function withText(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

/**
 * Vertical bars, the first one on the left.
 * @param bars `{ value, label }`; a label is the bar's tooltip
 * @param ends labels below the first and the last bar
 * @param format formats the highest value
 */
export function drawBars(place, bars, ends, format) {
  const highest = Math.max(...bars.map(({ value }) => value), 0);
  const svg = element("svg", {
    viewBox: `0 0 ${Math.max(bars.length, 1)} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label":
      bars.length > 0 ? words("bars", { count: bars.length, highest: format(highest) }) : words("nothingToShow"),
  });
  bars.forEach(({ value, label }, index) => {
    const height = highest > 0 ? (value / highest) * HEIGHT : 0;
    // Non-zero values get at least one pixel.
    const shown = value > 0 ? Math.max(height, 1) : 0;
    const place = { x: index + GAP / 2, y: HEIGHT - shown, width: 1 - GAP, height: shown };
    svg.append(element("rect", { ...place, "data-value": value }, element("title", {}, label)));
  });
  const below = document.createElement("p");
  const middle = highest > 0 ? words("maximum", { value: format(highest) }) : words("none");
  below.append(...[ends[0], middle, ends[1]].map((text) => withText("span", text)));
  place.replaceChildren(svg, below);
}

/** Horizontal bars with names, as `{ name, value }`, the longest first. */
export function drawShares(place, shares, format) {
  const highest = Math.max(...shares.map(({ value }) => value), 1);
  const rows = shares.map(({ name, value }) => {
    const row = document.createElement("div");
    const bar = document.createElement("i");
    bar.style.width = `${(100 * value) / highest}%`;
    row.append(bar, withText("span", name), withText("span", format(value)));
    return row;
  });
  place.className = "types";
  place.replaceChildren(...(rows.length > 0 ? rows : [withText("div", words("none"))]));
}
