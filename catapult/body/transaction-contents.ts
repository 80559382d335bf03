import { z } from "zod";
import {
  AddressHex,
  Amount,
  BlockDuration,
  FinalizationEpoch,
  Hash256,
  Hex,
  MetadataKey,
  MosaicId,
  NamespaceId,
  numberOf,
  PublicKey,
  Signature,
  UInt32,
  UInt64,
  UnresolvedAddress,
  UnresolvedMosaicId,
} from "../values/scalars.js";

/* The specific fields of each transaction type. */

const LinkActionEnum = numberOf("LinkActionEnum", [0, 1], "0 unlink, 1 link.");
const AliasActionEnum = numberOf("AliasActionEnum", [0, 1], "0 unlink, 1 link.");
export const LockHashAlgorithmEnum = numberOf(
  "LockHashAlgorithmEnum",
  [0, 1, 2],
  "0 SHA3-256, 1 RIPEMD-160 of SHA-256, 2 SHA-256 twice.",
);
export const MosaicFlagsEnum = z.int().min(0).max(15).meta({
  id: "MosaicFlagsEnum",
  description: "Bits: 1 supply mutable, 2 transferable, 4 restrictable, 8 revokable.",
});
export const Divisibility = z.int().min(0).max(255).meta({ id: "Divisibility", description: "Decimal places." });
export const NamespaceRegistrationTypeEnum = numberOf("NamespaceRegistrationTypeEnum", [0, 1], "0 root, 1 child.");
export const AccountRestrictionFlagsEnum = z.int().min(0).max(0xffff).meta({
  id: "AccountRestrictionFlagsEnum",
  description: "Bits: 1 addresses, 2 mosaics, 4 transaction types; 16384 outgoing; 32768 block instead of allow.",
});
export const MosaicRestrictionTypeEnum = numberOf(
  "MosaicRestrictionTypeEnum",
  [0, 1, 2, 3, 4, 5, 6],
  "0 none, 1 equal, 2 not equal, 3 less, 4 less or equal, 5 greater, 6 greater or equal.",
);
export const EntityType = z.int().min(0).max(0xffff).describe("Transaction type.");

export const UnresolvedMosaic = z
  .object({ id: UnresolvedMosaicId, amount: Amount })
  .meta({ id: "UnresolvedMosaic", description: "Amount of a mosaic, as in the transaction." });

export const CosignatureDTO = z
  .object({ version: UInt64.describe("0."), signerPublicKey: PublicKey, signature: Signature })
  .meta({ id: "CosignatureDTO", description: "Cosignature of an aggregate." });

export const keyLink = { linkedPublicKey: PublicKey, linkAction: LinkActionEnum };

export const votingKeyLink = {
  linkedPublicKey: PublicKey,
  startEpoch: FinalizationEpoch.describe("First epoch that the key votes in."),
  endEpoch: FinalizationEpoch.describe("Last epoch that the key votes in."),
  linkAction: LinkActionEnum,
};

export const aggregate = {
  transactionsHash: Hash256.describe("Root of the Merkle tree of the embedded transactions."),
  cosignatures: z.array(CosignatureDTO),
};

const duration = { duration: BlockDuration };
const mosaicAmount = { mosaicId: UnresolvedMosaicId, amount: Amount };

export const hashLock = {
  ...duration,
  ...mosaicAmount,
  hash: Hash256.describe("Hash of the bonded aggregate of the deposit."),
};

const secret = {
  hashAlgorithm: LockHashAlgorithmEnum,
  secret: Hash256.describe("The secret; shorter ones are padded with zeros at the end."),
  recipientAddress: UnresolvedAddress,
};

export const secretLock = { ...duration, ...mosaicAmount, ...secret };

export const secretProof = { ...secret, proof: Hex.describe("The preimage of the secret.") };

const metadata = {
  targetAddress: UnresolvedAddress.describe("The account, or the owner of the mosaic or namespace."),
  scopedMetadataKey: MetadataKey,
  valueSizeDelta: z.int().min(-0x8000).max(0x7fff).describe("Change of the value's size in bytes."),
  valueSize: z.int().min(0).max(0xffff).describe("Bytes in `value`."),
  value: Hex.describe("The value; if the entry exists already, XOR of the old and the new value."),
};

export const accountMetadata = metadata;
export const mosaicMetadata = { ...metadata, targetMosaicId: UnresolvedMosaicId };
export const namespaceMetadata = { ...metadata, targetNamespaceId: NamespaceId };

export const mosaicDefinition = {
  nonce: UInt32.describe("The mosaic id is derived from the nonce and the owner's address."),
  id: MosaicId,
  flags: MosaicFlagsEnum,
  divisibility: Divisibility,
  ...duration,
};

export const mosaicSupplyChange = {
  mosaicId: UnresolvedMosaicId,
  action: numberOf("MosaicSupplyChangeActionEnum", [0, 1], "0 decrease, 1 increase."),
  delta: Amount,
};

export const mosaicSupplyRevocation = {
  sourceAddress: UnresolvedAddress.describe("Account from which the amount is taken."),
  ...mosaicAmount,
};

export const multisigModification = {
  minRemovalDelta: z.int().min(-128).max(127).describe("Change of the cosignatures required to remove a cosignatory."),
  minApprovalDelta: z.int().min(-128).max(127).describe("Change of the cosignatures required for a transaction."),
  addressAdditions: z.array(UnresolvedAddress).describe("Cosignatories to add."),
  addressDeletions: z.array(UnresolvedAddress).describe("Cosignatories to remove."),
};

export const addressAlias = { namespaceId: NamespaceId, aliasAction: AliasActionEnum, address: AddressHex };

export const mosaicAlias = { namespaceId: NamespaceId, aliasAction: AliasActionEnum, mosaicId: MosaicId };

export const namespaceRegistration = {
  registrationType: NamespaceRegistrationTypeEnum,
  duration: BlockDuration.describe("For a root: duration in blocks; 0 = unlimited.").optional(),
  parentId: NamespaceId.describe("For a child: id of the parent namespace.").optional(),
  id: NamespaceId,
  name: z.string().describe("Last part of the name."),
};

function accountRestriction<Value extends z.ZodType>(value: Value) {
  return {
    restrictionFlags: AccountRestrictionFlagsEnum,
    restrictionAdditions: z.array(value),
    restrictionDeletions: z.array(value),
  };
}

export const accountAddressRestriction = accountRestriction(UnresolvedAddress);
export const accountMosaicRestriction = accountRestriction(UnresolvedMosaicId);
export const accountOperationRestriction = accountRestriction(EntityType);

const restrictionKey = z
  .string()
  .regex(/^[0-9A-F]{16}$/)
  .meta({ id: "RestrictionKeyHex", description: "Key of a mosaic restriction, 64 bits as hex digits." });

export const mosaicAddressRestriction = {
  mosaicId: UnresolvedMosaicId,
  restrictionKey,
  targetAddress: UnresolvedAddress,
  previousRestrictionValue: UInt64.describe("2^64 - 1 for none."),
  newRestrictionValue: UInt64.describe("2^64 - 1 for none."),
};

export const mosaicGlobalRestriction = {
  mosaicId: UnresolvedMosaicId,
  referenceMosaicId: UnresolvedMosaicId.describe("Mosaic whose values are compared; 0 for the mosaic itself."),
  restrictionKey,
  previousRestrictionValue: UInt64,
  previousRestrictionType: MosaicRestrictionTypeEnum,
  newRestrictionValue: UInt64,
  newRestrictionType: MosaicRestrictionTypeEnum,
};

export const transfer = {
  recipientAddress: UnresolvedAddress,
  message: Hex.describe("The message, its first byte is the kind; absent if it is empty.").optional(),
  mosaics: z.array(UnresolvedMosaic),
};

export const unknown = { bin: Hex.describe("The bytes after the header.") };
