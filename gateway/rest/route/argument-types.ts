import { MAX_HEIGHT, parseEntityId } from "../../../catapult/json/entity-id.js";
import { invalidArgument, invalidContent } from "../../../schema/errors/errors.js";
import {
  ISO_TIME,
  parseAddress,
  parseHex,
  parseId,
  parseTime,
  parseUncheckedAddress,
} from "../../../schema/graph/formats.js";
import { MAX_PAGE_NUMBER, pageSizes } from "../../../schema/graph/page.js";
import type { Behaviour } from "../../compatibility/compatibility.js";

/** A schema of OpenAPI 3.0. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** The type of a text in a URL or a body. */
export interface ArgumentType<Value> {
  /** For OpenAPI. */
  readonly schema: JsonSchema;
  /**
   * Parses `text`.
   * @throws ApiError InvalidContent when it is not of this type, InvalidArgument when it is but is not acceptable;
   *   the message begins with `name`
   */
  readonly parse: (name: string, text: string) => Value;
  /** The value of a text that `parse` rejects and the mode accepts; undefined if `parse` decides. */
  readonly lenient?: (text: string, behaviour: Behaviour) => Value | undefined;
  /** Replaces `schema` if it depends on the mode. */
  readonly schemaIn?: (behaviour: Behaviour) => JsonSchema;
  /** The GraphQL type of its values, for routes whose operation is written from their arguments. */
  readonly graphql?: string;
  /** catapult-rest's message for an invalid text, if it differs from that of most types. */
  readonly referenceMessage?: (name: string, text: string) => string;
}

/** The description of a type for OpenAPI in a mode. */
export function schemaOf({ schema, schemaIn }: ArgumentType<unknown>, behaviour: Behaviour): JsonSchema {
  return schemaIn ? schemaIn(behaviour) : schema;
}

const MAX_UINT64 = 2n ** 64n - 1n;
const MAX_UINT16 = 0xffff;
/** Maximum number of parsed digits: more than the largest limit has. */
const LONGEST_NUMBER = 40;

/** A type whose texts are either valid or not. */
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

const PLACE = /^[0-9]{1,10}\.[0-9]{1,10}$/;
const hexPattern = (digits: number) => `^[0-9a-fA-F]{${digits}}$`;

/** catapult-rest verifies no checksum: such an address belongs to no account. */
function uncheckedAddress(text: string, { takesUncheckedAddresses }: Behaviour): Buffer | undefined {
  return takesUncheckedAddresses ? parseUncheckedAddress(text) : undefined;
}

export const address: ArgumentType<Buffer> = {
  ...text(
    "an address of 39 base32 characters (or 48 hex digits) with a valid checksum",
    { pattern: "^([A-Z2-7]{39}|[0-9a-fA-F]{48})$" },
    parseAddress,
  ),
  lenient: uncheckedAddress,
  graphql: "Address",
};
export const publicKey = {
  ...text("a public key of 64 hex digits", { pattern: hexPattern(64) }, (t) => parseHex(t, 32)),
  graphql: "PublicKey",
};
export const signature = text("a signature of 128 hex digits", { pattern: hexPattern(128) }, (t) => parseHex(t, 64));
/** Bytes to announce. */
export const bytes: ArgumentType<Buffer> = {
  ...text("pairs of hex digits", { pattern: "^([0-9a-fA-F]{2})+$" }, (t) =>
    t === "" ? undefined : parseHex(t, Math.floor(t.length / 2)),
  ),
  // catapult-rest pushes even these; the node drops them.
  lenient: (given, { rejectsAfterAccepting }) => (rejectsAfterAccepting && given === "" ? Buffer.alloc(0) : undefined),
};
export const hash = {
  ...text("a hash of 64 hex digits", { pattern: hexPattern(64) }, (t) => parseHex(t, 32)),
  graphql: "Hash256",
};
export const artifactId = {
  ...text("an id of 16 hex digits", { pattern: hexPattern(16) }, parseId),
  graphql: "ArtifactId",
};
export const entityId = text("an id of 24 hex digits", { pattern: hexPattern(24) }, parseEntityId);
/** A height and a place in its block. */
export const depositId = text("the id of a deposit", { pattern: PLACE.source }, (t) => (PLACE.test(t) ? t : undefined));

/** An id (12 bytes) or a hash (32 bytes), distinguished by length. */
export const transactionId = text(
  "an id of 24 hex digits or a hash of 64 hex digits",
  { pattern: "^([0-9a-fA-F]{24}|[0-9a-fA-F]{64})$" },
  (t) => parseEntityId(t) ?? parseHex(t, 32),
);

/** An address (24 bytes) or a public key (32 bytes), distinguished by length. */
export const accountId: ArgumentType<Buffer> = {
  ...text(
    "an address of 39 base32 characters (or 48 hex digits) with a valid checksum, or a public key of 64 hex digits",
    { pattern: "^([A-Z2-7]{39}|[0-9a-fA-F]{48}|[0-9a-fA-F]{64})$" },
    (t) => parseAddress(t) ?? parseHex(t, 32),
  ),
  lenient: uncheckedAddress,
};

export const boolean: ArgumentType<boolean> = {
  ...text("true or false", {}, (t) => (t === "true" ? true : t === "false" ? false : undefined)),
  schema: { type: "boolean" },
};

/** 1 or 0. */
export const flag: ArgumentType<boolean> = {
  ...text("1 or 0", { enum: ["1", "0"] }, (t) => (t === "1" ? true : t === "0" ? false : undefined)),
};

/** One of several words. Another word has the right type but is not acceptable. */
export function oneOf<const Word extends string>(words: readonly Word[], fallback?: Word): ArgumentType<Word> {
  return {
    schema: { type: "string", enum: words, ...(fallback && { default: fallback }) },
    parse: (name, given) => {
      const word = words.find((candidate) => candidate === given);
      if (word === undefined) throw invalidArgument(`${name} must be ${words.join(" or ")}`, name);
      return word;
    },
  };
}

function readWholeNumber(name: string, given: string): bigint {
  const [, sign = "", digits = ""] = /^(-?)0*([0-9]+)$/.exec(given) ?? [];
  if (digits === "") throw invalidContent(name, "an integer in decimal digits");
  // More digits exceed every limit, and the time of conversion grows with the square of their number.
  return BigInt(`${sign}${digits.slice(0, LONGEST_NUMBER)}`);
}

/** An unsigned integer, or undefined. */
function readUnsigned(given: string): bigint | undefined {
  return /^[0-9]{1,40}$/.test(given) ? BigInt(given) : undefined;
}

function wholeNumber(min: bigint, max: bigint): ArgumentType<bigint> {
  return {
    schema: { type: "string", pattern: "^[0-9]+$" },
    parse: (name, given) => {
      const value = readWholeNumber(name, given);
      if (value < min || value > max) throw invalidArgument(`${name} must be from ${min} to ${max}`, name);
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

/**
 * The same type, but numbers out of range become `nothing`, a number that matches nothing, if the mode requires that.
 */
function findingNothing<Value>(
  type: ArgumentType<Value>,
  min: bigint,
  max: bigint,
  nothing: Value,
): ArgumentType<Value> {
  return {
    ...type,
    lenient: (given, { findsNothingOutOfRange }) => {
      const value = findsNothingOutOfRange ? readUnsigned(given) : undefined;
      return value !== undefined && (value < min || value > max) ? nothing : undefined;
    },
  };
}

const uint64 = wholeNumber(0n, MAX_UINT64);
const largest = Number.MAX_SAFE_INTEGER;

/**
 * A height, in a search or a path; height 0 matches nothing. A value beyond every id becomes the height beyond every
 * block, so that nothing is found.
 */
export const height: ArgumentType<number> = findingNothing(
  {
    schema: uint64.schema,
    parse: (name, given) => Math.min(Number(uint64.parse(name, given)), MAX_HEIGHT),
    graphql: "SafeInt",
  },
  0n,
  MAX_UINT64,
  MAX_HEIGHT,
);
/** Milliseconds since the network's epoch adjustment; an unsafe integer is beyond every block anyway. */
export const timestamp: ArgumentType<number> = findingNothing(
  {
    schema: uint64.schema,
    parse: (name, given) => Math.min(Number(uint64.parse(name, given)), largest),
    graphql: "SafeInt",
  },
  0n,
  MAX_UINT64,
  largest,
);

/** A time, as Unix ms. */
export const isoTime = {
  ...text(
    "a date or time of ISO 8601 such as 2025-01-31 or 2025-01-31T12:00:00Z",
    { pattern: ISO_TIME.source },
    parseTime,
  ),
  graphql: "Time",
};
export const amount: ArgumentType<bigint> = findingNothing(uint64, 0n, MAX_UINT64, MAX_UINT64);
/** A finalization epoch; an unsafe integer is beyond every epoch anyway. */
export const epoch: ArgumentType<number> = findingNothing(
  {
    schema: { type: "integer", minimum: 1 },
    parse: (name, given) => Math.min(Number(wholeNumber(1n, MAX_UINT64).parse(name, given)), largest),
  },
  1n,
  MAX_UINT64,
  largest,
);
/** One of the numbers from 0 to `last` of an enumeration. */
export function kindNumber(last: number): ArgumentType<number> {
  return { ...findingNothing(smallNumber(0, last), 0n, BigInt(last), last + 1), graphql: "Int" };
}

/** Not used by any transaction or receipt. */
const NO_TYPE = 0;
/** A transaction or receipt type. */
export const entityType = {
  ...findingNothing(smallNumber(0, MAX_UINT16), 0n, BigInt(MAX_UINT16), NO_TYPE),
  graphql: "Int",
};
/** Maximum lag in blocks or seconds. */
export const lag = smallNumber(0, 1_000_000_000);

/** The sequence of an event. */
export const sequence = smallNumber(0, largest);

const notUnsigned = (name: string) => `${name} is not a valid unsigned integer`;
export const pageNumber: ArgumentType<number> = {
  ...smallNumber(1, MAX_PAGE_NUMBER, { default: 1 }),
  lenient: (given, { takesPageZero, findsNothingOutOfRange }) => {
    const value = readUnsigned(given);
    if (value === undefined) return undefined;
    if (takesPageZero && value === 0n) return 1;
    return findsNothingOutOfRange && value > BigInt(MAX_PAGE_NUMBER) ? MAX_PAGE_NUMBER : undefined;
  },
  referenceMessage: notUnsigned,
};

const orders = oneOf(["desc", "asc"]);
export const order: ArgumentType<"desc" | "asc"> = {
  ...orders,
  lenient: (given, { takesUnknownOrder }) => (takesUnknownOrder ? (given === "desc" ? "desc" : "asc") : undefined),
  schemaIn: ({ defaultOrder }) => ({ ...orders.schema, default: defaultOrder }),
};

/** The sort fields of a list; the first is the default. */
export function sortField<const Word extends string>(words: readonly [Word, ...Word[]]): ArgumentType<Word> {
  return { ...oneOf(words, words[0]), referenceMessage: (_name, given) => `sorting by ${given} is not allowed` };
}

const { min, max } = pageSizes;
const sizes = smallNumber(min, max);
export const pageSize: ArgumentType<number> = {
  ...sizes,
  lenient: (given, { clampsPageSize, defaultPageSize }) => {
    const wanted = clampsPageSize ? readUnsigned(given) : undefined;
    if (wanted === undefined) return undefined;
    // catapult-rest treats 0 as absent.
    if (wanted === 0n) return defaultPageSize;
    return wanted < BigInt(min) ? min : wanted > BigInt(max) ? max : Number(wanted);
  },
  schemaIn: ({ clampsPageSize, defaultPageSize }) => ({
    ...(clampsPageSize ? { type: "integer" } : sizes.schema),
    default: defaultPageSize,
  }),
  referenceMessage: notUnsigned,
};
