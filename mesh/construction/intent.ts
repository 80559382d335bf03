import type { MosaicAmount } from "../../catapult/structs/nested-structs.js";

/** Mosaics and a message from one account to another. Addresses have 24 bytes. */
export interface Transfer {
  readonly sender: Buffer;
  readonly recipient: Buffer;
  /** At most one amount of a mosaic; none for a transfer of its message only. */
  readonly mosaics: readonly MosaicAmount[];
  /** The message as in the transaction: a plain text begins with a zero byte. Empty if there is none. */
  readonly message: Buffer;
}

/** One or more transfers in one transaction. */
export interface TransfersIntent {
  readonly kind: "transfers";
  readonly transfers: readonly Transfer[];
  /**
   * The accounts that sign, the first as signer of the aggregate, which pays the fee. Empty if the only sender signs.
   * Senders that are not listed are multisig accounts.
   */
  readonly cosigners: readonly Buffer[];
}

/** The deposit that a bonded aggregate needs before it is announced. */
export interface HashLockIntent {
  readonly kind: "hashLock";
  readonly signer: Buffer;
  readonly mosaic: MosaicAmount;
  /** Blocks. */
  readonly duration: bigint;
  /** 32 bytes. */
  readonly aggregateHash: Buffer;
}

/** The signature of a pending aggregate by a further account. */
export interface CosignatureIntent {
  readonly kind: "cosignature";
  readonly cosigner: Buffer;
  /** 32 bytes. */
  readonly aggregateHash: Buffer;
}

/** What the operations of a request ask for. */
export type Intent = TransfersIntent | HashLockIntent | CosignatureIntent;

/** The kind of aggregate that is requested; none if one transfer of one signer needs none. */
export type AggregateKind = "complete" | "bonded";

/** The accounts that sign, in order: the first signs the transaction, the others cosign it. */
export function listSigners(intent: Intent): readonly Buffer[] {
  if (intent.kind === "hashLock") return [intent.signer];
  if (intent.kind === "cosignature") return [intent.cosigner];
  return intent.cosigners.length > 0 ? intent.cosigners : intent.transfers.slice(0, 1).map(({ sender }) => sender);
}

/** The accounts whose public keys are in the transaction, each once. */
export function accountsWithKeys(intent: Intent): readonly Buffer[] {
  const senders = intent.kind === "transfers" ? intent.transfers.map(({ sender }) => sender) : [];
  const byName = new Map([...senders, ...listSigners(intent)].map((address) => [address.toString("hex"), address]));
  return [...byName.values()];
}

/** The kind of aggregate that carries the transfers; undefined if they are a transfer on its own. */
export function selectAggregateKind(
  { transfers, cosigners }: TransfersIntent,
  requested: AggregateKind | undefined,
): AggregateKind | undefined {
  return requested ?? (transfers.length > 1 || cosigners.length > 0 ? "complete" : undefined);
}
