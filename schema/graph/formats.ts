import { isAliasAddress, isValidAddress, readBase32 } from "../../catapult/entity/address.js";

const BASE32_ADDRESS = /^[A-Z2-7]{39}$/;
const MAX_UINT64 = 2n ** 64n - 1n;
/** An alias address is a network byte, 8 bytes of namespace id, and zeros. */
const ALIAS_ID_END = 9;

/**
 * The 24 bytes of an address in base32 (39 characters) or hex (48 digits), or undefined for an invalid text: its
 * checksum is verified. The address form of a namespace alias (its first byte is odd) has no checksum and is accepted
 * too, since transactions name recipients in this form.
 */
export function parseAddress(text: string): Buffer | undefined {
  const bytes = parseHex(text, 24) ?? decodeBase32(text);
  return bytes && isAddress(bytes) ? bytes : undefined;
}

function decodeBase32(text: string): Buffer | undefined {
  if (!BASE32_ADDRESS.test(text)) return undefined;
  const { address, isExact } = readBase32(text);
  return isExact ? address : undefined;
}

/** The 24 bytes of the first 39 base32 characters, or undefined for another text: no checksum is verified. */
export function parseUncheckedAddress(text: string): Buffer | undefined {
  return BASE32_ADDRESS.test(text) ? readBase32(text).address : undefined;
}

function isAddress(bytes: Buffer): boolean {
  if (isAliasAddress(bytes)) return bytes.subarray(ALIAS_ID_END).every((byte) => byte === 0);
  return isValidAddress(bytes);
}

/** The bytes of a hex text of exactly this length, in upper or lower case, or undefined. */
export function parseHex(text: string, bytes: number): Buffer | undefined {
  return text.length === 2 * bytes && /^[0-9a-fA-F]*$/.test(text) ? Buffer.from(text, "hex") : undefined;
}

/** A decimal number from 0 to 2^64 - 1 without sign or leading zeros, or undefined. */
export function parseUint64(text: string): bigint | undefined {
  if (!/^(0|[1-9][0-9]{0,19})$/.test(text)) return undefined;
  const value = BigInt(text);
  return value <= MAX_UINT64 ? value : undefined;
}

/** Id of a mosaic or namespace from 16 hex digits, or undefined. */
export function parseId(text: string): bigint | undefined {
  return /^[0-9a-fA-F]{16}$/.test(text) ? BigInt(`0x${text}`) : undefined;
}

/** An amount of atomic units in whole units, with all decimal places. */
export function formatWholeUnits(amount: bigint, divisibility: number): string {
  if (divisibility === 0) return String(amount);
  const digits = String(amount).padStart(divisibility + 1, "0");
  return `${digits.slice(0, -divisibility)}.${digits.slice(-divisibility)}`;
}

/** Longer texts are left as they are: nothing has such a name, and some characters become eighteen. */
const LONGEST_TYPED = 300;

/** A text as people type it, in the form of stored ones: full-width digits and letters, composed or not, become the usual ones. */
export function typed(text: string): string {
  return text.length > LONGEST_TYPED ? text : text.normalize("NFKC").trim();
}

/**
 * A date or a time as ISO 8601 and PostgreSQL write them: with or without separators, minutes, seconds, a fraction, a zone
 * of hours, minutes and seconds, and a space before it. In a URL, a plus sign may have become a space.
 */
export const ISO_TIME =
  /^(\d{4})(-?)(\d{2})\2(\d{2})(?:[Tt ](\d{2})(?:(:?)(\d{2})(?:\6(\d{2})(?:[.,](\d+))?)?)?(?: ?(?:[Zz]|([+ -])(\d{2})(?::?(\d{2})(?::?(\d{2}))?)?))?)?$/;
const LEAP_SECOND = "60";
const MS_DIGITS = 3;
const HOURS_OF_A_ZONE = 24;
const MINUTES = 60;

/**
 * Unix ms of a date or a time in the forms of {@link ISO_TIME}, in UTC unless it names a zone; undefined for another text.
 * Of a fraction of a millisecond it is the next one: the times of blocks are whole, so those from it on and those before
 * it are the same.
 */
export function parseTime(given: string): number | undefined {
  const found = ISO_TIME.exec(given);
  if (!found) return undefined;
  const [, year, , month, dayOfMonth, hour = "00", , minute = "00", second = "00", fraction = "", ...zone] = found;
  const date = `${year}-${month}-${dayOfMonth}`;
  const day = new Date(`${date}T00:00:00Z`);
  // JavaScript takes February 30 for March 2.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) return undefined;
  const isLeap = second === LEAP_SECOND;
  const ms = Date.parse(`${date}T${hour}:${minute}:${isLeap ? "59" : second}Z`);
  const offset = parseOffset(zone);
  if (Number.isNaN(ms) || offset === undefined) return undefined;
  const wholeMs = Number(fraction.slice(0, MS_DIGITS).padEnd(MS_DIGITS, "0"));
  const hasRest = /[1-9]/.test(fraction.slice(MS_DIGITS));
  return ms - offset + (isLeap ? 1_000 : 0) + wholeMs + (hasRest ? 1 : 0);
}

/** Milliseconds by which a zone is before UTC; undefined if there is no such zone. */
function parseOffset([sign = "+", hours = "0", minutes = "0", seconds = "0"]: (string | undefined)[]):
  | number
  | undefined {
  const [hour, minute, second] = [hours, minutes, seconds].map(Number) as [number, number, number];
  if (hour >= HOURS_OF_A_ZONE || minute >= MINUTES || second >= MINUTES) return undefined;
  const offset = ((hour * MINUTES + minute) * MINUTES + second) * 1_000;
  return sign === "-" ? -offset : offset;
}

/** First byte of a message that is plain text. */
const PLAIN_TEXT = 0;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The text of a transfer's plain message; undefined for an encrypted one and for other bytes. */
export function textOfMessage(message: Buffer): string | undefined {
  if (message[0] !== PLAIN_TEXT) return undefined;
  try {
    return utf8.decode(message.subarray(1));
  } catch {
    return undefined;
  }
}
