import { hex as hexText } from "../entity/hex.js";

export { hexText };

/** A mosaic, namespace, metadata or restriction id: 16 upper-case hex digits. */
export function idText(id: bigint): string {
  return id.toString(16).toUpperCase().padStart(16, "0");
}

/** Amounts, heights, timestamps, durations, difficulties: decimal digits in a string. */
export function decimalText(value: bigint | number): string {
  return value.toString();
}

/** A value of `symbol-sdk` that is kept in 8 bytes. */
export interface Uint64Value {
  readonly value: bigint | number;
}

/** Like `decimalText`, for the values of `symbol-sdk`. */
export function decimalOf(value: Uint64Value): string {
  return value.value.toString();
}

/** Like `idText`, for the values of `symbol-sdk`. */
export function idOf(value: Uint64Value): string {
  return idText(BigInt(value.value));
}

/** Like `hexText`, for the values of `symbol-sdk`. */
export function hexOf(value: { readonly bytes: Uint8Array }): string {
  return hexText(value.bytes);
}
