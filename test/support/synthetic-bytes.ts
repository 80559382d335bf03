import { paddingSize } from "../../catapult/entity/entity-layout.js";
import type { SyntheticBlock, SyntheticTransaction } from "./synthetic-chain.js";

/*
 * The bytes of a synthetic chain, encoded from its REST bodies: what is rendered from these bytes has to be the bodies
 * again.
 */

// biome-ignore lint/suspicious/noExplicitAny: bodies of several types.
type AnyBody = any;

/** Where an entity is in the bytes of its block, or of the block's statement. */
export interface SyntheticSlice {
  readonly position: number;
  readonly size: number;
}

/** The bytes of a block, and where its entities are: in the order of the block's rows. */
export interface SyntheticBytes {
  readonly block: Buffer;
  readonly statement: Buffer;
  readonly headerSize: number;
  readonly transactions: readonly (SyntheticSlice & { readonly embedded_size: number })[];
  readonly statements: readonly SyntheticSlice[];
  readonly addressResolutions: readonly SyntheticSlice[];
  readonly mosaicResolutions: readonly SyntheticSlice[];
}

/** Encodes a block and its statement. */
export function encodeSyntheticBlock(block: SyntheticBlock): SyntheticBytes {
  const header = encodeHeader(JSON.parse(block.row.document).block);
  const parts: Buffer[] = [header];
  const slices: (SyntheticSlice & { readonly embedded_size: number })[] = [];
  let position = header.length;
  for (const [{ row }, ...inner] of topLevelGroups(block.transactions)) {
    const embedded = inner.map((one) => encodeEmbedded(JSON.parse(one.row.document).transaction));
    const bytes = encodeTransaction(JSON.parse(row.document).transaction, embedded);
    slices.push({ position, size: bytes.length, embedded_size: padded(embedded).length });
    let at = position + AGGREGATE_HEADER;
    for (const one of embedded) {
      slices.push({ position: at, size: one.length, embedded_size: 0 });
      at += one.length + paddingSize(one.length);
    }
    const whole = padded([bytes]);
    parts.push(whole);
    position += whole.length;
  }
  return { block: Buffer.concat(parts), headerSize: header.length, transactions: slices, ...encodeStatements(block) };
}

/** Each top-level transaction with its embedded ones. */
function topLevelGroups(transactions: readonly SyntheticTransaction[]) {
  const groups: [SyntheticTransaction, ...SyntheticTransaction[]][] = [];
  for (const transaction of transactions) {
    if (transaction.row.embedded) groups.at(-1)?.push(transaction);
    else groups.push([transaction]);
  }
  return groups;
}

function encodeStatements({ statements, addressResolutions, mosaicResolutions }: SyntheticBlock) {
  const parts: Buffer[] = [];
  let position = 0;
  const add = (bytes: Buffer) => {
    parts.push(bytes);
    position += bytes.length;
  };
  const addAll = (documents: readonly string[], encode: (statement: AnyBody) => Buffer) => {
    add(uint32(documents.length));
    return documents.map((document) => {
      const bytes = encode(JSON.parse(document).statement);
      const slice = { position, size: bytes.length };
      add(bytes);
      return slice;
    });
  };
  const slices = {
    statements: addAll(
      statements.map(({ row }) => row.document),
      encodeStatement,
    ),
    addressResolutions: addAll(
      addressResolutions.map(({ document }) => document),
      (one) => encodeResolution(one, fromHex),
    ),
    mosaicResolutions: addAll(
      mosaicResolutions.map(({ document }) => document),
      (one) => encodeResolution(one, idBytes),
    ),
  };
  return { statement: Buffer.concat(parts), ...slices };
}

const AGGREGATE_HEADER = 168;
const AGGREGATES = [0x4141, 0x4241];
const TRANSFER = 0x4154;

function encodeHeader(body: AnyBody): Buffer {
  const common = [
    uint32(body.size),
    uint32(0),
    fromHex(body.signature),
    fromHex(body.signerPublicKey),
    uint32(0),
    kindBytes(body),
    uint64(body.height),
    uint64(body.timestamp),
    uint64(body.difficulty),
    ...["proofGamma", "proofVerificationHash", "proofScalar", "previousBlockHash"].map((name) => fromHex(body[name])),
    ...["transactionsHash", "receiptsHash", "stateHash", "beneficiaryAddress"].map((name) => fromHex(body[name])),
    uint32(body.feeMultiplier),
  ];
  if (body.totalVotingBalance === undefined) return Buffer.concat([...common, uint32(0)]);
  return Buffer.concat([
    ...common,
    uint32(body.votingEligibleAccountsCount),
    uint64(body.harvestingEligibleAccountsCount),
    uint64(body.totalVotingBalance),
    fromHex(body.previousImportanceBlockHash),
  ]);
}

/** The bytes of a top-level transaction. */
export function encodeTransaction(body: AnyBody, embedded: readonly Buffer[] = []): Buffer {
  return sized([
    uint32(0),
    fromHex(body.signature),
    fromHex(body.signerPublicKey),
    uint32(0),
    kindBytes(body),
    uint64(body.maxFee),
    uint64(body.deadline),
    encodeContent(body, embedded),
  ]);
}

/** The bytes of an embedded transaction, without padding. */
export function encodeEmbedded(body: AnyBody): Buffer {
  return sized([uint32(0), fromHex(body.signerPublicKey), uint32(0), kindBytes(body), encodeContent(body, [])]);
}

function encodeContent(body: AnyBody, embedded: readonly Buffer[]): Buffer {
  if (AGGREGATES.includes(body.type)) {
    const payload = padded(embedded);
    const cosignatures = body.cosignatures.flatMap((one: AnyBody) => [
      uint64(one.version),
      fromHex(one.signerPublicKey),
      fromHex(one.signature),
    ]);
    return Buffer.concat([fromHex(body.transactionsHash), uint32(payload.length), uint32(0), payload, ...cosignatures]);
  }
  if (body.type !== TRANSFER)
    return Buffer.concat([idBytes(body.mosaicId), uint64(body.delta), Buffer.from([body.action])]);
  const mosaics = body.mosaics.flatMap(({ id, amount }: AnyBody) => [idBytes(id), uint64(amount)]);
  const counts = Buffer.from([0, 0, body.mosaics.length, 0, 0, 0, 0, 0]);
  return Buffer.concat([fromHex(body.recipientAddress), counts, ...mosaics]);
}

/** The bytes of a transaction statement. */
export function encodeStatement({ source, receipts }: AnyBody): Buffer {
  const parts = receipts.map(encodeReceipt);
  return Buffer.concat([uint32(source.primaryId), uint32(source.secondaryId), uint32(parts.length), ...parts]);
}

/** The bytes of a receipt. */
export function encodeReceipt(body: AnyBody): Buffer {
  const { version, type, mosaicId, amount, senderAddress, recipientAddress, targetAddress, artifactId } = body;
  return sized([
    uint16(version),
    uint16(type),
    ...(artifactId ? [idBytes(artifactId)] : [idBytes(mosaicId), uint64(amount)]),
    ...[targetAddress, senderAddress, recipientAddress].filter(Boolean).map(fromHex),
  ]);
}

/** The bytes of the resolutions of an alias. */
export function encodeResolution(body: AnyBody, value: (text: string) => Buffer): Buffer {
  const entries = body.resolutionEntries.flatMap(({ source, resolved }: AnyBody) => [
    uint32(source.primaryId),
    uint32(source.secondaryId),
    value(resolved),
  ]);
  return Buffer.concat([value(body.unresolved), uint32(body.resolutionEntries.length), ...entries]);
}

function kindBytes({ version, network, type }: AnyBody): Buffer {
  return Buffer.concat([Buffer.from([version, network]), uint16(type)]);
}

/** With their size before them. */
function sized(parts: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat([uint32(0), ...parts]);
  bytes.writeUInt32LE(bytes.length);
  return bytes;
}

function padded(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts.flatMap((one) => [one, Buffer.alloc(paddingSize(one.length))]));
}

function fromHex(text: string): Buffer {
  return Buffer.from(text, "hex");
}

/** An id in hex digits, little-endian. */
export function idBytes(text: string): Buffer {
  return fromHex(text).reverse();
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(text: string): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(text));
  return bytes;
}
