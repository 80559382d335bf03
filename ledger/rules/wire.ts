/** Bytes of a transaction in their own buffer, so that state does not retain the memory of whole blocks. */
export function bytesOf(value: Buffer): Buffer {
  return Buffer.from(value);
}
