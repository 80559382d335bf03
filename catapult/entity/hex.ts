/** Bytes as upper-case hex digits, two each: the form of hashes, keys, signatures and addresses in all texts. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex").toUpperCase();
}
