import type { VrfKeyCheck } from "../../catapult/crypto/vrf.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { BlockRejectedError } from "../../catapult/verify/verify.js";
import { stateKindNumber, stateKindOf } from "../../database/queries/state.js";
import type { ProofClaim } from "../../ledger/header/generation-rules.js";
import type { GatheredKey } from "../step/key-gatherer.js";
import type { Chunk, DecodedChunk } from "./decode-chunk.js";

/*
 * Messages between the main thread and the decoding threads. Memory is transferred, not copied; a view of shared
 * memory would transfer all of that memory, so small things are combined into one piece each.
 */

/** A chunk to decode. */
export interface ChunkMessage {
  readonly id: number;
  readonly parent: {
    readonly height: number;
    readonly hash: Uint8Array;
    readonly timestamp: number;
    readonly score: bigint;
  };
  /**
   * Results of the network's function, which cannot be sent to another thread: hex digits, from the height of a block
   * on.
   */
  readonly rentalFeeSinks: readonly SinksFrom[];
  /** For each block: size of the block, of its statement, and of its roots. */
  readonly lengths: readonly number[];
  /** Blocks, statements and roots, concatenated. */
  readonly bytes: Uint8Array;
  /** For each block, see `SourceBlock`. */
  readonly targets: readonly (bigint | undefined)[];
  /** The same. */
  readonly areProven: readonly boolean[];
}

/** Proofs of generation hashes to verify: bytes as hex digits. */
export interface ProofsMessage {
  readonly id: number;
  readonly claims: readonly {
    readonly height: number;
    readonly gamma: string;
    readonly verificationHash: string;
    readonly scalar: string;
    readonly publicKey: string;
    readonly check: VrfKeyCheck;
    readonly parentGenerationHash: string;
  }[];
}

interface SinksFrom {
  readonly from: number;
  readonly mosaic: string;
  readonly namespace: string;
}

/** The result. */
export type DecodedMessage =
  | { readonly id: number; readonly decoded: TransferredChunk }
  | { readonly id: number; readonly proved: true }
  | {
      readonly id: number;
      readonly rejected: { readonly height: number; readonly field: string; readonly problem: string };
    }
  | { readonly id: number; readonly failed: string };

type TransferredChunk = Omit<DecodedChunk, "keys" | "stateKeys" | "beneficiaryAddresses" | "registrations"> & {
  /** For each key: kind, size, height (4 bytes), bytes. */
  readonly keys: Uint8Array;
  /** For each key: number of the kind, size, bytes. */
  readonly stateKeys: Uint8Array;
  readonly beneficiaryAddresses: Uint8Array;
  /** Few; ids as hex digits. */
  readonly registrations: readonly {
    readonly id: string;
    readonly namespaceId: string;
    readonly parentId: string | undefined;
    readonly name: string;
    readonly duration: bigint | undefined;
  }[];
};

const ADDRESS_BYTES = 24;

/** A message and its transferred memory. */
export interface Parcel<T> {
  readonly message: T;
  readonly transfer: ArrayBuffer[];
}

export function packChunk(id: number, { parent, blocks }: Chunk, network: NetworkIdentity): Parcel<ChunkMessage> {
  const parts = blocks.flatMap(({ bytes, statement, subCacheMerkleRoots }) => [bytes, statement, subCacheMerkleRoots]);
  const bytes = join(parts);
  const message = {
    id,
    parent: { ...parent, hash: own(parent.hash) },
    rentalFeeSinks: sinksOf(network, parent.height + 1, parent.height + blocks.length),
    lengths: parts.map(({ length }) => length),
    bytes,
    targets: blocks.map(({ target }) => target),
    areProven: blocks.map(({ isProven = false }) => isProven),
  };
  return { message, transfer: [bytes.buffer] };
}

function sinksOf({ rentalFeeSinks }: NetworkIdentity, from: number, to: number): SinksFrom[] {
  const all: SinksFrom[] = [];
  for (let height = from; rentalFeeSinks && height <= to; height++) {
    const { mosaic, namespace } = rentalFeeSinks(height);
    const sinks = { from: height, mosaic: mosaic.toString("hex"), namespace: namespace.toString("hex") };
    const last = all.at(-1);
    if (last?.mosaic !== sinks.mosaic || last.namespace !== sinks.namespace) all.push(sinks);
  }
  return all;
}

/** The chunk, and its network from the message. */
export function unpackChunk(
  { parent, lengths, bytes, targets, areProven, rentalFeeSinks }: ChunkMessage,
  network: NetworkIdentity,
): { readonly chunk: Chunk; readonly network: NetworkIdentity } {
  const all = view(bytes);
  let start = 0;
  const take = (length = 0) => {
    start += length;
    return all.subarray(start - length, start);
  };
  const blocks = [];
  for (let index = 0; index < lengths.length; index += 3) {
    blocks.push({
      bytes: take(lengths[index]),
      statement: take(lengths[index + 1]),
      subCacheMerkleRoots: take(lengths[index + 2]),
      target: targets[index / 3],
      isProven: areProven[index / 3] === true,
    });
  }
  const sinks = rentalFeeSinks.map(({ from, mosaic, namespace }) => ({
    from,
    at: { mosaic: Buffer.from(mosaic, "hex"), namespace: Buffer.from(namespace, "hex") },
  }));
  const sinksAt = (height: number) => (sinks.findLast(({ from }) => from <= height) ?? sinks[0]!).at;
  return {
    chunk: { parent: { ...parent, hash: view(parent.hash) }, blocks },
    network: sinks.length > 0 ? { ...network, rentalFeeSinks: sinksAt } : network,
  };
}

export function packDecoded(id: number, chunk: DecodedChunk): Parcel<DecodedMessage> {
  const stateKeys = join(
    chunk.stateKeys.flatMap(({ kind, key }) => [Buffer.from([stateKindNumber(kind), key.length]), key]),
  );
  const keys = packKeys(chunk.keys);
  const beneficiaryAddresses = join(chunk.beneficiaryAddresses);
  const lists = alone(chunk.lists);
  const tables = chunk.tables.map((table) => ({ ...table, bytes: alone(table.bytes) }));
  const registrations = chunk.registrations.map((row) => ({
    id: row.id.toString("hex"),
    namespaceId: row.namespace_id.toString("hex"),
    parentId: row.parent_id?.toString("hex"),
    name: row.name,
    duration: row.duration == null ? undefined : BigInt(row.duration),
  }));
  const end = { ...chunk.end, hash: own(chunk.end.hash) };
  const decoded = { ...chunk, end, tables, keys, lists, stateKeys, beneficiaryAddresses, registrations };
  const ofTables = tables.flatMap(({ bytes, references }) => [bytes, references]);
  const transfer = [keys, stateKeys, beneficiaryAddresses, lists, ...ofTables];
  return { message: { id, decoded }, transfer: transfer.map(({ buffer }) => buffer as ArrayBuffer) };
}

export function packClaims(id: number, claims: readonly ProofClaim[]): ProofsMessage {
  return {
    id,
    claims: claims.map(({ height, proof, key, parentGenerationHash }) => ({
      height,
      gamma: proof.gamma.toString("hex"),
      verificationHash: proof.verificationHash.toString("hex"),
      scalar: proof.scalar.toString("hex"),
      publicKey: key.publicKey.toString("hex"),
      check: key.check,
      parentGenerationHash: parentGenerationHash.toString("hex"),
    })),
  };
}

export function unpackClaims({ claims }: ProofsMessage): ProofClaim[] {
  return claims.map(({ height, gamma, verificationHash, scalar, publicKey, check, parentGenerationHash }) => ({
    height,
    proof: {
      gamma: Buffer.from(gamma, "hex"),
      verificationHash: Buffer.from(verificationHash, "hex"),
      scalar: Buffer.from(scalar, "hex"),
    },
    key: { publicKey: Buffer.from(publicKey, "hex"), check },
    parentGenerationHash: Buffer.from(parentGenerationHash, "hex"),
  }));
}

/**
 * The chunk; undefined if proofs were verified.
 * @throws BlockRejectedError when a block was rejected; Error when decoding failed otherwise
 */
export function unpackDecoded(message: DecodedMessage): DecodedChunk | undefined {
  if ("proved" in message) return undefined;
  if ("failed" in message) throw new Error(`Decoding failed: ${message.failed}`);
  if ("rejected" in message) {
    const { height, field, problem } = message.rejected;
    throw new BlockRejectedError(height, field, problem);
  }
  const { decoded } = message;
  return {
    ...decoded,
    end: { ...decoded.end, hash: view(decoded.end.hash) },
    tables: decoded.tables.map((table) => ({ ...table, bytes: view(table.bytes) })),
    keys: [...unpackKeys(view(decoded.keys))],
    lists: view(decoded.lists),
    stateKeys: [...unpackStateKeys(view(decoded.stateKeys))],
    beneficiaryAddresses: [...pieces(view(decoded.beneficiaryAddresses), ADDRESS_BYTES)],
    registrations: decoded.registrations.map(({ id, namespaceId, parentId, name, duration }) => ({
      id: Buffer.from(id, "hex"),
      namespace_id: Buffer.from(namespaceId, "hex"),
      parent_id: parentId === undefined ? null : Buffer.from(parentId, "hex"),
      name,
      duration: duration ?? null,
    })),
  };
}

/** The serialized form of an error: a rejection by its fields, so that it can be recreated. */
export function packError(id: number, error: unknown): DecodedMessage {
  if (!(error instanceof BlockRejectedError)) {
    return { id, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  const { height, field, message } = error;
  return { id, rejected: { height, field, problem: message.slice(`block ${height}: ${field} `.length) } };
}

/** Kind, size, height. */
const KEY_HEAD_BYTES = 6;

function packKeys(keys: readonly GatheredKey[]): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(keys.reduce((sum, { key }) => sum + KEY_HEAD_BYTES + key.length, 0));
  let end = 0;
  for (const { kind, key, height } of keys) {
    end = bytes.writeUInt8(kind, end);
    end = bytes.writeUInt8(key.length, end);
    end = bytes.writeUInt32BE(height, end);
    end += key.copy(bytes, end);
  }
  return bytes;
}

function* unpackKeys(bytes: Buffer): Generator<GatheredKey> {
  for (let start = 0; start < bytes.length; ) {
    const kind = bytes[start] as GatheredKey["kind"];
    const end = start + KEY_HEAD_BYTES + (bytes[start + 1] as number);
    yield { kind, key: bytes.subarray(start + KEY_HEAD_BYTES, end), height: bytes.readUInt32BE(start + 2) };
    start = end;
  }
}

function* unpackStateKeys(bytes: Buffer) {
  for (let start = 0; start < bytes.length; ) {
    const end = start + 2 + bytes.readUInt8(start + 1);
    yield { kind: stateKindOf(bytes.readUInt8(start)), key: bytes.subarray(start + 2, end) };
    start = end;
  }
}

function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

/** A copy in its own memory. */
function own(bytes: Buffer): Buffer<ArrayBuffer> {
  return join([bytes]);
}

/** The same bytes if they have their own memory, except for unused room, otherwise a copy. */
function alone(bytes: Buffer): Buffer {
  const isAlone = bytes.byteOffset === 0 && bytes.buffer instanceof ArrayBuffer;
  return isAlone && bytes.buffer.byteLength > Buffer.poolSize ? bytes : own(bytes);
}

function join(parts: readonly Buffer[]): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) end += part.copy(bytes, end);
  return bytes;
}

/** A Buffer arrives from another thread as a plain array. */
function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
