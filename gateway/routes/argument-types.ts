import { MAX_HEIGHT, parseEntityId } from "../../schema/db/entity-id.js";
import { invalidArgument, invalidContent } from "../../schema/errors.js";
import { parseAddress, parseHex, parseId } from "../../schema/formats.js";
import { MAX_PAGE_NUMBER, pageSizes } from "../../schema/page.js";

/** A schema of OpenAPI 3.0. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** What a text in a URL or a body stands for. */
export interface ArgumentType<Value> {
  /** For OpenAPI. */
  readonly schema: JsonSchema;
  /**
   * The value that `text` stands for.
   * @throws ApiError InvalidContent when it is not of this type, InvalidArgument when it is but cannot be accepted;
   *   the message begins with `name`
   */
  readonly parse: (name: string, text: string) => Value;
  /** The nearest acceptable value, for settings that prefer it to a refusal. Throws as `parse` for other types. */
  readonly clamp?: (name: string, text: string) => Value;
}

const MAX_UINT64 = 2n ** 64n - 1n;
const MAX_UINT16 = 0xffff;
/** Digits of a number that are read: more than the largest limit has. */
const LONGEST_NUMBER = 40;

/** A text that either is of the type or is not. */
function text<Value>(
  expected: string,
  schema: JsonSchema,
  read: (text: string) => Value | undefined,
): ArgumentType<Value> {
  return {
    schema: { type: "string", ...schema },
    parse: (name, given) => {
      const value = read(given);
      if (value === undefined) throw invalidContent(name, expected);
      return value;
    },
  };
}

const hexPattern = (digits: number) => `^[0-9a-fA-F]{${digits}}$`;

export const address = text(
  "an address of 39 base32 characters (or 48 hex digits) with a right checksum",
  { pattern: "^([A-Z2-7]{39}|[0-9a-fA-F]{48})$" },
  parseAddress,
);
export const publicKey = text("a public key of 64 hex digits", { pattern: hexPattern(64) }, (t) => parseHex(t, 32));
export const signature = text("a signature of 128 hex digits", { pattern: hexPattern(128) }, (t) => parseHex(t, 64));
export const bytes = text("pairs of hex digits", { pattern: "^([0-9a-fA-F]{2})+$" }, (t) =>
  t === "" ? undefined : parseHex(t, Math.floor(t.length / 2)),
);
export const hash = text("a hash of 64 hex digits", { pattern: hexPattern(64) }, (t) => parseHex(t, 32));
export const artifactId = text("an id of 16 hex digits", { pattern: hexPattern(16) }, parseId);
export const entityId = text("an id of 24 hex digits", { pattern: hexPattern(24) }, parseEntityId);

/** An id (12 bytes) or a hash (32 bytes): the number of bytes tells them apart. */
export const transactionId = text(
  "an id of 24 hex digits or a hash of 64 hex digits",
  { pattern: "^([0-9a-fA-F]{24}|[0-9a-fA-F]{64})$" },
  (t) => parseEntityId(t) ?? parseHex(t, 32),
);

/** An address (24 bytes) or a public key (32 bytes): the number of bytes tells them apart. */
export const accountId = text(
  "an address of 39 base32 characters (or 48 hex digits) with a right checksum, or a public key of 64 hex digits",
  { pattern: "^([A-Z2-7]{39}|[0-9a-fA-F]{48}|[0-9a-fA-F]{64})$" },
  (t) => parseAddress(t) ?? parseHex(t, 32),
);

export const boolean: ArgumentType<boolean> = {
  ...text("true or false", {}, (t) => (t === "true" ? true : t === "false" ? false : undefined)),
  schema: { type: "boolean" },
};

/** One of a few words. Another word is of the type but cannot be accepted. */
export function oneOf<const Word extends string>(words: readonly Word[], fallback?: Word): ArgumentType<Word> {
  return {
    schema: { type: "string", enum: words, ...(fallback && { default: fallback }) },
    parse: (name, given) => {
      const word = words.find((candidate) => candidate === given);
      if (word === undefined) throw invalidArgument(`${name} must be ${words.join(" or ")}`);
      return word;
    },
  };
}

function readWholeNumber(name: string, given: string): bigint {
  const [, sign = "", digits = ""] = /^(-?)0*([0-9]+)$/.exec(given) ?? [];
  if (digits === "") throw invalidContent(name, "a whole number in decimal digits");
  // More digits stay beyond every limit, and conversion takes time that grows with the square of their number.
  return BigInt(`${sign}${digits.slice(0, LONGEST_NUMBER)}`);
}

function wholeNumber(min: bigint, max: bigint): ArgumentType<bigint> {
  return {
    schema: { type: "string", pattern: "^[0-9]+$" },
    parse: (name, given) => {
      const value = readWholeNumber(name, given);
      if (value < min || value > max) throw invalidArgument(`${name} must be from ${min} to ${max}`);
      return value;
    },
  };
}

function smallNumber(min: number, max: number, schema: JsonSchema = {}): ArgumentType<number> {
  const whole = wholeNumber(BigInt(min), BigInt(max));
  return {
    schema: { type: "integer", minimum: min, maximum: max, ...schema },
    parse: (name, given) => Number(whole.parse(name, given)),
  };
}

/** A number of 8 bytes; what is beyond every id becomes the height beyond every block, so that nothing is found. */
function bigHeight(min: bigint): ArgumentType<number> {
  const whole = wholeNumber(min, MAX_UINT64);
  const { schema } = whole;
  return { schema, parse: (name, given) => Math.min(Number(whole.parse(name, given)), MAX_HEIGHT) };
}

export const height = bigHeight(1n);
/** 0 says "from the beginning" as 1 does. */
export const lowestHeight = bigHeight(0n);
/** Milliseconds since the network's epoch adjustment; what is no safe integer is beyond every block anyway. */
export const timestamp: ArgumentType<number> = {
  schema: { type: "string", pattern: "^[0-9]+$" },
  parse: (name, given) => Math.min(Number(wholeNumber(0n, MAX_UINT64).parse(name, given)), Number.MAX_SAFE_INTEGER),
};
export const amount = wholeNumber(0n, MAX_UINT64);
/** A finalization epoch; what is no safe integer is beyond every epoch anyway. */
export const epoch: ArgumentType<number> = {
  schema: { type: "integer", minimum: 1 },
  parse: (name, given) => Math.min(Number(wholeNumber(1n, MAX_UINT64).parse(name, given)), Number.MAX_SAFE_INTEGER),
};
/** One of the numbers from 0 to `last` that stand for kinds of something. */
export function kindNumber(last: number): ArgumentType<number> {
  return smallNumber(0, last);
}

/** A transaction or receipt type. */
export const entityType = smallNumber(0, MAX_UINT16);
/** Blocks or seconds behind the node. */
export const lag = smallNumber(0, 1_000_000_000);
export const pageNumber = smallNumber(1, MAX_PAGE_NUMBER, { default: 1 });
export const order = oneOf(["desc", "asc"], "desc");

const { min, max } = pageSizes;
export const pageSize: ArgumentType<number> = {
  ...smallNumber(min, max, { default: pageSizes.default }),
  clamp: (name, given) => {
    const wanted = readWholeNumber(name, given);
    return wanted < BigInt(min) ? min : wanted > BigInt(max) ? max : Number(wanted);
  },
};
