import { verifySignature } from "../crypto/signature.js";
import { isAggregateType } from "../structs/type-names.js";
import { EntityError } from "./entity-error.js";
import { AGGREGATE, COSIGNATURE, VERIFIABLE } from "./entity-layout.js";

/** A cosignature of an aggregate whose hash is known from the context. */
export interface Cosignature {
  /** 0 in all cosignatures that nodes accept. */
  readonly version: bigint;
  readonly signerPublicKey: Buffer;
  readonly signature: Buffer;
}

/** Decodes a cosignature as it is in an aggregate: version (8), public key (32), signature (64). */
export function decodeCosignature(bytes: Buffer): Cosignature {
  if (bytes.length !== COSIGNATURE.size) {
    throw new EntityError("cosignature", `has ${bytes.length} bytes instead of ${COSIGNATURE.size}`);
  }
  return {
    version: bytes.readBigUInt64LE(COSIGNATURE.version),
    signerPublicKey: bytes.subarray(COSIGNATURE.signerPublicKey, COSIGNATURE.signature),
    signature: bytes.subarray(COSIGNATURE.signature),
  };
}

/** Whether it has version 0 and signs the aggregate with this hash (32 bytes). */
export function isCosignatureOf({ version, signerPublicKey, signature }: Cosignature, aggregateHash: Buffer): boolean {
  return version === 0n && verifySignature(signerPublicKey, aggregateHash, signature);
}

/** A cosignature in the form of an aggregate (104 bytes). */
export function encodeCosignature({ version, signerPublicKey, signature }: Cosignature): Buffer {
  const head = Buffer.alloc(8);
  head.writeBigUInt64LE(version);
  return Buffer.concat([head, signerPublicKey, signature]);
}

/**
 * Splits an aggregate and its cosignatures; the hash of the aggregate is the same without them.
 * @throws EntityError when the bytes are not an aggregate or its sizes are invalid
 */
export function splitCosignatures(aggregate: Buffer): { aggregate: Buffer; cosignatures: Cosignature[] } {
  const end = cosignaturesOffset(aggregate);
  const cosignatures: Cosignature[] = [];
  for (let start = end; start < aggregate.length; start += COSIGNATURE.size) {
    cosignatures.push(decodeCosignature(aggregate.subarray(start, start + COSIGNATURE.size)));
  }
  return { aggregate: resized(aggregate.subarray(0, end)), cosignatures };
}

/**
 * Appends cosignatures to those of an aggregate.
 * @throws EntityError when the bytes are not an aggregate or its sizes are invalid
 */
export function joinCosignatures(aggregate: Buffer, cosignatures: readonly Cosignature[]): Buffer {
  cosignaturesOffset(aggregate);
  return resized(Buffer.concat([aggregate, ...cosignatures.map(encodeCosignature)]));
}

function cosignaturesOffset(aggregate: Buffer): number {
  if (aggregate.length < AGGREGATE.headerSize || !isAggregateType(aggregate.readUInt16LE(VERIFIABLE.type))) {
    throw new EntityError("transaction", "is not an aggregate");
  }
  const end = AGGREGATE.headerSize + aggregate.readUInt32LE(AGGREGATE.payloadSize);
  if (end > aggregate.length || (aggregate.length - end) % COSIGNATURE.size !== 0) {
    throw new EntityError("transaction.payloadSize", `leaves ${aggregate.length - end} bytes for cosignatures`);
  }
  return end;
}

function resized(aggregate: Buffer): Buffer {
  const copy = Buffer.from(aggregate);
  copy.writeUInt32LE(copy.length, VERIFIABLE.size);
  return copy;
}
