import { locale } from "../words.js";

// Amounts are decimal strings of atomic units, too large for JavaScript's numbers: they are formatted as text.

const decimalMark = new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === "decimal").value;

/** Atomic units in whole units, such as `1,234.5`, as the page's language writes them. A sign is kept. */
export function formatAmount(atomicUnits, divisibility) {
  const text = String(atomicUnits);
  const sign = /^[+-]/.test(text) ? text[0] : "";
  const digits = text.slice(sign.length).padStart(divisibility + 1, "0");
  const whole = BigInt(digits.slice(0, digits.length - divisibility)).toLocaleString(locale);
  const fraction = divisibility === 0 ? "" : digits.slice(-divisibility).replace(/0+$/, "");
  return `${sign}${whole}${fraction === "" ? "" : `${decimalMark}${fraction}`}`;
}

/** The same as a number for charts, which need no more than its 53 bits. */
export const toNumber = (atomicUnits, divisibility) => Number(atomicUnits) / 10 ** divisibility;
