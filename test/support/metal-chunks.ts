import { createHash } from "node:crypto";

/** A metadata entry that holds a part of a Metal file. */
export interface MetalPart {
  readonly key: bigint;
  readonly value: Buffer;
}

const HEADER_SIZE = 12;
const MAX_VALUE_SIZE = 1024;
const VERSION = 0x31;
const FLAG = { end: 0x80, text: 0x40 } as const;
const KEY_MASK = (1n << 63n) - 1n;

/**
 * Cuts a file into metadata entries, the last part first, as `metal-on-symbol` describes: flags, version, two arbitrary
 * bytes, the key of the next part (big-endian), then text, a zero byte and bytes of the file, or bytes of the file only.
 * @param text before the file, in its first part
 * @returns the parts, the first one first
 */
export function metalParts(file: Buffer, text = "", size = MAX_VALUE_SIZE - HEADER_SIZE): MetalPart[] {
  const head = text === "" ? Buffer.alloc(0) : Buffer.from(`${text}\0`);
  const whole = Buffer.concat([head, file]);
  const contents = Array.from({ length: Math.max(1, Math.ceil(whole.length / size)) }, (_, part) =>
    whole.subarray(part * size, (part + 1) * size),
  );
  const parts: MetalPart[] = [];
  let nextKey = 0n;
  for (const [index, content] of [...contents.entries()].reverse()) {
    const isEnd = index === contents.length - 1;
    const hasText = head.length > index * size;
    const header = Buffer.alloc(HEADER_SIZE);
    header[0] = (isEnd ? FLAG.end : 0) | (hasText ? FLAG.text : 0);
    header[1] = VERSION;
    header.writeBigUInt64BE(nextKey, 4);
    const value = Buffer.concat([header, content]);
    nextKey = createHash("sha3-256").update(value).digest().readBigUInt64LE() & KEY_MASK;
    parts.unshift({ key: nextKey, value });
  }
  return parts;
}
