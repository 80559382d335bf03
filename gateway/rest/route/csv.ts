/** Characters of a part that is sent at once. */
const PART_LENGTH = 32_768;
const LINE_END = "\r\n";

/**
 * Where a cell begins with characters that spreadsheets take for the start of a formula, also as full-width forms: at the
 * start, and after what separates cells where the list separator is not a comma, which quotes in the middle of a line do
 * not hold together. A cell that begins with an apostrophe, which marks texts, is marked too: so marks can be removed.
 */
const FORMULA_INSIDE = /([;\t\n]|\r\n?)(?=[\s"]*[=+\-@＝＋－＠]|')/gu;
/** Tabs and line breaks at the start are enough for some programs. */
const FORMULA_START = /^(?:[\s"]*[=+\-@＝＋－＠]|['\t\r\n])/u;
/** What readers take for a number, a time or a date, a truth value, or for nothing. */
const VALUE =
  /^[\s$€£¥(.,#%]*\p{N}|^\s*(?:nan|inf|infinity|true|false|null|none|nil|nat|na|n\/a|<na>|#n\/a.*|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[\s.,/-]*\p{N}.*)\s*$/isu;
const NEEDS_QUOTES = /[",;\t\r\n]/;
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
  return cells.map(writeCell).join(",") + LINE_END;
}

function writeCell(cell: Cell): string {
  const text = cell == null ? "" : String(cell);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A text as cells that every program loads and no spreadsheet takes for a formula, whether commas, semicolons or tabs
 * separate cells: an apostrophe comes before one (https://owasp.org/www-community/attacks/CSV_Injection), NUL becomes
 * U+FFFD.
 */
export function withoutFormulas(text: string): string {
  const marked = text.replace(NUL, "\uFFFD").replace(FORMULA_INSIDE, "$1'");
  return FORMULA_START.test(marked) ? `'${marked}` : marked;
}

/** The same of a text that a stranger wrote, which no reader takes for a number or another value either. */
export function freeText(text: string): string {
  const marked = withoutFormulas(text);
  return VALUE.test(marked) ? `'${marked}` : marked;
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
