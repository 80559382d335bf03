import type { BlockTransaction, EmbeddedTransaction } from "../../catapult/entity/model.js";
import { encodeEntityId, formatEntityId } from "../../catapult/json/entity-id.js";
import { type TransactionSource, writeTransaction } from "../../catapult/json/transaction.js";
import { rendered } from "../../catapult/values/body-writer.js";

/** The data of a block in a transaction's body; a `Block` has all of it. */
interface BlockContext {
  readonly height: number;
  readonly timestamp: number;
  readonly feeMultiplier: number;
}

/** The REST body of a top-level transaction, rendered as by the gateway, with this id; unconfirmed without a block. */
export function renderTransaction(
  { hash, entity, index }: Pick<BlockTransaction, "hash" | "entity" | "index">,
  block: BlockContext | undefined,
  id: string,
): string {
  return withIds(sourceOf(hash, entity.bytes, block, index, 0), id, id);
}

/** The same for a transaction that is embedded in an aggregate. */
export function renderEmbedded(
  { entity, index }: Pick<EmbeddedTransaction, "entity" | "index">,
  aggregate: Pick<BlockTransaction, "hash">,
  block: BlockContext | undefined,
  id: string,
  aggregateId: string,
): string {
  return withIds(sourceOf(aggregate.hash, entity.bytes, block, 0, index + 1), id, aggregateId);
}

function sourceOf(
  hash: Buffer,
  entity: Buffer,
  block: BlockContext | undefined,
  index: number,
  embeddedIndex: number,
): TransactionSource {
  const { height = 0, timestamp = 0, feeMultiplier = 0 } = block ?? {};
  const group = block ? undefined : "unconfirmed";
  return { position: { height, index, embeddedIndex }, hash, timestamp, feeMultiplier, entity, group };
}

function withIds(source: TransactionSource, id: string, aggregateId: string): string {
  const { height, index, embeddedIndex } = source.position;
  return rendered(writeTransaction, source)
    .replace(formatEntityId(encodeEntityId(height, index, embeddedIndex)), id)
    .replace(`"aggregateId":"${formatEntityId(encodeEntityId(height, index))}"`, `"aggregateId":"${aggregateId}"`);
}
