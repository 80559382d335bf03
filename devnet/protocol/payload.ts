import type { PacketHandler } from "./packet-server.js";

/** Numbers in 4 bytes each, little-endian. */
export function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index);
  return bytes;
}

/** Numbers in 8 bytes each, little-endian. */
export function uint64(...values: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length);
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(value, 8 * index);
  return bytes;
}

/** A handler that accepts requests without payload only. */
export function withoutPayload(answer: () => Buffer): PacketHandler {
  return (request) => (request.length === 0 ? answer() : undefined);
}
