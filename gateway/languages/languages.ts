import type { Request } from "express";
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

const NAMES = Object.keys(LANGUAGES) as Language[];
/** Set by the pages when a person chooses a language. */
const CHOSEN = /(?:^|;\s*)language=(\w+)/;

/** The language of a page: the one that was chosen on an earlier page, or the one of ours that the browser prefers. */
export function negotiateLanguage(request: Request): Language {
  const chosen = CHOSEN.exec(request.headers.cookie ?? "")?.[1] ?? request.acceptsLanguages(...NAMES);
  return NAMES.find((name) => name === chosen) ?? "en";
}
