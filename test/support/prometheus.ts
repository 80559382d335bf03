/** Series of a text in the format of Prometheus: value by `name{labels}`. */
export function readSeries(text: string): Map<string, number> {
  const series = new Map<string, number>();
  for (const line of text.split("\n")) {
    const match = /^([a-zA-Z_:][\w:]*(?:\{.*\})?) (\S+)$/.exec(line);
    if (match) series.set(match[1]!, Number(match[2]));
  }
  return series;
}

/** The names in series, without labels. */
export function seriesNames(series: ReadonlyMap<string, number>): Set<string> {
  return new Set([...series.keys()].map((name) => name.replace(/\{.*/s, "")));
}

/** The request for the metrics has one of its client's slots, and one of its connection's. */
const SLOTS_OF_METRICS = 2;

/** The slots that clients of a gateway hold besides the request for these metrics. @throws Error if they lack it */
export function heldSlots(metrics: string): number {
  const held = [...readSeries(metrics)].filter(([name]) => name.startsWith("symbol_gateway_slots_held{"));
  if (held.length === 0) throw new Error("There is no metric of held slots");
  return held.reduce((sum, [, count]) => sum + count, -SLOTS_OF_METRICS);
}
