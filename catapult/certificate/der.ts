/**
 * Writer for the few DER (X.690) values that a certificate is made of. Every function gives a whole tag-length-value.
 */

/** Any value by its tag. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), derLength(content.length), content]);
}

/** An ordered list. */
export const derSequence = (...items: readonly Uint8Array[]): Buffer => der(0x30, ...items);
/** A set; here always of one item. */
export const derSet = (...items: readonly Uint8Array[]): Buffer => der(0x31, ...items);
/** Bytes. */
export const derOctetString = (bytes: Uint8Array): Buffer => der(0x04, bytes);
/** Text. */
export const derUtf8String = (text: string): Buffer => der(0x0c, Buffer.from(text, "utf8"));
/** The boolean that certificates write; false is left out in DER. */
export const derTrue = (): Buffer => der(0x01, Buffer.from([0xff]));

/** A bit string of whole bytes. */
export const derBitString = (bytes: Uint8Array): Buffer => der(0x03, Buffer.from([0]), bytes);

/** `[number] content`, explicitly tagged. */
export const derExplicit = (number: number, content: Uint8Array): Buffer => der(0xa0 + number, content);

/** A non-negative integer from its big-endian bytes. */
export function derInteger(bytes: Uint8Array): Buffer {
  const firstUsed = bytes.findIndex((byte) => byte !== 0);
  const digits = firstUsed === -1 ? Buffer.from([0]) : Buffer.from(bytes.subarray(firstUsed));
  // A leading bit would mean a negative number.
  return digits[0]! >= 0x80 ? der(0x02, Buffer.from([0]), digits) : der(0x02, digits);
}

/** An object identifier, such as `1.3.101.112`. */
export function derObjectIdentifier(dotted: string): Buffer {
  const [first, second, ...rest] = dotted.split(".").map(Number);
  return der(0x06, Buffer.from([first! * 40 + second!, ...rest.flatMap(base128)]));
}

/** A moment, to the second: as `UTCTime` before 2050 and `GeneralizedTime` from then on, which RFC 5280 (4.1.2.5) demands. */
export function derTime(moment: Date): Buffer {
  const digits = moment
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replace(/[-:T]/g, "");
  return moment.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(digits.slice(2), "ascii"))
    : der(0x18, Buffer.from(digits, "ascii"));
}

function derLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const digits = Buffer.alloc(4);
  digits.writeUInt32BE(length);
  const used = digits.subarray(digits.findIndex((byte) => byte !== 0));
  return Buffer.concat([Buffer.from([0x80 + used.length]), used]);
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 0x7f) | 0x80);
  return digits;
}

/** Invalid certificates, our own (the message names the file) or those of the peer. */
export class CertificateError extends Error {
  override readonly name = "CertificateError";
}
