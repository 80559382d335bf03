/** A row of a table, under its heading. */
export interface Row {
  readonly heading: string;
  readonly cells: readonly string[];
}

/** A cell as it is read: what would be a tag or the end of the cell in Markdown is escaped. */
const plain = (cell: string) => cell.trim().replaceAll("\\<", "<").replaceAll("\\|", "|");

/** The rows of all tables of a Markdown text, without their first rows, which name the columns. */
export function tableRows(markdown: string): Row[] {
  const rows: Row[] = [];
  let heading = "";
  let isInTable = false;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("#")) heading = line.replace(/^#+\s*/, "");
    const cells = line.startsWith("|") ? line.slice(1, line.lastIndexOf("|")).split(/(?<!\\)\|/) : undefined;
    if (cells && isInTable && !/^\|[-|\s]+\|$/.test(line)) rows.push({ heading, cells: cells.map(plain) });
    isInTable = cells !== undefined;
  }
  return rows;
}

/** What a cell has between backquotes, in order. */
export function quotedIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);
}
