import { isKnownBlock } from "./block-entity.js";
import type { VerifiedBlock } from "./model.js";
import { isUnknown } from "./transaction-entity.js";

/** An entity in a block whose type, version or layout is unknown. */
export interface UnknownEntity {
  /** `block`, `transaction`, `embedded`, or `receipt n` for the n-th of its statement, from 0. */
  readonly place: string;
  /** Position of its transaction or statement in the block, from 0. */
  readonly index: number;
  /** Position in its aggregate, from 0; for embedded ones only. */
  readonly embeddedIndex?: number;
  readonly type: number;
  readonly version: number;
}

/** All entities in a block that are indexed as unknown, in order; usually none. */
export function unknownEntities(block: VerifiedBlock): UnknownEntity[] {
  const found: UnknownEntity[] = [];
  const { entity } = block;
  if (!isKnownBlock(entity)) found.push({ place: "block", index: 0, type: entity.type, version: entity.version });
  for (const { index, entity, embedded } of block.transactions) {
    if (isUnknown(entity)) found.push({ place: "transaction", index, type: entity.type, version: entity.version });
    for (const { index: embeddedIndex, entity: inner } of embedded)
      if (isUnknown(inner))
        found.push({ place: "embedded", index, embeddedIndex, type: inner.type, version: inner.version });
  }
  for (const [index, { receipts }] of block.statement.transactionStatements.entries())
    for (const [position, { kind, type, version }] of receipts.entries())
      if (kind === "unknown") found.push({ place: `receipt ${position}`, index, type, version });
  return found;
}
