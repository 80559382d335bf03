import { createHash } from "node:crypto";
import { ADDRESS_SIZE } from "../../catapult/entity/address.js";
import { addressResolutionHash, mosaicResolutionHash } from "../../catapult/entity/statement.js";
import { encodeEntityId, formatEntityId } from "../../catapult/json/entity-id.js";
import type { SyntheticReceiptRow, SyntheticResolutionRow } from "./synthetic-rows.js";

const BLOCK_INTERVAL_MS = 30_000;

/** Upper-case hex digits. */
export const hex = (bytes: Buffer) => bytes.toString("hex").toUpperCase();

/** sha3-256 of concatenated texts and bytes. */
export const sha3 = (...parts: (string | Buffer)[]) => {
  const hash = createHash("sha3-256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Milliseconds since the epoch adjustment of the block at a height. */
export function timestampOf(height: number): number {
  return (height - 1) * BLOCK_INTERVAL_MS;
}

/** The resolution statement of a block, with its REST body. */
export function resolution(height: number, unresolved: Buffer, resolved: Buffer): SyntheticResolutionRow {
  const id = encodeEntityId(height);
  const entries = [{ source: SOURCE, resolved: hex(resolved) }];
  const statement = { height: String(height), unresolved: hex(unresolved), resolutionEntries: entries };
  return {
    id,
    unresolved,
    hash: resolutionHash(unresolved, resolved),
    document: renderStatement(id, height, statement),
  };
}

const SOURCE = { primaryId: 1, secondaryId: 0 };

function resolutionHash(unresolved: Buffer, resolved: Buffer): Buffer {
  if (unresolved.length === ADDRESS_SIZE) return addressResolutionHash(unresolved, [{ source: SOURCE, resolved }]);
  return mosaicResolutionHash(unresolved.readBigUInt64BE(), [{ source: SOURCE, resolved: resolved.readBigUInt64BE() }]);
}

/** The REST body of a statement. */
export function renderStatement(id: Buffer, height: number, statement: object): string {
  return JSON.stringify({ id: formatEntityId(id), meta: { timestamp: String(timestampOf(height)) }, statement });
}

/** The REST body of a receipt. */
export function renderReceipt(receipt: Partial<SyntheticReceiptRow>): object {
  const text = (bytes: Buffer | null | undefined) => (bytes ? hex(bytes) : undefined);
  return {
    version: 1,
    type: receipt.type,
    senderAddress: text(receipt.sender_address),
    recipientAddress: text(receipt.recipient_address),
    targetAddress: text(receipt.target_address),
    mosaicId: text(receipt.mosaic_id),
    amount: receipt.amount == null ? undefined : String(receipt.amount),
    artifactId: text(receipt.artifact_id),
  };
}
