// Amounts are decimal strings of atomic units, too large for JavaScript's numbers: they are formatted as text.

const GROUP = /\B(?=(\d{3})+$)/g;

/** Atomic units in whole units with all decimal places, such as `1,234.500000`. A sign is kept. */
export function formatAmount(atomicUnits, divisibility) {
  const text = String(atomicUnits);
  const sign = /^[+-]/.test(text) ? text[0] : "";
  const digits = text.slice(sign.length).padStart(divisibility + 1, "0");
  const whole = digits.slice(0, digits.length - divisibility).replace(GROUP, ",");
  const fraction = divisibility === 0 ? "" : `.${digits.slice(-divisibility)}`;
  return `${sign}${whole}${fraction}`;
}

/** The same as a number for charts, which need no more than its 53 bits. */
export const toNumber = (atomicUnits, divisibility) => Number(atomicUnits) / 10 ** divisibility;
