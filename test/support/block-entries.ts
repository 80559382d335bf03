import type { VerifiedBlock } from "../../catapult/entity/model.js";
import type { EmbeddedEntity, TransactionEntity } from "../../catapult/entity/transaction-entity.js";
import { encodeEntityId } from "../../catapult/json/entity-id.js";

/** A transaction of a block as lists have it. */
export type TransactionEntry = {
  /** 12 bytes. */
  readonly id: Buffer;
  /** All concerned addresses. */
  readonly addresses: readonly Buffer[];
} & (
  | { readonly embedded: false; readonly entity: TransactionEntity; readonly hash: Buffer }
  | { readonly embedded: true; readonly entity: EmbeddedEntity; readonly hash: undefined }
);

/** Top-level and embedded transactions, in the order of their ids. */
export function transactionsOf({ height, transactions }: VerifiedBlock): TransactionEntry[] {
  return transactions.flatMap(({ index, entity, hash, relatedAddresses: addresses, embedded }): TransactionEntry[] => [
    { id: encodeEntityId(height, index), embedded: false, entity, hash, addresses },
    ...embedded.map((inner) => ({
      ...{ id: encodeEntityId(height, index, inner.index + 1), embedded: true as const, entity: inner.entity },
      ...{ hash: undefined, addresses: inner.relatedAddresses },
    })),
  ]);
}

/** The top-level ones. */
export function topLevelOf(block: VerifiedBlock) {
  return transactionsOf(block).flatMap((entry) => (entry.embedded ? [] : [entry]));
}

/** In atomic units; 0 for an embedded transaction. */
export function feeOf({ feeMultiplier }: VerifiedBlock, { embedded, entity }: TransactionEntry): number {
  return embedded ? 0 : feeMultiplier * entity.size;
}

/** Transaction statements with their ids. */
export function statementsOf({ height, statement }: VerifiedBlock) {
  return statement.transactionStatements.map((one, index) => ({ ...one, id: encodeEntityId(height, index) }));
}
