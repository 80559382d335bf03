import { LANGUAGES, partsOf } from "../../gateway/languages/languages.ts";

// Texts, numbers and times in the language of the page, which the gateway has chosen.

export const language = document.documentElement.lang;
/** The browser's own variant of the language, such as en-GB; systems name some that browsers do not know, such as en-US@posix. */
export const locale = navigator.languages.find((one) => one.startsWith(language) && isKnown(one)) || language;
const texts = LANGUAGES[language];
const plurals = new Intl.PluralRules(locale);

function isKnown(name) {
  try {
    return Intl.NumberFormat.supportedLocalesOf(name).length > 0;
  } catch {
    return false;
  }
}

/**
 * A text of `pages` in the language's file.
 * @param values of its places; elements make it a list of parts
 */
export const words = (key, values) => fill(texts.pages[key], values);

/** A text of `counts`, in the form for a number. */
export const counted = (key, number) =>
  fill(texts.counts[key][plurals.select(Number(number))], { count: Number(number).toLocaleString(locale) });

/** The sentence of a transaction. */
export const sentence = (key, values) => fill(texts.transactions[key], values);

/** A name of `types` or `receipts`, or the sentence of a code of `failures`; undefined for one that has none. */
export const nameOf = (group, key) => (Object.keys(texts[group]).includes(String(key)) ? texts[group][key] : undefined);
/** An error of the gateway: what its code means, with the gateway's own message. */
export const errorOf = ({ code, message }) => fill(nameOf("errors", code) || "{message}", { message });

function fill(text, values = {}) {
  const parts = partsOf(text, values);
  return parts.some((part) => typeof part === "object") ? parts : parts.join("");
}

/** Keeps the choice of a language for all pages. */
export function rememberLanguage(chosen, path) {
  // biome-ignore lint/suspicious/noDocumentCookie: the other interface for cookies is not in all browsers
  document.cookie = `language=${chosen}; path=${path}; max-age=31536000; samesite=lax`;
}
