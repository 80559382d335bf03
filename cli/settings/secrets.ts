import { readFileSync } from "node:fs";
import { describeFileError } from "../../catapult/files/file-error.js";

/** A file with a secret cannot be read; the message names the setting. */
export class SecretFileError extends Error {
  override readonly name = "SecretFileError";
}

/**
 * The text of a secret in a file, without the line break at its end.
 * @param setting that names the file, such as DATABASE_URL_FILE
 * @throws SecretFileError
 */
export function readSecret(setting: string, file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (cause) {
    throw new SecretFileError(`${setting}: ${describeFileError(cause)}.`, { cause });
  }
}

/** Everything up to the last @ that is not in a query: `/`, `?`, `#` and `@` of a password need no encoding. */
const WITH_PASSWORD = /^(postgres(?:ql)?:\/\/[^:@/?#]*):(.*)@([^@]*)$/s;
/** `host:5432/db?option=…@…` has no password, although it has a colon before an @. */
const PORT_AND_QUERY = /^\d*\/[^?#@]*\?\w+=/;
/** What is not allowed in the password of a URL, and a % that does not encode anything. */
const TO_ENCODE = /%(?![0-9A-Fa-f]{2})|[^\w.~!*'()%-]/gu;

/**
 * A database URL whose password may have any characters, with the password encoded as in a URL. `%2F` stays encoded: a
 * password that contains such a sequence itself has to be encoded, or to be set apart.
 */
export function encodePassword(url: string): string {
  const [, before = "", password = "", after = ""] = WITH_PASSWORD.exec(url) ?? [];
  if (password === "" || PORT_AND_QUERY.test(password)) return url;
  return `${before}:${password.replace(TO_ENCODE, encodeURIComponent)}@${after}`;
}

/** The URL with this password, unless it has one. @param password any characters, not encoded */
export function withPassword(url: string, password: string | undefined): string {
  const parsed = new URL(url);
  if (password === undefined || parsed.password !== "" || parsed.searchParams.has("password")) return url;
  parsed.password = encodeURIComponent(password);
  return parsed.href;
}
