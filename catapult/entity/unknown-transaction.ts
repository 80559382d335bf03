import { models } from "symbol-sdk/symbol";
import { EMBEDDED, TRANSACTION, VERIFIABLE } from "./entity-layout.js";

/** A transaction whose type, version or body this program does not know: the fields of its header, and the rest as bytes. */
export class UnknownTransaction extends models.Transaction {
  /** What follows the header of 128 bytes. */
  readonly payload: Buffer;
  /** Why it is not read any further. */
  readonly problem: string;

  /** @param bytes of the whole transaction, at least its header */
  constructor(bytes: Buffer, problem: string) {
    super();
    readCommonFields(this, bytes, VERIFIABLE);
    this.signature = new models.Signature(
      Uint8Array.from(bytes.subarray(VERIFIABLE.signature, VERIFIABLE.signerPublicKey)),
    );
    this.fee = new models.Amount(bytes.readBigUInt64LE(TRANSACTION.maxFee));
    this.deadline = new models.Timestamp(bytes.readBigUInt64LE(TRANSACTION.deadline));
    this.payload = bytes.subarray(TRANSACTION.headerSize);
    this.problem = problem;
  }

  override get size(): number {
    return TRANSACTION.headerSize + this.payload.length;
  }
}

/** The same inside an aggregate: its header has 48 bytes. */
export class UnknownEmbeddedTransaction extends models.EmbeddedTransaction {
  /** What follows the header of 48 bytes. */
  readonly payload: Buffer;
  /** Why it is not read any further. */
  readonly problem: string;

  /** @param bytes of the whole transaction, at least its header */
  constructor(bytes: Buffer, problem: string) {
    super();
    readCommonFields(this, bytes, EMBEDDED);
    this.payload = bytes.subarray(EMBEDDED.headerSize);
    this.problem = problem;
  }

  override get size(): number {
    return EMBEDDED.headerSize + this.payload.length;
  }
}

/** Whether only the header of a transaction is known; its type may be one that others are known of. */
export function isUnknown(entity: object): entity is UnknownTransaction | UnknownEmbeddedTransaction {
  return entity instanceof UnknownTransaction || entity instanceof UnknownEmbeddedTransaction;
}

function readCommonFields(
  entity: models.Transaction | models.EmbeddedTransaction,
  bytes: Buffer,
  layout: typeof VERIFIABLE | typeof EMBEDDED,
): void {
  entity.signerPublicKey = new models.PublicKey(
    Uint8Array.from(bytes.subarray(layout.signerPublicKey, layout.signerPublicKey + 32)),
  );
  entity.version = bytes.readUInt8(layout.version);
  entity.network = new models.NetworkType(bytes.readUInt8(layout.network));
  entity.type = new models.TransactionType(bytes.readUInt16LE(layout.type));
}
