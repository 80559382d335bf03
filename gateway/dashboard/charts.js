// Bars, drawn as SVG: no library, and right at every width.

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 100;
/** Share of a bar's place that stays empty. */
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
 * Upright bars, the first one left.
 * @param bars `{ value, label }`; a label is shown when the pointer rests on its bar
 * @param ends what stands below the first and the last bar
 * @param format writes the highest value
 */
export function drawBars(place, bars, ends, format) {
  const highest = Math.max(...bars.map(({ value }) => value), 0);
  const svg = element("svg", {
    viewBox: `0 0 ${Math.max(bars.length, 1)} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": bars.length > 0 ? `${bars.length} bars, the highest is ${format(highest)}` : "nothing to show",
  });
  bars.forEach(({ value, label }, index) => {
    const height = highest > 0 ? (value / highest) * HEIGHT : 0;
    // A pixel is left of what is there, however small beside the highest.
    const shown = value > 0 ? Math.max(height, 1) : 0;
    const place = { x: index + GAP / 2, y: HEIGHT - shown, width: 1 - GAP, height: shown };
    svg.append(element("rect", { ...place, "data-value": value }, element("title", {}, label)));
  });
  const below = document.createElement("p");
  const middle = highest > 0 ? `at most ${format(highest)}` : "none";
  below.append(...[ends[0], middle, ends[1]].map((text) => withText("span", text)));
  place.replaceChildren(svg, below);
}

/** Lying bars with names, as `{ name, value }`, the longest first. */
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
  place.replaceChildren(...(rows.length > 0 ? rows : [withText("div", "none")]));
}
