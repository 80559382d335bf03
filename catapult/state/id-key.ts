/** An id as a key: 8 bytes, big-endian, so that hex digits and bytes have the same order. */
export function idKey(id: bigint): Buffer {
  const key = Buffer.alloc(8);
  key.writeBigUInt64BE(id);
  return key;
}
