/** Characters of a part that is sent at once. */
const PART_LENGTH = 32_768;
const LINE_END = "\r\n";

/** Characters at whose start spreadsheets take a cell for a formula, also as full-width forms. */
const FORMULA_START = /^[=+\-@\t\r\n＝＋－＠]/u;
const NEEDS_QUOTES = /[",\r\n]/;
/** PostgreSQL and SQLite cannot store it in a text. */
const NUL = /\0/g;

/** The byte order mark: without it Excel takes UTF-8 for the code page of its system. */
export const BYTE_ORDER_MARK = "\uFEFF";

/** A value of a cell; null and undefined are empty. */
export type Cell = string | number | bigint | null | undefined;

/**
 * A line of CSV as in RFC 4180. Texts are written as they are: what a stranger wrote goes through {@link freeText}.
 */
export function csvLine(cells: readonly Cell[]): string {
  return cells.map(cellOf).join(",") + LINE_END;
}

function cellOf(cell: Cell): string {
  const text = cell == null ? "" : String(cell);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A text that a stranger wrote, as a cell that every program loads and no spreadsheet takes for a formula: an apostrophe
 * comes before one (https://owasp.org/www-community/attacks/CSV_Injection), NUL becomes U+FFFD.
 */
export function freeText(text: string): string {
  const loadable = text.replace(NUL, "\uFFFD");
  return FORMULA_START.test(loadable) ? `'${loadable}` : loadable;
}

/** Lines in parts of some length, so that each is worth sending. @param start comes before the first line */
export async function* gathered(lines: AsyncGenerator<string>, start: string): AsyncGenerator<string> {
  let part = [start];
  let { length } = start;
  for await (const line of lines) {
    part.push(line);
    length += line.length;
    if (length < PART_LENGTH) continue;
    yield part.join("");
    part = [];
    length = 0;
  }
  if (length > 0) yield part.join("");
}
