import { encodeAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import { idText } from "../../catapult/json/format.js";
import { invalidContent } from "../errors/errors.js";
import { parseAddress, parseHex, parseId, parseTime, parseUint64 } from "./formats.js";

/** Returns UTF-8 between two texts, one character for each byte, in parts: see `JsonWriter.parts`. */
type CreateText = (before: string, after: string) => readonly string[];

/** JSON of which there is the text, or what creates it: REST sends that, and in a GraphQL response it is the value. */
export class JsonText {
  readonly #create: CreateText | undefined;
  #text: string | undefined;

  constructor(source: string | CreateText) {
    if (typeof source === "string") this.#text = source;
    else this.#create = source;
  }

  get text(): string {
    this.#text ??= Buffer.from((this.#create?.("", "") ?? []).join(""), "latin1").toString();
    return this.#text;
  }

  /** The bytes in parts, between two texts: a large body is then never copied. */
  between(before: string, after: string): readonly string[] {
    return this.#create?.(before, after) ?? [Buffer.from(`${before}${this.text}${after}`).toString("latin1")];
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/**
 * External and internal forms of scalars. Members of REST bodies are texts and pass outwards as such: hashes and amounts
 * unchanged, addresses as hex digits. REST routes pass parsed arguments, so values of the internal type pass inwards.
 */
export type Scalars = {
  SafeInt: { Input: number; Output: number | bigint | string };
  UInt64: { Input: bigint; Output: bigint | string };
  Address: { Input: Buffer; Output: Buffer | string };
  Hash256: { Input: Buffer; Output: Buffer | string };
  PublicKey: { Input: Buffer; Output: Buffer | string };
  Signature: { Input: Buffer; Output: Buffer | string };
  EntityId: { Input: Buffer; Output: Buffer | string };
  ArtifactId: { Input: bigint; Output: bigint | string };
  Hex: { Input: Buffer; Output: Buffer | string };
  Time: { Input: number; Output: string };
  JSON: { Input: unknown; Output: unknown };
};

interface ScalarOptions<Inner> {
  readonly description: string;
  readonly serialize: (value: unknown) => unknown;
  readonly parseValue: (value: unknown) => Inner;
}

const asHex = (value: unknown) => (Buffer.isBuffer(value) ? hex(value) : String(value));

/** A scalar of a fixed number of bytes in hex digits. */
function hexOf(bytes: number, description: string): ScalarOptions<Buffer> {
  const expected = `${2 * bytes} hex digits`;
  return {
    description: `${description}: ${expected}.`,
    serialize: asHex,
    parseValue: (value) => parsed(value, expected, Buffer.isBuffer, (text) => parseHex(text, bytes)),
  };
}

function parsed<Inner>(
  value: unknown,
  expected: string,
  isInner: (value: unknown) => value is Inner,
  parse: (text: string) => Inner | undefined,
): Inner {
  if (isInner(value)) return value;
  const result = typeof value === "string" ? parse(value) : undefined;
  if (result === undefined) throw invalidContent("the value", expected);
  return result;
}

const isBigInt = (value: unknown): value is bigint => typeof value === "bigint";
/** Unix ms; negative before 1970. */
const isTime = (value: unknown): value is number => Number.isSafeInteger(value);
const isSafeInteger = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

export const scalars: { readonly [Name in keyof Scalars]: ScalarOptions<Scalars[Name]["Input"]> } = {
  SafeInt: {
    description: "An integer from 0 to 2^53 - 1: heights, milliseconds, counts.",
    serialize: Number,
    parseValue: (value) => parsed(value, "an integer from 0 to 2^53 - 1", isSafeInteger, parseSafeInteger),
  },
  UInt64: {
    description: "An integer from 0 to 2^64 - 1 as a decimal string: amounts in atomic units, difficulties.",
    serialize: String,
    parseValue: (value) => {
      const given = typeof value === "number" && isSafeInteger(value) ? BigInt(value) : value;
      return parsed(given, "an integer from 0 to 2^64 - 1", isBigInt, parseUint64);
    },
  },
  Address: {
    description: "An address: 39 base32 characters; 48 hex digits are accepted too.",
    serialize: (value) => encodeAddress(Buffer.isBuffer(value) ? value : Buffer.from(String(value), "hex")),
    parseValue: (value) => parsed(value, "an address", Buffer.isBuffer, parseAddress),
  },
  Hash256: hexOf(32, "A hash"),
  PublicKey: hexOf(32, "A public key"),
  Signature: hexOf(64, "A signature"),
  EntityId: hexOf(12, "Id of an entry of a list; ids sort like the chain"),
  ArtifactId: {
    description: "Id of a mosaic or namespace: 16 hex digits.",
    serialize: (value) => (isBigInt(value) ? idText(value) : String(value)),
    parseValue: (value) => parsed(value, "16 hex digits", isBigInt, parseId),
  },
  Hex: {
    description: "Bytes as hex digits.",
    serialize: asHex,
    parseValue: (value) =>
      parsed(value, "pairs of hex digits", Buffer.isBuffer, (text) => parseHex(text, Math.floor(text.length / 2))),
  },
  Time: {
    description: "A date or time of ISO 8601, in UTC unless it names a zone; results are in UTC.",
    serialize: String,
    parseValue: (value) => parsed(value, "a date or time of ISO 8601", isTime, parseTime),
  },
  JSON: {
    description: "Any JSON value.",
    serialize: (value) => value,
    parseValue: (value) => value,
  },
};

function parseSafeInteger(text: string): number | undefined {
  const value = parseUint64(text);
  return value === undefined || value > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(value);
}
