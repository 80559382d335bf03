import {
  decodeEntityId,
  encodeEntityId,
  entityIdAt,
  ID_BYTES,
  numberAfter,
  numberFrom,
} from "../../catapult/json/entity-id.js";
import { type Sql, sql } from "../sql.js";

/**
 * How a table stores the ids of its entries. Elsewhere they are 12 bytes, whatever the table; stored ids sort like
 * these.
 */
export interface IdForm {
  /** The column of the table. */
  readonly column: string;
  /** Below all ids. */
  readonly lowest: Sql;
  /** A null of the column's type. */
  readonly none: Sql;
  /** The 12 bytes of an id that is read in its stored form, from `start` on. */
  readonly read: (bytes: Buffer, start: number) => Buffer;
  /** The lowest stored id that is not below 12 bytes. */
  readonly from: (id: Buffer) => Sql;
  /** The lowest stored id above 12 bytes. */
  readonly after: (id: Buffer) => Sql;
}

/** 64-bit numbers: entities of the chain. */
export const ENTITY_IDS: IdForm = {
  column: "id",
  lowest: sql`0::int8`,
  none: sql`null::int8`,
  read: entityIdAt,
  from: (id) => sql`${numberFrom(id)}::int8`,
  after: (id) => sql`${numberAfter(id)}::int8`,
};

/** Heights: blocks. */
export const BLOCK_IDS: IdForm = {
  column: "height",
  lowest: sql`0::int8`,
  none: sql`null::int4`,
  read: (bytes, start) => encodeEntityId(bytes.readInt32BE(start)),
  from: (id) => sql`${heightFrom(id)}::int8`,
  after: (id) => sql`${decodeEntityId(id).height + 1}::int8`,
};

function heightFrom(id: Buffer): number {
  const { height } = decodeEntityId(id);
  return id.equals(encodeEntityId(height)) ? height : height + 1;
}

/** The 12 bytes themselves: state and pending transactions. */
export const BYTE_IDS: IdForm = {
  column: "id",
  lowest: sql`${Buffer.alloc(0)}::bytea`,
  none: sql`null::bytea`,
  read: (bytes, start) => bytes.subarray(start, start + ID_BYTES),
  from: (id) => sql`${id}::bytea`,
  // An id with one more byte sorts right after it.
  after: (id) => sql`${Buffer.concat([id, Buffer.alloc(1)])}::bytea`,
};
