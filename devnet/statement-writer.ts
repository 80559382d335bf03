import { createHash } from "node:crypto";

/** Receipt types of the node's core system (catapult `model/ReceiptType`). */
export const ReceiptType = { harvestFee: 0x2143, inflation: 0x5143 } as const;

const TRANSACTION_GROUP = 0xe143;
const ADDRESS_RESOLUTION = 0xf143;
const MOSAIC_RESOLUTION = 0xf243;
const RECEIPT_VERSION = 1;

/** The transaction that is being executed: primary id 0 is the block itself, n its n-th transaction (from 1). */
export interface StatementSource {
  readonly primaryId: number;
  readonly secondaryId: number;
}

interface Resolution {
  readonly key: Buffer;
  readonly entries: { readonly source: Buffer; readonly resolved: Buffer }[];
}

/**
 * Gathers the receipts and resolutions of one block and writes them as a node stores them (catapult
 * `model/BlockStatementBuilder`, `io/BlockStatementSerializer`).
 */
export class StatementWriter {
  #source = sourceBytes({ primaryId: 0, secondaryId: 0 });
  readonly #receipts = new Map<string, { source: Buffer; receipts: { type: number; bytes: Buffer }[] }>();
  readonly #addresses = new Map<string, Resolution>();
  readonly #mosaics = new Map<bigint, Resolution>();

  /** Says where the following receipts and resolutions come from. Sources must not go backwards. */
  setSource(source: StatementSource): void {
    this.#source = sourceBytes(source);
  }

  /** Adds a receipt of a balance that changed without a transaction saying so. */
  addBalanceChange(type: number, mosaicId: bigint, amount: bigint, targetAddress: Buffer): void {
    this.#addReceipt(type, Buffer.concat([receiptHeader(48, type), mosaicBytes(mosaicId, amount), targetAddress]));
  }

  /** Adds a receipt of currency that was made. */
  addInflation(mosaicId: bigint, amount: bigint): void {
    const type = ReceiptType.inflation;
    this.#addReceipt(type, Buffer.concat([receiptHeader(24, type), mosaicBytes(mosaicId, amount)]));
  }

  /** Notes what a namespace id in the form of an address (24 bytes) stood for. */
  addAddressResolution(unresolved: Buffer, resolved: Buffer): void {
    addResolution(this.#addresses, unresolved.toString("latin1"), unresolved, this.#source, resolved);
  }

  /** Notes which mosaic a namespace id stood for. */
  addMosaicResolution(unresolved: bigint, resolved: bigint): void {
    addResolution(this.#mosaics, unresolved, uint64(unresolved), this.#source, uint64(resolved));
  }

  /** Writes everything gathered. `leaves` are the leaves of the block's receipts tree, in its order. */
  finish(): { bytes: Buffer; leaves: Buffer[] } {
    const leaves: Buffer[] = [];
    const parts: Buffer[] = [uint32(this.#receipts.size)];

    const groups = [...this.#receipts.values()].sort((left, right) => compareSources(left.source, right.source));
    for (const { source, receipts } of groups) {
      // receipts of one source stand in the order of their types, within a type in the order they came
      receipts.sort((left, right) => left.type - right.type);
      const bytes = receipts.map((receipt) => receipt.bytes);
      parts.push(source, uint32(receipts.length), ...bytes);
      leaves.push(hashLeaf(TRANSACTION_GROUP, source, ...bytes.map((receipt) => receipt.subarray(4))));
    }

    const addresses = [...this.#addresses.values()].sort((left, right) => left.key.compare(right.key));
    const mosaics = [...this.#mosaics.values()].sort((left, right) => compareUint64(left.key, right.key));
    for (const [type, resolutions] of [
      [ADDRESS_RESOLUTION, addresses],
      [MOSAIC_RESOLUTION, mosaics],
    ] as const) {
      parts.push(uint32(resolutions.length));
      for (const { key, entries } of resolutions) {
        const bytes = entries.map(({ source, resolved }) => Buffer.concat([source, resolved]));
        parts.push(key, uint32(entries.length), ...bytes);
        leaves.push(hashLeaf(type, key, ...bytes));
      }
    }
    return { bytes: Buffer.concat(parts), leaves };
  }

  #addReceipt(type: number, bytes: Buffer): void {
    const key = this.#source.toString("latin1");
    const group = this.#receipts.get(key) ?? { source: this.#source, receipts: [] };
    group.receipts.push({ type, bytes });
    this.#receipts.set(key, group);
  }
}

function addResolution<K>(map: Map<K, Resolution>, id: K, key: Buffer, source: Buffer, resolved: Buffer): void {
  const resolution = map.get(id) ?? { key, entries: [] };
  map.set(id, resolution);
  // the same answer again is not written down
  if (resolution.entries.at(-1)?.resolved.equals(resolved)) return;
  resolution.entries.push({ source, resolved });
}

function hashLeaf(type: number, ...parts: readonly Buffer[]): Buffer {
  const hash = createHash("sha3-256");
  const header = Buffer.alloc(4);
  header.writeUInt16LE(RECEIPT_VERSION, 0);
  header.writeUInt16LE(type, 2);
  hash.update(header);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function receiptHeader(size: number, type: number): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32LE(size, 0);
  header.writeUInt16LE(RECEIPT_VERSION, 4);
  header.writeUInt16LE(type, 6);
  return header;
}

function mosaicBytes(mosaicId: bigint, amount: bigint): Buffer {
  return Buffer.concat([uint64(mosaicId), uint64(amount)]);
}

function sourceBytes({ primaryId, secondaryId }: StatementSource): Buffer {
  return Buffer.concat([uint32(primaryId), uint32(secondaryId)]);
}

function compareSources(left: Buffer, right: Buffer): number {
  return left.readUInt32LE(0) - right.readUInt32LE(0) || left.readUInt32LE(4) - right.readUInt32LE(4);
}

function compareUint64(left: Buffer, right: Buffer): number {
  const difference = left.readBigUInt64LE() - right.readBigUInt64LE();
  return difference < 0n ? -1 : Number(difference > 0n);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
