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

/** The sum of the series of this name, whatever their labels. @throws Error if there is none */
export function sumOf(series: ReadonlyMap<string, number>, name: string): number {
  const values = [...series].filter(([key]) => key.replace(/\{.*/s, "") === name).map(([, value]) => value);
  if (values.length === 0) throw new Error(`There is no metric ${name}`);
  return values.reduce((sum, value) => sum + value, 0);
}
