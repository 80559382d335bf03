/** Bytes of a transaction as a buffer of its own, so that state does not hold the memory of whole blocks. */
export function bytesOf(value: Buffer): Buffer {
  return Buffer.from(value);
}
