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
    return readText(file).replace(/\r?\n$/, "");
  } catch (cause) {
    throw new SecretFileError(`${setting}: ${describeFileError(cause)}.`, { cause });
  }
}

/** The text of a file in UTF-8 or UTF-16, without a byte order mark: Windows writes both. @throws that of the file system */
export function readText(file: string): string {
  const bytes = readFileSync(file);
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return bytes.toString(isUtf16 ? "utf16le" : "utf8").replace(/^\uFEFF/, "");
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

/** A user without a host, or an address that names its interface: neither is a URL for others than PostgreSQL. */
const WITHOUT_HOST = /^(postgres(?:ql)?:\/\/)(?:([^@/]*)@)?(?:\[([0-9a-f:.]+%[\w.~%-]+)\])?(?::(\d+))?(\/.*)?$/i;

/**
 * A database URL whose host is none of a URL (a socket's folder in `?host=/folder`, `[fe80::1%eth0]`), with user, password
 * and host in its query, where the driver reads them too; any other unchanged.
 */
export function withoutHost(url: string): string {
  const match = URL.canParse(url) ? undefined : WITHOUT_HOST.exec(url);
  if (!match) return url;
  const [, scheme = "", user = "", address, port, path = "/"] = match;
  const rest = `${scheme}${path}`;
  if (!URL.canParse(rest)) return url;
  const parsed = new URL(rest);
  const [name = "", password] = user.split(":", 2);
  const own = {
    user: name && decodeURIComponent(name),
    password: password && decodeURIComponent(password),
    host: address?.replace("%25", "%"),
    port,
  };
  for (const [key, value] of Object.entries(own))
    if (value && !parsed.searchParams.has(key)) parsed.searchParams.set(key, value);
  return parsed.href;
}

/** The URL with this password, unless it has one. @param password any characters, not encoded */
export function withPassword(url: string, password: string | undefined): string {
  const parsed = new URL(url);
  if (password === undefined || parsed.password !== "" || parsed.searchParams.has("password")) return url;
  // A URL without a host can have no password before it.
  if (parsed.host === "") parsed.searchParams.set("password", password);
  else parsed.password = encodeURIComponent(password);
  return parsed.href;
}

/** The URL with `***` in place of its password. */
export function withoutPassword(url: string): string {
  const parsed = new URL(url);
  if (parsed.password) parsed.password = "***";
  if (parsed.searchParams.has("password")) parsed.searchParams.set("password", "***");
  return parsed.href;
}
