/** Upper-case hex of bytes, two digits each: hashes, keys, signatures, messages, and addresses (48 digits). */
export function hexText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex").toUpperCase();
}

/** A mosaic, namespace, metadata or restriction id: 16 upper-case hex digits. */
export function idText(id: bigint): string {
  return id.toString(16).toUpperCase().padStart(16, "0");
}

/** Amounts, heights, timestamps, durations, difficulties: decimal digits in a string. */
export function decimalText(value: bigint | number): string {
  return value.toString();
}
