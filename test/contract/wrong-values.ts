import type { Parameter, ParameterSchema } from "./operations.js";

/** An invalid value of a parameter, and its rejection. */
export interface WrongValue {
  readonly texts: readonly string[];
  /** 400 for the wrong type, 409 for an unacceptable value of the right type. */
  readonly status: 400 | 409;
  readonly why: string;
}

const WRONG_CHECKSUM = "a wrong checksum";
const UNKNOWN_WORD = "unknown word";

/** Whether catapult-rest accepts a value that the specification rejects: it finds nothing then, or another page. */
export function isTakenByReference(name: string, { texts, status, why }: WrongValue): boolean {
  const [text = "", ...others] = texts;
  if (others.length > 0) return false;
  const isNumber = status === 409 && /^[0-9]+$/.test(text);
  return isNumber || why === WRONG_CHECKSUM || (name === "order" && why === UNKNOWN_WORD);
}

const ADDRESS_LENGTH = 39;

const notOfType = (text: string, why: string): WrongValue => ({ texts: [text], status: 400, why });
const unacceptable = (text: string, why: string): WrongValue => ({ texts: [text], status: 409, why });

/** Parameters that are plain texts in the description but have a format. */
const LOOSE: Readonly<Record<string, readonly WrongValue[]>> = {
  offset: [notOfType("12", "too short"), notOfType("x".repeat(24), "no hex digits")],
  artifactId: [notOfType("12", "too short"), notOfType("x".repeat(16), "no hex digits")],
  metalId: [notOfType("0OIl", "no base58"), notOfType("abc", "too short")],
  mimeType: [notOfType("a b", "no media type")],
  fileName: [notOfType("a\nb", "a line feed in it")],
};

/** Invalid values of a parameter, derived from its schema. */
export function wrongValues({ name, in: place, schema }: Parameter): readonly WrongValue[] {
  const loose = LOOSE[name];
  const values = [...(loose ?? ofSchema(schema))];
  if (place === "query" && schema.type !== "array") {
    const [first] = loose ? ["1"] : rightTexts(schema);
    if (first !== undefined) values.push({ texts: [first, first], status: 409, why: "given twice" });
  }
  return values;
}

function ofSchema(schema: ParameterSchema): WrongValue[] {
  if (schema.type === "array") return ofSchema(schema.items ?? {}).filter(({ why }) => why !== UNKNOWN_WORD);
  if (schema.type === "boolean") return [notOfType("maybe", "no boolean"), notOfType("1", "a number")];
  if (schema.enum?.every((one) => typeof one === "number") || schema.type === "integer") return ofNumber(schema);
  if (schema.enum) return [unacceptable("nonsense", UNKNOWN_WORD)];
  return ofPattern(schema);
}

function ofNumber({ enum: words, minimum, maximum }: ParameterSchema): WrongValue[] {
  const values = [notOfType("abc", "no number"), notOfType("1.5", "no whole number"), notOfType("0x10", "hex digits")];
  const lowest = minimum ?? (words ? 0 : undefined);
  if (lowest !== undefined) values.push(unacceptable(String(lowest - 1), "below the least"));
  if (maximum !== undefined && Number.isSafeInteger(maximum))
    values.push(unacceptable(String(maximum + 1), "above the greatest"));
  if (words) values.push(unacceptable("99999999", "far above the greatest"));
  return values;
}

/** The pattern of heights, which unlike those of other whole numbers of 8 bytes is described. */
const HEIGHT = "^[1-9][0-9]*$";

function ofPattern({ pattern, maxLength }: ParameterSchema): WrongValue[] {
  if (pattern === undefined || pattern === HEIGHT) return ofDecimal();
  const expression = new RegExp(pattern);
  const candidates = ["!", "abc!", "-", "0x", "z".repeat(10), "F".repeat((maxLength ?? 40) + 1)];
  const wrong = candidates.filter((text) => !expression.test(text) || isTooLong(text, maxLength));
  const values = wrong.map((text) => notOfType(text, "not of the pattern"));
  const unchecked = "A".repeat(ADDRESS_LENGTH);
  if (expression.test(unchecked) && !isTooLong(unchecked, maxLength) && /A-Z/.test(pattern)) {
    values.push(notOfType(unchecked, WRONG_CHECKSUM));
  }
  return values;
}

/** Decimal digits of up to 8 bytes. */
function ofDecimal(): WrongValue[] {
  const values = ["abc", "1.5", "0x10", "1e3"].map((text) => notOfType(text, "no whole number"));
  return [...values, unacceptable("-1", "negative"), unacceptable("18446744073709551616", "beyond 2^64 - 1")];
}

function isTooLong(text: string, maxLength: number | undefined): boolean {
  return maxLength !== undefined && text.length > maxLength;
}

/** Some valid texts, to be given twice. */
function rightTexts(schema: ParameterSchema): string[] {
  if (schema.type === "boolean") return ["true"];
  if (schema.enum) return schema.enum.map(String);
  if (schema.type === "integer") return [String(schema.minimum ?? 1)];
  return [];
}
