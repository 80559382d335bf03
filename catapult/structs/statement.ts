import { z } from "zod";
import { object, type Write, writeItems } from "../values/body-writer.js";
import { address, type Codec, mosaicId, uint32Number } from "../values/codecs.js";
import {
  AddressHex,
  type BodyOf,
  Height,
  MosaicId,
  ObjectId,
  Timestamp,
  UInt32,
  UnresolvedAddress,
  UnresolvedMosaicId,
} from "../values/scalars.js";
import { AnyReceipt, receiptSize, writeReceipt } from "./receipt.js";

const heightOfBlock = Height.describe("Height of the block.");
const META = "What is known about it besides its own bytes.";

const StatementMetaDTO = z
  .object({ timestamp: Timestamp.describe("Timestamp of the block.") })
  .meta({ id: "StatementMetaDTO", description: META });

const SourceDTO = z
  .object({
    primaryId: UInt32.describe("0 for the block itself, n for its n-th transaction."),
    secondaryId: UInt32.describe("n for the n-th transaction embedded in an aggregate, otherwise 0."),
  })
  .meta({ id: "SourceDTO", description: "Position in the block of what caused it." });

/** The source of a receipt or resolution in a block. */
export type SourceBody = BodyOf<typeof SourceDTO>;

export const TransactionStatementInfoDTO = z
  .object({
    id: ObjectId,
    meta: StatementMetaDTO,
    statement: z
      .object({
        height: heightOfBlock,
        source: SourceDTO,
        receipts: z.array(AnyReceipt).describe("Receipts, in order."),
      })
      .meta({ id: "TransactionStatementDTO", description: "The statement." }),
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
    .object({
      source: SourceDTO.describe("The first position in the block where it applies."),
      resolved: resolved.describe("What the alias stood for from this position on."),
    })
    .meta({ id: `${of}ResolutionEntryDTO` });
  const statement = z
    .object({
      height: heightOfBlock,
      unresolved: unresolved.describe("Alias as in the transactions of the block."),
      resolutionEntries: z.array(entry).describe("What the alias stood for, by the position from which on."),
    })
    .meta({ id: `${of}ResolutionStatementDTO`, description: "The statement." });
  return z
    .object({ id: ObjectId, meta: StatementMetaDTO, statement })
    .meta({ id: `${of}ResolutionStatementInfoDTO`, description: "The resolutions of an alias in a block." });
}

export const AddressResolutionStatementInfoDTO = resolutionOf("Address", UnresolvedAddress, AddressHex);
export const MosaicResolutionStatementInfoDTO = resolutionOf("Mosaic", UnresolvedMosaicId, MosaicId);

/** The REST body of the resolutions of an address or mosaic alias. */
export type ResolutionStatementBody = BodyOf<typeof AddressResolutionStatementInfoDTO>;

/** A statement and the data of its block: the timestamp is in milliseconds. */
export interface StatementSource {
  /** Position of its id. */
  readonly position: { readonly height: number; readonly index: number; readonly embeddedIndex: number };
  readonly timestamp: number;
  /** The bytes as in the block's statement: begins with the source or the unresolved value. */
  readonly bytes: Buffer;
}

/** Offset of the receipts of a source: its two numbers, and the number of receipts are before. */
const RECEIPTS_OFFSET = 12;

const writeSource = object<Buffer, SourceBody>({
  primaryId: uint32Number.json,
  secondaryId: { write: uint32Number.json, offset: 4 },
});

const id: Write<StatementSource, string> = (writer, { position: { height, index, embeddedIndex } }) =>
  writer.entityId(height, index, embeddedIndex);
const height: Write<StatementSource, string> = (writer, { position }) => writer.decimal(position.height);
const meta = object<StatementSource, TransactionStatementBody["meta"]>({
  timestamp: (writer, { timestamp }) => writer.decimal(timestamp),
});

/** Writes the REST body of the receipts of one source (`TransactionStatementInfoDTO`). */
export const writeTransactionStatement = object<StatementSource, TransactionStatementBody>({
  id,
  meta,
  statement: object<StatementSource, TransactionStatementBody["statement"]>({
    height,
    source: (writer, { bytes }) => writeSource(writer, bytes, 0),
    receipts: (writer, { bytes }) =>
      writeItems(writer, writeReceipt, bytes, RECEIPTS_OFFSET, bytes.length, receiptSize),
  }),
});

type Resolution = ResolutionStatementBody["statement"];

/** The writer of resolutions of values of a codec. */
function resolutionWriter({ size, json }: Codec<unknown, string>) {
  const writeEntry = object<Buffer, Resolution["resolutionEntries"][number]>({
    source: writeSource,
    resolved: { write: json, offset: 8 },
  });
  const sizeAt = () => 8 + size;
  return object<StatementSource, ResolutionStatementBody>({
    id,
    meta,
    statement: object<StatementSource, Resolution>({
      height,
      unresolved: (writer, { bytes }) => json(writer, bytes, 0),
      resolutionEntries: (writer, { bytes }) => writeItems(writer, writeEntry, bytes, size + 4, bytes.length, sizeAt),
    }),
  });
}

/** Writes the REST body of the resolutions of an address in a block (`ResolutionStatementInfoDTO`). */
export const writeAddressResolution = resolutionWriter(address);
/** Writes the REST body of the resolutions of a mosaic id in a block (`ResolutionStatementInfoDTO`). */
export const writeMosaicResolution = resolutionWriter(mosaicId);
