import type { TransactionContent } from "../../catapult/entity/transaction-writer.js";
import { TRANSACTION_LAYOUTS, type TransactionLayout } from "../../catapult/structs/transaction-types.js";
import type { TransactionKind } from "../../catapult/structs/type-names.js";

/** A field as a number (negative ones in two's complement) or as its bytes; a list as its items. */
export type FieldValue = number | bigint | Buffer | readonly Buffer[];

/**
 * The content of a transaction from its fields, in version 1. Counts of lists are derived, missing fields are zeros, and
 * nothing is checked, so that invalid ones can be written too.
 */
export function contentOf(kind: TransactionKind, values: Readonly<Record<string, FieldValue>>): TransactionContent {
  const { type, fields }: TransactionLayout = TRANSACTION_LAYOUTS[kind];
  const lists = Object.entries(fields).flatMap(([name, field]) => {
    if ("size" in field) return [];
    const items = (values[name] as Buffer | readonly Buffer[] | undefined) ?? [];
    return [{ count: field.count, length: items.length, bytes: Buffer.isBuffer(items) ? items : Buffer.concat(items) }];
  });
  const parts = Object.entries(fields).flatMap(([name, field]) => {
    if (!("size" in field)) return [];
    const value = lists.find(({ count }) => count === name)?.length ?? values[name] ?? 0;
    return typeof value === "object" ? [value as Buffer] : [integer(field.size, value)];
  });
  return { type, version: 1, body: Buffer.concat([...parts, ...lists.map(({ bytes }) => bytes)]) };
}

/** A number in little-endian order. */
export function integer(size: number, value: number | bigint): Buffer {
  const bytes = Buffer.alloc(Math.max(8, size));
  bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)));
  return bytes.subarray(0, size);
}
