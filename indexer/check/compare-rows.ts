import { hex } from "../../catapult/entity/hex.js";
import { decodeEntityId, decodeEntityNumber } from "../../catapult/json/entity-id.js";
import type { Columns } from "../chain/state/tables.js";
import type { Findings } from "./findings.js";

export interface RowsToCompare {
  readonly table: string;
  /** Columns that identify a row. */
  readonly key: readonly string[];
  readonly expected: readonly Columns[];
  readonly stored: readonly Columns[];
  /** The expected origin of a row, to follow "is not in". */
  readonly origin: string;
}

/** Maximum length of a value that is shown completely, in characters. */
const SHOWN_LENGTH = 80;
/** Number of characters shown around the difference of a longer value. */
const EXCERPT_LENGTH = 40;

/** Reports every row that is missing, unexpected, or has another value in an expected column. */
export function compareRows(findings: Findings, { table, key, expected, stored, origin }: RowsToCompare): void {
  const nameOf = keyNames(key);
  const left = new Map(stored.map((row) => [nameOf(row), row]));
  const expectedNameOf = keyNames(key);
  for (const row of expected) {
    const name = expectedNameOf(row);
    const found = left.get(name);
    left.delete(name);
    if (!found) {
      findings.add({ table, key: name, problem: "is missing" });
      continue;
    }
    for (const [column, value] of Object.entries(row)) {
      const problem = describeMismatch(textOf(found[column]), textOf(value));
      if (problem !== undefined) findings.add({ table, key: name, column, problem });
    }
  }
  for (const name of left.keys()) findings.add({ table, key: name, problem: `is not in ${origin}` });
  findings.countChecked(`rows of ${table}`, expected.length);
}

/** Keys of rows in the order of their calls: of equal ones, the second and later ones get a number. */
function keyNames(key: readonly string[]): (row: Columns) => string {
  const seen = new Map<string, number>();
  return (row) => {
    const name = keyOf(row, key);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  };
}

/** The key of a row in readable form: an id with a position in the chain is shown with its height. */
export function keyOf(row: Columns, key: readonly string[]): string {
  return key.map((column) => `${column}=${textOf(row[column])}`).join(" ");
}

/** The height that an id of the chain begins with. */
export function heightOfRow(row: Columns, idColumn: string): number {
  const id = row[idColumn] as Buffer | number | bigint;
  return Buffer.isBuffer(id) ? decodeEntityId(id).height : decodeEntityNumber(BigInt(id)).height;
}

/** Bytes as upper-case hex, numbers of any kind as digits, null as such, everything else as text. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Buffer.isBuffer(value)) return hex(value);
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`;
  return String(value);
}

/** Describes the difference of two values in the form of {@link textOf}; undefined if they are equal. */
export function describeMismatch(stored: string, expected: string): string | undefined {
  if (stored === expected) return undefined;
  if (stored.length <= SHOWN_LENGTH && expected.length <= SHOWN_LENGTH) return `is ${stored}, not ${expected}`;
  let at = 0;
  while (stored[at] === expected[at]) at++;
  const excerpt = (text: string) => JSON.stringify(text.slice(at, at + EXCERPT_LENGTH));
  return `is, from character ${at + 1} on, ${excerpt(stored)}, not ${excerpt(expected)}`;
}
