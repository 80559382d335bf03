/** A value of `symbol-sdk` that is made of bytes, as a buffer of its own. */
export function bytesOf(value: { readonly bytes: Uint8Array }): Buffer {
  return Buffer.from(value.bytes);
}

/** A value of `symbol-sdk` that is an amount, an id or a duration. */
export function bigintOf({ value }: { readonly value: number | bigint }): bigint {
  return BigInt(value);
}
