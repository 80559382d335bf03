import { createHash } from "node:crypto";
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
  const entries = [{ source: { primaryId: 1, secondaryId: 0 }, resolved: hex(resolved) }];
  const statement = { height: String(height), unresolved: hex(unresolved), resolutionEntries: entries };
  return { id, unresolved, hash: sha3("resolution", id, unresolved), document: renderStatement(id, height, statement) };
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
    mosaicId: text(receipt.mosaic_id),
    amount: receipt.amount == null ? undefined : String(receipt.amount),
    senderAddress: text(receipt.sender_address),
    recipientAddress: text(receipt.recipient_address),
    targetAddress: text(receipt.target_address),
    artifactId: text(receipt.artifact_id),
  };
}
