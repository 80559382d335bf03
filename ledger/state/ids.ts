/** The 8 little-endian bytes of a mosaic, namespace or metadata id. */
export function idBytes(id: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64LE(id);
  return bytes;
}

/** Orders ids, for `Array.sort`. */
export function ascending(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
