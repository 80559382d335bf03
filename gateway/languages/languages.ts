import en from "./en.json" with { type: "json" };
import ja from "./ja.json" with { type: "json" };
import type { RECEIPT_TYPE, TRANSACTION_TYPE } from "./type-names.js";

// What people read on pages, one file for each language. `{name}` in a text is the place of a value.

/** The words for each type of transactions and receipts. */
interface NamedTypes {
  readonly types: Readonly<Record<keyof typeof TRANSACTION_TYPE, string>>;
  readonly receipts: Readonly<Record<keyof typeof RECEIPT_TYPE, string>>;
}

/** All texts; the compiler notices one that a language lacks. */
export type Texts = typeof en;
export const LANGUAGES = { en, ja } satisfies Record<string, Texts & NamedTypes>;
export type Language = keyof typeof LANGUAGES;

/** The parts of a text, each place with its value. */
export function partsOf(text: string, values: Readonly<Record<string, unknown>>): unknown[] {
  return text.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : values[part]));
}

/** A text with its values. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  partsOf(text, values).join("");
