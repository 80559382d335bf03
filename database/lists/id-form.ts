import { type RawBuilder, sql } from "kysely";
import {
  decodeEntityId,
  encodeEntityId,
  entityIdDigits,
  numberAfter,
  numberFrom,
} from "../../catapult/json/entity-id.js";

/**
 * How a table stores the ids of its entries. Elsewhere they are 12 bytes, whatever the table; stored ids sort like
 * these.
 */
export interface IdForm {
  /** The column of the table. */
  readonly column: string;
  /** Below all ids. */
  readonly lowest: RawBuilder<unknown>;
  /** A null of the column's type. */
  readonly none: RawBuilder<unknown>;
  /** Hex digits of an id: all of the same length, so that they sort like ids. */
  readonly digits: (id: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** 24 hex digits for those of `digits`. */
  readonly format: (digits: string) => string;
  /** The lowest stored id that is not below 12 bytes. */
  readonly from: (id: Buffer) => RawBuilder<unknown>;
  /** The lowest stored id above 12 bytes. */
  readonly after: (id: Buffer) => RawBuilder<unknown>;
}

/** 64-bit numbers: entities of the chain. */
export const ENTITY_IDS: IdForm = {
  column: "id",
  lowest: sql`0::int8`,
  none: sql`null::int8`,
  digits: (id) => sql`lpad(to_hex(${id}), 16, '0')`,
  format: entityIdDigits,
  from: (id) => sql`${numberFrom(id)}::int8`,
  after: (id) => sql`${numberAfter(id)}::int8`,
};

/** Heights: blocks. */
export const BLOCK_IDS: IdForm = {
  column: "height",
  lowest: sql`0::int8`,
  none: sql`null::int4`,
  digits: (id) => sql`lpad(to_hex(${id}), 10, '0')`,
  format: (digits) => digits.padEnd(24, "0"),
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
  digits: (id) => sql`encode(${id}, 'hex')`,
  format: (digits) => digits,
  from: (id) => sql`${id}::bytea`,
  // An id with one more byte sorts right after it.
  after: (id) => sql`${Buffer.concat([id, Buffer.alloc(1)])}::bytea`,
};
