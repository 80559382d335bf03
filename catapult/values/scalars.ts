import { z } from "zod";

/*
 * Bodies of REST and of `/ws`, as zod schemas: one definition gives the TypeScript type, which renderers return and
 * readers use, and the schema in `/openapi.json`. Nothing is validated with them while serving. The ids are names of
 * components in `/openapi.json`; they are those of the published description if it has them.
 */

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** The TypeScript type of a body. */
export type BodyOf<Schema extends z.ZodType> = DeepReadonly<z.infer<Schema>>;

type KeyOfAny<Union> = Union extends unknown ? keyof Union : never;
type ValueOfAny<Union, Key> = Union extends unknown ? (Key extends keyof Union ? Union[Key] : never) : never;

/** The possible members of a union of objects: those that not all of them have are optional. */
export type AnyOf<Union> = { readonly [Key in keyof Union]: Union[Key] } & {
  readonly [Key in Exclude<KeyOfAny<Union>, keyof Union>]?: ValueOfAny<Union, Key>;
};

/** Bytes as upper-case hex digits. */
function hex(id: string, bytes: number, description: string) {
  return z
    .string()
    .regex(new RegExp(`^[0-9A-F]{${2 * bytes}}$`))
    .meta({ id, description });
}

/** An unsigned 64-bit integer, which JSON numbers cannot hold: decimal digits. */
function uint64(id: string, description: string) {
  return z
    .string()
    .regex(/^(0|[1-9][0-9]{0,19})$/)
    .meta({ id, description, example: "1000000" });
}

/** One of several numbers. */
export function numberSchema(id: string, values: readonly number[], description: string) {
  return z.int().meta({ id, enum: values, description });
}

/** A JSON number from 0. */
export const count = z.int().min(0);

/** Bytes of any length as upper-case hex digits. */
export const Hex = z
  .string()
  .regex(/^([0-9A-F]{2})*$/)
  .meta({ id: "Hex", description: "Bytes as hex digits." });

export const ObjectId = hex("ObjectId", 12, "Id of an entry in its list, for `offset`: ids sort like the chain.");
export const Hash256 = hex("Hash256", 32, "Hash of 32 bytes as hex digits.");
export const PublicKey = hex("PublicKey", 32, "Ed25519 public key of 32 bytes as hex digits.");
export const Signature = hex("Signature", 64, "Ed25519 signature of 64 bytes as hex digits.");
export const AddressHex = hex("AddressHex", 24, "Address of 24 bytes as hex digits; in base32 it has 39 characters.");
export const UnresolvedAddress = hex(
  "UnresolvedAddress",
  24,
  "As in the transaction, not resolved: an address, or an alias (bit 0 of the first byte is set) that contains a namespace id.",
);
export const MosaicId = hex("MosaicId", 8, "Mosaic id of 64 bits as hex digits.");
export const UnresolvedMosaicId = hex(
  "UnresolvedMosaicId",
  8,
  "As in the transaction, not resolved: a mosaic id, or (the highest bit is set) the id of a namespace that is its alias.",
);
export const NamespaceId = hex("NamespaceId", 8, "Namespace id of 64 bits as hex digits.");
export const MetadataKey = hex("MetadataKey", 8, "Key of a metadata entry, 64 bits as hex digits.");

export const UInt64 = uint64("UInt64", "Unsigned 64-bit integer in decimal digits.");
export const Amount = uint64("Amount", "Amount in atomic units of the mosaic, decimal digits.");
export const Timestamp = uint64("Timestamp", "Milliseconds since the network's epoch adjustment, decimal digits.");
export const BlockDuration = uint64("BlockDuration", "Duration in blocks, decimal digits; 0 = unlimited.");
export const Height = z
  .string()
  .regex(/^[1-9][0-9]{0,19}$/)
  .meta({ id: "Height", description: "Height of a block, from 1, decimal digits.", example: "17592" });
export const HeightOrZero = uint64("HeightOrZero", "Height of a block in decimal digits, or 0 for none.");

export const UInt32 = z.int().min(0).max(0xffff_ffff).meta({ id: "UInt32", description: "Unsigned 32-bit integer." });
export const StateVersion = z
  .int()
  .meta({ id: "StateVersion", description: "Version of the layout of the state value.", example: 1 });
export const NetworkTypeEnum = z.int().min(0).max(255).meta({
  id: "NetworkTypeEnum",
  description: "Network identifier: 104 main network, 152 test network; private networks have others.",
  example: 152,
});
export const BlockFeeMultiplier = z.int().min(0).max(0xffff_ffff).meta({
  id: "BlockFeeMultiplier",
  description: "Fee in atomic units of the currency for each byte of a transaction.",
});
export const FinalizationEpoch = z
  .int()
  .min(0)
  .meta({ id: "FinalizationEpoch", description: "Finalization epoch; the first block alone is epoch 1." });
export const FinalizationPoint = z
  .int()
  .min(0)
  .meta({ id: "FinalizationPoint", description: "Round of votes in the finalization epoch." });

export const LinkActionEnum = numberSchema("LinkActionEnum", [0, 1], "0 unlink, 1 link.");
export const AliasActionEnum = numberSchema("AliasActionEnum", [0, 1], "0 unlink, 1 link.");
export const LockHashAlgorithmEnum = numberSchema(
  "LockHashAlgorithmEnum",
  [0, 1, 2],
  "0 SHA3-256, 1 RIPEMD-160 of SHA-256, 2 SHA-256 twice.",
);
export const MosaicFlagsEnum = z.int().min(0).max(15).meta({
  id: "MosaicFlagsEnum",
  description: "Bits: 1 supply mutable, 2 transferable, 4 restrictable, 8 revokable.",
});
export const Divisibility = z.int().min(0).max(255).meta({ id: "Divisibility", description: "Decimal places." });
export const NamespaceRegistrationTypeEnum = numberSchema("NamespaceRegistrationTypeEnum", [0, 1], "0 root, 1 child.");
export const AccountRestrictionFlagsEnum = z.int().min(0).max(0xffff).meta({
  id: "AccountRestrictionFlagsEnum",
  description: "Bits: 1 addresses, 2 mosaics, 4 transaction types; 16384 outgoing; 32768 block instead of allow.",
});
export const MosaicRestrictionTypeEnum = numberSchema(
  "MosaicRestrictionTypeEnum",
  [0, 1, 2, 3, 4, 5, 6],
  "0 none, 1 equal, 2 not equal, 3 less, 4 less or equal, 5 greater, 6 greater or equal.",
);
export const EntityType = z.int().min(0).max(0xffff).describe("Transaction type.");

export const MosaicSupplyChangeActionEnum = numberSchema(
  "MosaicSupplyChangeActionEnum",
  [0, 1],
  "0 decrease, 1 increase.",
);
export const RestrictionKeyHex = hex("RestrictionKeyHex", 8, "Key of a mosaic restriction, 64 bits as hex digits.");
