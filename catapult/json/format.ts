/** A mosaic, namespace, metadata or restriction id: 16 upper-case hex digits. */
export function idText(id: bigint): string {
  return id.toString(16).toUpperCase().padStart(16, "0");
}

/** Amounts, heights, timestamps, durations, difficulties: decimal digits in a string. */
export function decimalText(value: bigint | number): string {
  return value.toString();
}
