/** Rows of a CSV text as in RFC 4180, by the names of its header. @throws Error for a text that is not CSV */
export function readCsv(text: string): Record<string, string>[] {
  const [header = [], ...rows] = readRows(text);
  return rows.map((row, index) => {
    if (row.length !== header.length) throw new Error(`row ${index + 1} has ${row.length} cells, not ${header.length}`);
    return Object.fromEntries(header.map((name, place) => [name, row[place] ?? ""]));
  });
}

function readRows(text: string): string[][] {
  const rows: string[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  let row: string[] = [];
  while (cell.lastIndex < text.length) {
    const start = cell.lastIndex;
    const found = cell.exec(text);
    if (!found) throw new Error(`not CSV at ${start}: ${text.slice(start, start + 40)}`);
    row.push(found[1] === undefined ? (found[2] ?? "") : found[1].replaceAll('""', '"'));
    if (found[3] === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
