import { isAliasAddress, isValidAddress, readBase32 } from "../../catapult/entity/address.js";

/** Id of a mosaic or namespace as 16 upper-case hex digits. */
export { idText as formatId } from "../../catapult/json/format.js";

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

/** A date or a time of ISO 8601. */
export const ISO_TIME = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Unix ms of a date or a time of ISO 8601, in UTC unless it names a zone; undefined for another text. */
export function parseTime(given: string): number | undefined {
  const [, date, time, , , zone] = ISO_TIME.exec(given) ?? [];
  if (date === undefined) return undefined;
  const day = new Date(`${date}T00:00:00Z`);
  // JavaScript takes February 30 for March 2.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) return undefined;
  const ms = Date.parse(time === undefined || zone !== undefined ? given : `${given}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
