import type { Request } from "express";
import { LANGUAGES, type Language } from "./languages.js";

const NAMES = Object.keys(LANGUAGES) as Language[];
/** Set by the pages when a person chooses a language. */
const CHOSEN = /(?:^|;\s*)language=(\w+)/;

/** The language of a page: the one that was chosen on an earlier page, or the one of ours that the browser prefers. */
export function languageOf(request: Request): Language {
  const chosen = CHOSEN.exec(request.headers.cookie ?? "")?.[1] ?? request.acceptsLanguages(...NAMES);
  return NAMES.find((name) => name === chosen) ?? "en";
}
