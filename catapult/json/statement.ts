import type { ReceiptBody, ResolutionStatementBody, SourceBody, TransactionStatementBody } from "../body/statement.js";
import { RECEIPT, receiptKind } from "../entity/receipt.js";
import {
  hexOf,
  idOf,
  type Members,
  object,
  rendered,
  uint16Of,
  uint32Of,
  uint64Of,
  type Write,
  writeItems,
} from "./body-writer.js";
import type { EntityPosition } from "./entity-id.js";

/** A statement and the data of its block: the timestamp is in milliseconds. */
export interface StatementSource {
  readonly position: EntityPosition;
  readonly timestamp: number;
  /** As in the block's statement: begins with the source or the unresolved value. */
  readonly bytes: Buffer;
}

/** Offset of the receipts of a source: its two numbers, and the number of receipts are before. */
const RECEIPTS_OFFSET = 12;

type Common = Omit<Extract<ReceiptBody, { readonly bin: string }>, "bin">;
type Mosaic = Pick<Extract<ReceiptBody, { readonly targetAddress: string }>, "mosaicId" | "amount">;
type BodyWith<Key extends string> = Extract<ReceiptBody, { readonly [K in Key]: string }>;

const COMMON: Members<Buffer, Common> = { version: uint16Of(RECEIPT.version), type: uint16Of(RECEIPT.type) };
const MOSAIC: Members<Buffer, Mosaic> = { mosaicId: idOf(RECEIPT.mosaicId), amount: uint64Of(RECEIPT.amount) };

const receiptSize = (bytes: Buffer, at: number) => bytes.readUInt32LE(at + RECEIPT.size);

const RECEIPTS = {
  balanceTransfer: object<Buffer, BodyWith<"senderAddress">>({
    ...COMMON,
    senderAddress: hexOf(RECEIPT.senderAddress, RECEIPT.recipientAddress),
    recipientAddress: hexOf(RECEIPT.recipientAddress, RECEIPT.recipientAddress + 24),
    ...MOSAIC,
  }),
  balanceChange: object<Buffer, BodyWith<"targetAddress">>({
    ...COMMON,
    targetAddress: hexOf(RECEIPT.targetAddress, RECEIPT.targetAddress + 24),
    ...MOSAIC,
  }),
  artifactExpiry: object<Buffer, BodyWith<"artifactId">>({ ...COMMON, artifactId: idOf(RECEIPT.artifactId) }),
  inflation: object<Buffer, Common & Mosaic>({ ...COMMON, ...MOSAIC }),
  unknown: object<Buffer, BodyWith<"bin">>({
    ...COMMON,
    bin: (writer, bytes, at) => writer.hex(bytes, at + RECEIPT.headerSize, at + receiptSize(bytes, at)),
  }),
};

const writeReceipt: Write<Buffer, ReceiptBody> = (writer, bytes, at) => {
  const kind = receiptKind(bytes.readUInt16LE(at + RECEIPT.type), receiptSize(bytes, at));
  return RECEIPTS[kind](writer, bytes, at);
};

/** The REST body of a receipt. */
export function renderReceipt(bytes: Buffer): ReceiptBody {
  return JSON.parse(rendered(writeReceipt, bytes)) as ReceiptBody;
}

const writeSource = object<Buffer, SourceBody>({ primaryId: uint32Of(0), secondaryId: uint32Of(4) });

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

/** The writer of resolutions of values of `size` bytes. */
function resolutionWriter(size: number, value: (offset: number) => Write<Buffer, string>) {
  const writeEntry = object<Buffer, Resolution["resolutionEntries"][number]>({
    source: writeSource,
    resolved: value(8),
  });
  const unresolved = value(0);
  const sizeAt = () => 8 + size;
  return object<StatementSource, ResolutionStatementBody>({
    id,
    meta,
    statement: object<StatementSource, Resolution>({
      height,
      unresolved: (writer, { bytes }) => unresolved(writer, bytes, 0),
      resolutionEntries: (writer, { bytes }) => writeItems(writer, writeEntry, bytes, size + 4, bytes.length, sizeAt),
    }),
  });
}

/** Writes the REST body of the resolutions of an address in a block (`ResolutionStatementInfoDTO`). */
export const writeAddressResolution = resolutionWriter(24, (offset) => hexOf(offset, offset + 24));
/** Writes the REST body of the resolutions of a mosaic id in a block (`ResolutionStatementInfoDTO`). */
export const writeMosaicResolution = resolutionWriter(8, idOf);
