import type { ReceiptSource } from "../../catapult/entity/model.js";
import {
  addressResolutionHash,
  compareSources,
  mosaicResolutionHash,
  transactionStatementHash,
} from "../../catapult/entity/statement.js";
import { idBytes } from "../../catapult/state/composite-hash.js";
import type { LockState } from "../../catapult/state/lock.js";
import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import { ByteWriter } from "../../catapult/values/byte-writer.js";
import { ascending, mapKey } from "../trees/state-table.js";

const RECEIPT_HEAD_SIZE = 8;
const RECEIPT_VERSION = 1;
const receiptWriter = new ByteWriter(96);

interface ReceiptGroup {
  readonly source: ReceiptSource;
  readonly receipts: { readonly type: number; readonly bytes: Buffer }[];
}

interface Resolution {
  readonly unresolved: Buffer;
  readonly entries: { readonly source: ReceiptSource; readonly resolved: Buffer }[];
}

/** The complete receipts of a block. */
export interface StatementResult {
  /** The bytes in the form of a node's block statement response. */
  readonly bytes: Buffer;
  /** Leaves of the receipts tree: transaction, address resolution, mosaic resolution statements. */
  readonly hashes: readonly Buffer[];
}

/**
 * Collects receipts while a block is executed, under the current source: primary id 0 for the block itself, n for its
 * n-th transaction (from 1); secondary id n for the n-th embedded one.
 */
export class StatementBuilder {
  #source: ReceiptSource = { primaryId: 0, secondaryId: 0 };
  readonly #groups = new Map<string, ReceiptGroup>();
  readonly #addresses = new Map<string, Resolution>();
  readonly #mosaics = new Map<string, Resolution>();

  setSource(primaryId: number, secondaryId: number): void {
    this.#source = { primaryId, secondaryId };
  }

  nextTransaction(): void {
    this.setSource(this.#source.primaryId + 1, 0);
  }

  nextEmbedded(): void {
    this.setSource(this.#source.primaryId, this.#source.secondaryId + 1);
  }

  addBalanceTransfer(type: number, mosaicId: bigint, amount: bigint, sender: Buffer, recipient: Buffer): void {
    this.#add(type, receipt(type, 64).uint64(mosaicId).uint64(amount).bytes(sender).bytes(recipient));
  }

  addBalanceChange(type: number, mosaicId: bigint, amount: bigint, target: Buffer): void {
    this.#add(type, receipt(type, 40).uint64(mosaicId).uint64(amount).bytes(target));
  }

  /** The receipts of locks that expired in one block, in the order of the receipts' bytes. */
  addExpiredLocks(type: number, locks: readonly LockState[], targetOf: (lock: LockState) => Buffer): void {
    const receipts = locks.map((lock) => ({ ...lock, target: targetOf(lock) }));
    receipts.sort(
      (left, right) =>
        Buffer.compare(idBytes(left.mosaicId), idBytes(right.mosaicId)) ||
        Buffer.compare(idBytes(left.amount), idBytes(right.amount)) ||
        Buffer.compare(left.target, right.target),
    );
    for (const { mosaicId, amount, target } of receipts) this.addBalanceChange(type, mosaicId, amount, target);
  }

  addArtifactExpiry(type: number, id: bigint): void {
    this.#add(type, receipt(type, 8).uint64(id));
  }

  addInflation(mosaicId: bigint, amount: bigint): void {
    this.#add(RECEIPT_TYPE.inflation, receipt(RECEIPT_TYPE.inflation, 16).uint64(mosaicId).uint64(amount));
  }

  addAddressResolution(unresolved: Buffer, resolved: Buffer): void {
    this.#resolve(this.#addresses, unresolved, resolved);
  }

  addMosaicResolution(unresolved: bigint, resolved: bigint): void {
    this.#resolve(this.#mosaics, idBytes(unresolved), idBytes(resolved));
  }

  build(): StatementResult {
    const groups = [...this.#groups.values()].sort((left, right) => compareSources(left.source, right.source));
    for (const { receipts } of groups) receipts.sort((left, right) => left.type - right.type);
    const addresses = [...this.#addresses.values()].sort((left, right) =>
      Buffer.compare(left.unresolved, right.unresolved),
    );
    const mosaics = [...this.#mosaics.values()].sort((left, right) =>
      ascending(left.unresolved.readBigUInt64LE(), right.unresolved.readBigUInt64LE()),
    );

    const writer = new ByteWriter(1024).uint32(groups.length);
    for (const { source, receipts } of groups) {
      writer.uint32(source.primaryId).uint32(source.secondaryId).uint32(receipts.length);
      for (const receipt of receipts) writer.bytes(receipt.bytes);
    }
    for (const resolutions of [addresses, mosaics]) {
      writer.uint32(resolutions.length);
      for (const { unresolved, entries } of resolutions) {
        writer.bytes(unresolved).uint32(entries.length);
        for (const entry of entries) writeEntry(writer, entry);
      }
    }
    return { bytes: writer.toBuffer(), hashes: hashReceipts(groups, addresses, mosaics) };
  }

  /** Receipts of one source are ordered by type, then by insertion: they are sorted in the end, there may be many. */
  #add(type: number, written: ByteWriter): void {
    const bytes = written.toBuffer();
    const key = `${this.#source.primaryId}/${this.#source.secondaryId}`;
    const group = this.#groups.get(key) ?? { source: this.#source, receipts: [] };
    this.#groups.set(key, group);
    group.receipts.push({ type, bytes });
  }

  /** A resolution is recorded once for as long as it stays the same. */
  #resolve(resolutions: Map<string, Resolution>, unresolved: Buffer, resolved: Buffer): void {
    const key = mapKey(unresolved);
    const resolution = resolutions.get(key) ?? { unresolved, entries: [] };
    resolutions.set(key, resolution);
    if (resolution.entries.at(-1)?.resolved.equals(resolved)) return;
    resolution.entries.push({ source: this.#source, resolved });
  }
}

function hashReceipts(
  groups: readonly ReceiptGroup[],
  addresses: readonly Resolution[],
  mosaics: readonly Resolution[],
): Buffer[] {
  return [
    ...groups.map(({ source, receipts }) => transactionStatementHash(source, receipts)),
    ...addresses.map(({ unresolved, entries }) => addressResolutionHash(unresolved, entries)),
    ...mosaics.map(({ unresolved, entries }) => {
      const resolved = entries.map((entry) => ({ source: entry.source, resolved: entry.resolved.readBigUInt64LE() }));
      return mosaicResolutionHash(unresolved.readBigUInt64LE(), resolved);
    }),
  ];
}

/** The head of a receipt, followed by `size` bytes. */
function receipt(type: number, size: number): ByteWriter {
  return receiptWriter
    .restart()
    .uint32(RECEIPT_HEAD_SIZE + size)
    .uint16(RECEIPT_VERSION)
    .uint16(type);
}

function writeEntry(writer: ByteWriter, { source, resolved }: { source: ReceiptSource; resolved: Buffer }): void {
  writer.uint32(source.primaryId).uint32(source.secondaryId).bytes(resolved);
}
