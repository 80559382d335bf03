import { receiptTypeName, TRANSACTION_TYPE, transactionTypeName } from "../../gateway/languages/type-names.ts";
import { ADDRESS_LENGTH } from "./addresses.js";
import { locale, nameOf, words } from "./words.js";

// Numbers and names for people.

export const typeName = (type) => nameOf("types", transactionTypeName(type)) || words("typeNumber", { number: type });

export const receiptName = (type) =>
  nameOf("receipts", receiptTypeName(type)) || words("receiptNumber", { number: type });

/** Types of transactions by number, with their names. */
export const transactionTypes = Object.values(TRANSACTION_TYPE).map((type) => ({ type, name: typeName(type) }));

export const count = (value) => Number(value).toLocaleString(locale);

/** A share, with as many decimal places as a small one needs. */
export function percent(share) {
  const value = Number(share);
  if (value === 0) return value.toLocaleString(locale, { style: "percent" });
  const places = value >= 0.0001 ? 2 : Math.min(10, 1 - Math.floor(Math.log10(value) + 2));
  return value.toLocaleString(locale, { style: "percent", minimumFractionDigits: 2, maximumFractionDigits: places });
}

const unit = (value, name, unitDisplay = "short", places = 0) =>
  value.toLocaleString(locale, { style: "unit", unit: name, unitDisplay, maximumFractionDigits: places });

export const bytes = (size) => unit(size, "byte", "long");

/** The largest unit of which there are about two, with a decimal place below ten. */
export function duration(seconds) {
  const [name, length] = DURATIONS.find(([, , from]) => seconds >= from);
  const value = seconds / length;
  return unit(value, name, "short", value < 10 && name !== "minute" ? 1 : 0);
}
const DURATIONS = [
  ["day", 86_400, 172_800],
  ["hour", 3_600, 6_000],
  ["minute", 60, 100],
  ["second", 1, 0],
];
/** Steps of an axis of durations, in seconds. */
export const DURATION_STEPS = [
  1, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400, 172_800, 604_800,
];

/** The beginning of a key and its last four characters; an address begins as beside its name. */
export const short = (key) => `${key.slice(0, key.length === ADDRESS_LENGTH ? 6 : 8)}…${key.slice(-4)}`;

/** The version in a node's information: one byte per part. */
export const nodeVersion = (version) => [24, 16, 8, 0].map((shift) => (version >>> shift) & 255).join(".");

const ROLES = [
  [1, "role.peer"],
  [2, "role.api"],
  [4, "role.voting"],
  [64, "role.ipv4"],
  [128, "role.ipv6"],
];
/** Of mosaics. */
const FLAGS = [
  [1, "flag.supplyMutable"],
  [2, "flag.transferable"],
  [4, "flag.restrictable"],
  [8, "flag.revokable"],
];
/** The names of the bits of a number. @param bits pairs of a bit and a text */
const namesOfBits = (bits, number) =>
  bits
    .filter(([bit]) => number & bit)
    .map(([, name]) => words(name))
    .join(words("comma"));
export const propertiesOf = (flags) => namesOfBits(FLAGS, flags) || words("none");
export const rolesOf = (roles) => namesOfBits(ROLES, roles);

/** @param ms Unix milliseconds */
export const time = (ms) => new Date(ms).toLocaleTimeString(locale, { hour12: false });
/** With its zone, unless a heading has it. */
export const dateAndTime = (ms, isZoned = true) =>
  isZoned ? `${new Date(ms).toLocaleString(locale)} ${zone(ms)}` : new Date(ms).toLocaleString(locale);
/** The name of the browser's zone at a time. */
export const zone = (ms = Date.now()) =>
  new Intl.DateTimeFormat(locale, { timeZoneName: "short" })
    .formatToParts(ms)
    .find(({ type }) => type === "timeZoneName").value;
/** A day of UTC in ISO 8601. */
export const day = (ms) => new Date(ms).toISOString().slice(0, 10);

// Amounts are decimal strings of atomic units, too large for JavaScript's numbers: they are formatted as text.

const decimalMark = new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === "decimal").value;

/**
 * Atomic units in whole units, such as `1,234.5`, as the page's language writes them. A sign is kept.
 * @param isFixed whether all decimal places are written, as in columns of figures
 */
export function formatAmount(atomicUnits, divisibility, isFixed = false) {
  const text = String(atomicUnits);
  const sign = /^[+-]/.test(text) ? text[0] : "";
  const digits = text.slice(sign.length).padStart(divisibility + 1, "0");
  const whole = BigInt(digits.slice(0, digits.length - divisibility)).toLocaleString(locale);
  const places = divisibility === 0 ? "" : digits.slice(-divisibility);
  const fraction = isFixed ? places : places.replace(/0+$/, "");
  return `${sign}${whole}${fraction === "" ? "" : `${decimalMark}${fraction}`}`;
}

/** A fixed amount in two parts: up to its last digit that counts, and the zeros after it. */
export function splitZeros(text) {
  const zeros = text.includes(decimalMark) ? /[.,]?0*$/.exec(text)[0] : "";
  return [text.slice(0, text.length - zeros.length), zeros];
}

/** The same as a number for charts, which need no more than its 53 bits. */
export const toNumber = (atomicUnits, divisibility) => Number(atomicUnits) / 10 ** divisibility;
