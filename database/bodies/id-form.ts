import { type RawBuilder, sql } from "kysely";
import {
  decodeEntityId,
  type EntityPosition,
  encodeEntityId,
  numberAfter,
  numberFrom,
} from "../../catapult/json/entity-id.js";
import { bytea, type ColumnType, int4 } from "../binary/rows.js";
import type { Parameter } from "../statement.js";

/** An id in the form in which statements compare it. */
export type StoredId = number | bigint | Buffer;

/**
 * How a table stores the ids of its entries. Elsewhere they are 12 bytes, whatever the table; stored ids sort like
 * these.
 */
export interface IdForm<Id = unknown> {
  /** The column of the table. */
  readonly column: string;
  readonly type: ColumnType<Id>;
  /** The type of ids that are compared. */
  readonly compared: "int8" | "bytea";
  /** What is below all ids. */
  readonly lowest: RawBuilder<unknown>;
  /** The 12 bytes of an id. */
  toBytes(id: Id): Buffer;
  /** The lowest stored id that is not below 12 bytes. */
  from(id: Buffer): StoredId;
  /** The lowest stored id above 12 bytes. */
  after(id: Buffer): StoredId;
}

/** A stored id as a value of a statement. */
export function storedId({ compared }: IdForm, id: Parameter | StoredId): RawBuilder<unknown> {
  return sql`${id}::${sql.raw(compared)}`;
}

/** The stored ids of entities: 31 bits of the height, 20 of the index in the block, 12 of the index in the aggregate. */
export const entityId: ColumnType<EntityPosition> = {
  sql: "int8",
  size: 8,
  read: (bytes, start) => {
    const low = bytes.readUInt32BE(start + 4);
    return { height: bytes.readInt32BE(start), index: low >>> 12, embeddedIndex: low & 0xfff };
  },
};

/** 64-bit numbers: entities of the chain. */
export const ENTITY_IDS: IdForm<EntityPosition> = {
  column: "id",
  type: entityId,
  compared: "int8",
  lowest: sql`0::int8`,
  toBytes: ({ height, index, embeddedIndex }) => encodeEntityId(height, index, embeddedIndex),
  from: numberFrom,
  after: numberAfter,
};

/** Heights: blocks. */
export const BLOCK_IDS: IdForm<number> = {
  column: "height",
  type: int4,
  compared: "int8",
  lowest: sql`0::int8`,
  toBytes: (height) => encodeEntityId(height),
  from: heightFrom,
  after: (id) => decodeEntityId(id).height + 1,
};

function heightFrom(id: Buffer): number {
  const { height } = decodeEntityId(id);
  return id.equals(encodeEntityId(height)) ? height : height + 1;
}

/** The 12 bytes themselves: state and pending transactions. */
export const BYTE_IDS: IdForm<Buffer> = {
  column: "id",
  type: bytea,
  compared: "bytea",
  lowest: sql`''::bytea`,
  toBytes: (id) => id,
  from: (id) => id,
  // An id with one more byte sorts right after it.
  after: (id) => Buffer.concat([id, Buffer.alloc(1)]),
};
