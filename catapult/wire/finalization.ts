import { PacketType } from "./packet-type.js";
import { PayloadReader } from "./payload-reader.js";
import { LIST_ANSWER, type NodeRequest, uint32, uint64 } from "./requests.js";

/** The latest finalized block that a node knows. */
export interface FinalizationStatistics {
  readonly epoch: number;
  readonly point: number;
  readonly height: number;
  readonly hash: Buffer;
}

export interface FinalizationSignaturePart {
  /** 32 bytes. */
  readonly parentPublicKey: Buffer;
  /** 64 bytes. */
  readonly signature: Buffer;
}

/** Signature of a voter: the root part certifies the bottom part's key. */
export interface FinalizationSignature {
  readonly root: FinalizationSignaturePart;
  readonly bottom: FinalizationSignaturePart;
}

/** Votes for the same hashes. */
export interface FinalizationMessageGroup {
  /** 0 prevote, 1 precommit, 2 count. */
  readonly stage: number;
  /** Height of the first hash: any 64 bits, since a voter may name a block that does not exist. */
  readonly height: bigint;
  readonly hashes: readonly Buffer[];
  readonly signatures: readonly FinalizationSignature[];
}

/** The votes that finalized a block. */
export interface FinalizationProof extends FinalizationStatistics {
  readonly version: number;
  readonly messageGroups: readonly FinalizationMessageGroup[];
}

const GROUP_HEADER_SIZE = 24;
const SIGNATURE_SIZE = 192;

/** The latest finalized block, with its round. */
export function finalizationStatisticsRequest(): NodeRequest<FinalizationStatistics> {
  return { name: "finalization statistics", type: PacketType.finalizationStatistics, decode: readStatistics };
}

/** The proof of the last block of an epoch. */
export function finalizationProofAtEpochRequest(epoch: number): NodeRequest<Buffer | undefined> {
  return {
    name: `finalization proof at epoch ${epoch}`,
    type: PacketType.finalizationProofAtEpoch,
    payload: uint32(epoch, "epoch"),
    ...PROOF_ANSWER,
  };
}

/** Nodes have proofs at some heights only: the last blocks of epochs. */
export function finalizationProofAtHeightRequest(height: number): NodeRequest<Buffer | undefined> {
  return {
    name: `finalization proof at height ${height}`,
    type: PacketType.finalizationProofAtHeight,
    payload: uint64(height, "height"),
    ...PROOF_ANSWER,
  };
}

/**
 * Nodes answer both proof requests with the packet type of a third one, and with an empty payload if they have none.
 */
const PROOF_ANSWER = {
  accept: [PacketType.pullFinalizationProof],
  maxAnswerSize: LIST_ANSWER,
  decode: (reader: PayloadReader) => (reader.remaining === 0 ? undefined : reader.bytes(reader.remaining, "proof")),
} as const;

/**
 * Decodes a finalization proof of a node (`model/FinalizationProof.h`): a header, then groups of messages.
 * @param node its origin, for messages
 * @throws NodeResponseError naming the invalid field
 */
export function decodeFinalizationProof(bytes: Buffer, node = "unknown"): FinalizationProof {
  const reader = new PayloadReader(bytes, { node, request: "finalization proof" });
  const size = reader.uint32("size");
  if (size !== bytes.length) throw reader.error("size", `is ${size}, the proof has ${bytes.length} bytes`);
  const version = reader.uint32("version");
  const statistics = readStatistics(reader);
  const messageGroups: FinalizationMessageGroup[] = [];
  while (reader.remaining > 0) messageGroups.push(readMessageGroup(reader, `messageGroups[${messageGroups.length}]`));
  return { version, ...statistics, messageGroups };
}

function readStatistics(reader: PayloadReader): FinalizationStatistics {
  return {
    epoch: reader.uint32("epoch"),
    point: reader.uint32("point"),
    height: reader.safeUint64("height"),
    hash: reader.bytes(32, "hash"),
  };
}

function readMessageGroup(reader: PayloadReader, name: string): FinalizationMessageGroup {
  const size = reader.uint32(`${name}.size`);
  const hashesCount = reader.uint32(`${name}.hashesCount`);
  const signaturesCount = reader.uint32(`${name}.signaturesCount`);
  const expectedSize = GROUP_HEADER_SIZE + hashesCount * 32 + signaturesCount * SIGNATURE_SIZE;
  if (size !== expectedSize) throw reader.error(`${name}.size`, `is ${size}, but its counts add up to ${expectedSize}`);
  const stage = reader.uint32(`${name}.stage`);
  const height = reader.uint64(`${name}.height`);
  const hashes: Buffer[] = [];
  while (hashes.length < hashesCount) hashes.push(reader.bytes(32, `${name}.hashes[${hashes.length}]`));
  const signatures: FinalizationSignature[] = [];
  while (signatures.length < signaturesCount) {
    const field = `${name}.signatures[${signatures.length}]`;
    signatures.push({ root: readSignaturePart(reader, field), bottom: readSignaturePart(reader, field) });
  }
  return { stage, height, hashes, signatures };
}

function readSignaturePart(reader: PayloadReader, field: string): FinalizationSignaturePart {
  return { parentPublicKey: reader.bytes(32, field), signature: reader.bytes(64, field) };
}
