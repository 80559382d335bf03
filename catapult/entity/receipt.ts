import { ADDRESS_SIZE } from "./address.js";
import { EntityError } from "./entity-error.js";
import type { Receipt } from "./model.js";

/** The types of receipts in statements. Source: catbuffer `receipt_type.cats`. */
export const RECEIPT_TYPE = {
  mosaicRentalFee: 0x124d,
  namespaceRentalFee: 0x134e,
  harvestFee: 0x2143,
  hashLockCompleted: 0x2248,
  hashLockExpired: 0x2348,
  secretLockCompleted: 0x2252,
  secretLockExpired: 0x2352,
  hashLockCreated: 0x3148,
  secretLockCreated: 0x3152,
  mosaicExpired: 0x414d,
  namespaceExpired: 0x414e,
  namespaceDeleted: 0x424e,
  inflation: 0x5143,
} as const;

/** The types in the headers of hashed statements. Source: catbuffer `receipt_type.cats`. */
export const STATEMENT_TYPE = {
  transactionGroup: 0xe143,
  addressAliasResolution: 0xf143,
  mosaicAliasResolution: 0xf243,
} as const;

/** Offsets (bytes) in a receipt. Source: catbuffer `receipts.cats`. */
export const RECEIPT = {
  size: 0,
  version: 4,
  type: 6,
  headerSize: 8,
  artifactId: 8,
  mosaicId: 8,
  amount: 16,
  targetAddress: 24,
  senderAddress: 24,
  recipientAddress: 48,
} as const;

const BASIC_KIND_OF_NIBBLE = {
  1: "balanceTransfer",
  2: "balanceChange",
  3: "balanceChange",
  4: "artifactExpiry",
  5: "inflation",
} as const;
const SIZE_OF_KIND = { balanceTransfer: 72, balanceChange: 48, artifactExpiry: 16, inflation: 24 } as const;

/** The kind of a receipt of this type and size (bytes), which is in the upper 4 bits of its type. */
export function receiptKind(type: number, size: number): Receipt["kind"] {
  const kind = BASIC_KIND_OF_NIBBLE[(type >> 12) as keyof typeof BASIC_KIND_OF_NIBBLE];
  return kind === undefined || size !== SIZE_OF_KIND[kind] ? "unknown" : kind;
}

/**
 * Decodes one receipt that fills `bytes` exactly; its kind follows from the upper 4 bits of its type. Unknown types
 * and sizes are of kind `unknown`. Throws `EntityError` when its size field does not match.
 */
export function decodeReceipt(bytes: Buffer): Receipt {
  if (bytes.length < RECEIPT.headerSize || bytes.readUInt32LE(RECEIPT.size) !== bytes.length)
    throw new EntityError("receipt.size", `does not match ${bytes.length} bytes`);
  const version = bytes.readUInt16LE(RECEIPT.version);
  const type = bytes.readUInt16LE(RECEIPT.type);
  const kind = receiptKind(type, bytes.length);
  if (kind === "unknown") return { version, type, bytes, kind };
  if (kind === "artifactExpiry")
    return { version, type, bytes, kind, artifactId: bytes.readBigUInt64LE(RECEIPT.artifactId) };
  const mosaicId = bytes.readBigUInt64LE(RECEIPT.mosaicId);
  const amount = bytes.readBigUInt64LE(RECEIPT.amount);
  if (kind === "inflation") return { version, type, bytes, kind, mosaicId, amount };
  if (kind === "balanceChange") {
    const targetAddress = addressAt(bytes, RECEIPT.targetAddress);
    return { version, type, bytes, kind, mosaicId, amount, targetAddress };
  }
  const senderAddress = addressAt(bytes, RECEIPT.senderAddress);
  const recipientAddress = addressAt(bytes, RECEIPT.recipientAddress);
  return { version, type, bytes, kind, mosaicId, amount, senderAddress, recipientAddress };
}

function addressAt(bytes: Buffer, offset: number): Buffer {
  return bytes.subarray(offset, offset + ADDRESS_SIZE);
}
