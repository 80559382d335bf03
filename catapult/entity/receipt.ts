import { EntityError } from "./entity-error.js";
import type { Receipt } from "./model.js";

/** The receipt types that are used by rules here. Source: catbuffer `receipt_type.cats`. */
export const RECEIPT_TYPE = {
  harvestFee: 0x2143,
  mosaicRentalFee: 0x124d,
  namespaceRentalFee: 0x134e,
  transactionGroup: 0xe143,
  addressAliasResolution: 0xf143,
  mosaicAliasResolution: 0xf243,
} as const;

/** Bytes before a receipt's body: size (4), version (2), type (2). */
export const RECEIPT_HEADER_SIZE = 8;
const BASIC_KIND_OF_NIBBLE = {
  1: "balanceTransfer",
  2: "balanceChange",
  3: "balanceChange",
  4: "artifactExpiry",
  5: "inflation",
} as const;
const SIZE_OF_KIND = { balanceTransfer: 72, balanceChange: 48, artifactExpiry: 16, inflation: 24 } as const;

/**
 * Decodes one receipt that fills `bytes` exactly; its kind follows from the upper 4 bits of its type. Unknown types
 * and sizes are of kind `unknown`. Throws `EntityError` when its size field does not match.
 */
export function decodeReceipt(bytes: Buffer, path = "receipt"): Receipt {
  if (bytes.length < RECEIPT_HEADER_SIZE || bytes.readUInt32LE(0) !== bytes.length)
    throw new EntityError(`${path}.size`, `does not match ${bytes.length} bytes`);
  const version = bytes.readUInt16LE(4);
  const type = bytes.readUInt16LE(6);
  const kind = BASIC_KIND_OF_NIBBLE[(type >> 12) as keyof typeof BASIC_KIND_OF_NIBBLE];
  const common = { version, type, bytes };
  if (kind === undefined || bytes.length !== SIZE_OF_KIND[kind]) return { ...common, kind: "unknown" };
  if (kind === "artifactExpiry") return { ...common, kind, artifactId: bytes.readBigUInt64LE(8) };
  const mosaicId = bytes.readBigUInt64LE(8);
  const amount = bytes.readBigUInt64LE(16);
  if (kind === "inflation") return { ...common, kind, mosaicId, amount };
  if (kind === "balanceChange") return { ...common, kind, mosaicId, amount, targetAddress: bytes.subarray(24, 48) };
  return {
    ...common,
    kind,
    mosaicId,
    amount,
    senderAddress: bytes.subarray(24, 48),
    recipientAddress: bytes.subarray(48, 72),
  };
}
