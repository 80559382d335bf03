/** A quotation mark. */
export const QUOTE = 0x22;
const ZERO = 0x30;
/** Both hex digits of each byte, in their order in memory. */
const HEX_DIGITS = new Uint16Array(256);
/** Both decimal digits of the numbers below 100. */
const DECIMAL_DIGITS = new Uint16Array(100);
for (let byte = 0; byte < 256; ++byte) HEX_DIGITS[byte] = encodePair(byte.toString(16).toUpperCase());
for (let number = 0; number < 100; ++number) DECIMAL_DIGITS[number] = encodePair(number.toString());
/** A number of eight digits and its quotient are both small integers of V8. */
const EIGHT_DIGITS = 1e8;

/** Two characters as a little-endian number. */
function encodePair(digits: string): number {
  return Buffer.from(digits.padStart(2, "0"), "latin1").readUInt16LE(0);
}

/* The functions here write at an offset, for which there is room, and return the offset after what they wrote. */

/** Upper-case hex digits of the bytes from `start` to `end` (exclusive), in quotes. */
export function hexTo(view: DataView, at: number, bytes: Uint8Array, start: number, end: number): number {
  let to = at;
  view.setUint8(to++, QUOTE);
  for (let i = start; i < end; ++i, to += 2) view.setUint16(to, HEX_DIGITS[bytes[i]!]!, true);
  view.setUint8(to++, QUOTE);
  return to;
}

/** The same of bytes that are given as characters (latin1). */
export function hexOfCharactersTo(view: DataView, at: number, characters: string): number {
  let to = at;
  view.setUint8(to++, QUOTE);
  for (let i = 0; i < characters.length; ++i, to += 2) view.setUint16(to, HEX_DIGITS[characters.charCodeAt(i)]!, true);
  view.setUint8(to++, QUOTE);
  return to;
}

/** The hex digits of the lowest bytes of a number below 2^32. */
export function hexNumberTo(view: DataView, at: number, value: number, bytes: number): number {
  for (let index = 0; index < bytes; ++index) {
    const byte = (value >>> (8 * (bytes - 1 - index))) & 0xff;
    view.setUint16(at + 2 * index, HEX_DIGITS[byte]!, true);
  }
  return at + 2 * bytes;
}

/** Hex digits of the 8 bytes (little-endian) at `offset`, in quotes. */
export function idTo(view: DataView, at: number, bytes: Uint8Array, offset: number): number {
  let to = at;
  view.setUint8(to++, QUOTE);
  for (let i = offset + 7; i >= offset; --i, to += 2) view.setUint16(to, HEX_DIGITS[bytes[i]!]!, true);
  view.setUint8(to++, QUOTE);
  return to;
}

/** Decimal digits of a safe integer that is not negative. */
export function numberTo(view: DataView, at: number, value: number): number {
  if (value < EIGHT_DIGITS) {
    let digits = 1;
    for (let limit = 10; value >= limit; limit *= 10) ++digits;
    return digitsTo(view, at, value, digits);
  }
  const high = Math.floor(value / EIGHT_DIGITS);
  return digitsTo(view, numberTo(view, at, high), value - high * EIGHT_DIGITS, 8);
}

/** A number below 10^8, with leading zeros. */
function digitsTo(view: DataView, at: number, value: number, digits: number): number {
  let rest = value | 0;
  let to = at + digits;
  while (to - at >= 2) {
    const quotient = (rest / 100) | 0;
    to -= 2;
    view.setUint16(to, DECIMAL_DIGITS[rest - 100 * quotient]!, true);
    rest = quotient;
  }
  if (to > at) view.setUint8(at, ZERO + rest);
  return at + digits;
}
