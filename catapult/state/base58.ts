import { EntityError } from "../entity/entity-error.js";

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const DIGITS = new Map([...ALPHABET].map((character, digit) => [character, BigInt(digit)]));
const BASE = 58n;

/**
 * The bytes of a base58 text (the alphabet of Bitcoin); each leading `1` is a zero byte. Throws `EntityError` for an
 * invalid character.
 */
export function decodeBase58(text: string): Buffer {
  let value = 0n;
  for (const character of text) {
    const digit = DIGITS.get(character);
    if (digit === undefined) throw new EntityError("text", `contains '${character}', which is not a base58 character`);
    value = value * BASE + digit;
  }
  const hex = value === 0n ? "" : value.toString(16);
  const zeros = text.length - text.replace(/^1+/, "").length;
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 === 1 ? `0${hex}` : hex, "hex")]);
}

/** The base58 text of bytes. */
export function encodeBase58(bytes: Uint8Array): string {
  let value = BigInt(`0x0${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (; value > 0n; value /= BASE) text = `${ALPHABET[Number(value % BASE)]}${text}`;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return "1".repeat(zeros < 0 ? bytes.length : zeros) + text;
}
