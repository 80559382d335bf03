import { z } from "zod";
import {
  AddressHex,
  Amount,
  type BodyOf,
  Hash256,
  Height,
  Hex,
  MosaicId,
  ObjectId,
  Timestamp,
  UInt32,
  UnresolvedAddress,
  UnresolvedMosaicId,
} from "./scalars.js";

const StatementMetaDTO = z
  .object({ timestamp: Timestamp.describe("Timestamp of the block.") })
  .meta({ id: "StatementMetaDTO" });

const SourceDTO = z
  .object({
    primaryId: UInt32.describe("0 for the block itself, n for its n-th transaction."),
    secondaryId: UInt32.describe("n for the n-th transaction embedded in an aggregate, otherwise 0."),
  })
  .meta({ id: "SourceDTO", description: "Source of a receipt or resolution in a block." });

/** The source of a receipt or resolution in a block. */
export type SourceBody = BodyOf<typeof SourceDTO>;

const receiptShape = { version: z.int(), type: z.int().min(0).max(0xffff).describe("Receipt type.") };
const mosaicShape = { mosaicId: MosaicId, amount: Amount };

export const BalanceTransferReceiptDTO = z
  .object({ ...receiptShape, senderAddress: AddressHex, recipientAddress: AddressHex, ...mosaicShape })
  .meta({ id: "BalanceTransferReceiptDTO", description: "An amount went from one account to another: rental fees." });

export const BalanceChangeReceiptDTO = z
  .object({ ...receiptShape, targetAddress: AddressHex, ...mosaicShape })
  .meta({ id: "BalanceChangeReceiptDTO", description: "The balance of an account changed: harvesting, locks." });

export const ArtifactExpiryReceiptDTO = z
  .object({ ...receiptShape, artifactId: MosaicId.describe("The mosaic or namespace.") })
  .meta({ id: "ArtifactExpiryReceiptDTO", description: "A mosaic or namespace expired." });

export const InflationReceiptDTO = z
  .object({ ...receiptShape, ...mosaicShape })
  .meta({ id: "InflationReceiptDTO", description: "The block created an amount of the currency." });

export const UnknownReceiptDTO = z
  .object({ ...receiptShape, bin: Hex.describe("The bytes after the receipt's header.") })
  .meta({ id: "UnknownReceiptDTO", description: "Receipt of a type that this program does not know." });

export const AnyReceipt = z.union([
  BalanceTransferReceiptDTO,
  BalanceChangeReceiptDTO,
  ArtifactExpiryReceiptDTO,
  InflationReceiptDTO,
  UnknownReceiptDTO,
]);

/** A receipt in a statement. */
export type ReceiptBody = BodyOf<typeof AnyReceipt>;

export const TransactionStatementInfoDTO = z
  .object({
    id: ObjectId,
    meta: StatementMetaDTO,
    statement: z
      .object({ height: Height, source: SourceDTO, receipts: z.array(AnyReceipt) })
      .meta({ id: "TransactionStatementDTO" }),
  })
  .meta({ id: "TransactionStatementInfoDTO", description: "The receipts of one source in a block." });

/** The REST body of the receipts of one source. */
export type TransactionStatementBody = BodyOf<typeof TransactionStatementInfoDTO>;

function resolutionOf<Unresolved extends z.ZodType, Resolved extends z.ZodType>(
  of: "Address" | "Mosaic",
  unresolved: Unresolved,
  resolved: Resolved,
) {
  const entry = z
    .object({ source: SourceDTO.describe("The first position in the block where it applies."), resolved })
    .meta({ id: `${of}ResolutionEntryDTO` });
  const statement = z
    .object({ height: Height, unresolved, resolutionEntries: z.array(entry) })
    .meta({ id: `${of}ResolutionStatementDTO` });
  return z
    .object({ id: ObjectId, meta: StatementMetaDTO, statement })
    .meta({ id: `${of}ResolutionStatementInfoDTO`, description: "The resolutions of an alias in a block." });
}

export const AddressResolutionStatementInfoDTO = resolutionOf("Address", UnresolvedAddress, AddressHex);
export const MosaicResolutionStatementInfoDTO = resolutionOf("Mosaic", UnresolvedMosaicId, MosaicId);

/** The REST body of the resolutions of an address or mosaic alias. */
export type ResolutionStatementBody = BodyOf<typeof AddressResolutionStatementInfoDTO>;

export const MerkleProofInfoDTO = z
  .object({
    merklePath: z.array(
      z
        .object({
          hash: Hash256,
          position: z.enum(["left", "right"]).describe("Side on which the hash is concatenated."),
        })
        .meta({ id: "MerklePathItemDTO" }),
    ),
  })
  .meta({ id: "MerkleProofInfoDTO", description: "Path from a leaf to the root of a Merkle tree of the block." });

/** The REST body of the proof that a transaction or a statement belongs to a block. */
export type MerkleProofBody = BodyOf<typeof MerkleProofInfoDTO>;
