import { z } from "zod";
import { type Write, writeItems } from "./body-writer.js";
import type { ByteWriter } from "./byte-writer.js";
import * as schemas from "./scalars.js";

/*
 * Codecs: how many bytes a value has, how it is read from them and written as JSON, and the schemas of its JSON and
 * GraphQL types. What is declared (`catapult/structs/`, `catapult/state/`) is a list of fields with these.
 */

/** A field with a fixed size, in bytes. */
export interface Field<Value> {
  readonly size: number;
  read(bytes: Buffer, offset: number): Value;
  /** Why these bytes are not a valid field; `isStrict` if they were announced, see `Reading`. */
  problem?(bytes: Buffer, offset: number, isStrict: boolean): string | undefined;
  /** Writes a value that is more than a number or bytes. */
  encode?(writer: ByteWriter, value: Value): void;
}

/** A field whose size depends on the bytes before it, or on its own. */
export interface VaryingField<Value> {
  /** Name of the field before it with the number of items, or `rest` if they fill the entity; undefined for none. */
  readonly count?: string;
  /** Of each item, in bytes. */
  readonly item?: Field<unknown>;
  /** Bytes of `count` items at an offset. */
  sizeAt(count: number, bytes: Buffer, at: number): number;
  read(bytes: Buffer, start: number, end: number): Value;
  problem?(bytes: Buffer, start: number, end: number): string | undefined;
  /** Writes the value of a state entry, with the value of the field `count`. */
  encode(writer: ByteWriter, value: Value, count: number): void;
}

type ScalarName =
  | "Int"
  | "SafeInt"
  | "UInt64"
  | "Address"
  | "Hash256"
  | "PublicKey"
  | "Signature"
  | "ArtifactId"
  | "Hex"
  | "String";
/** A GraphQL scalar, with `?` for a field that not all have. */
export type Scalar = ScalarName | `${ScalarName}?`;

/** What JSON and GraphQL show of a value. */
export interface Described<Json> {
  readonly schema: z.ZodType<Json>;
  /** Undefined for an object, or a list of them: GraphQL has types of its own for those. */
  readonly scalar: Scalar | readonly [Scalar] | undefined;
  /** The description in one sentence: see `field`. */
  readonly description?: string;
  /** Whether not all bodies have it. */
  readonly isOptional?: boolean;
}

/** How a value of a fixed size is read and shown. */
export interface Codec<Value, Json> extends Field<Value>, Described<Json> {
  /** Writes it as JSON, from the bytes at an offset. */
  readonly json: Write<Buffer, Json>;
}

/** A position in the bytes that contain an entity at `at`. */
export type Position = (bytes: Buffer, at: number) => number;

/** How a value of varying size is read and shown. */
export interface VaryingCodec<Value, Json> extends VaryingField<Value>, Described<Json> {
  readonly json: (start: Position, end: Position) => Write<Buffer, Json>;
}

/** A field that JSON and GraphQL show, and what it is. @param more what else is declared of it, such as its column */
export function field<C extends Described<unknown>, const More extends object = object>(
  codec: C,
  description: string,
  more?: More,
): C & More & { readonly description: string } {
  return { ...codec, ...(more as More), schema: codec.schema.describe(description), description };
}

/** A field that bodies lack if it is empty. */
export function unlessEmpty<C extends VaryingCodec<unknown, unknown>>(codec: C): C & { readonly isOptional: true } {
  return { ...codec, scalar: `${codec.scalar as "Hex"}?`, isOptional: true };
}

export const uint8: Field<number> = { size: 1, read: (bytes, offset) => bytes[offset]! };
export const int8: Field<number> = { size: 1, read: (bytes, offset) => bytes.readInt8(offset) };
export const uint16: Field<number> = { size: 2, read: (bytes, offset) => bytes.readUInt16LE(offset) };
export const int16: Field<number> = { size: 2, read: (bytes, offset) => bytes.readInt16LE(offset) };
export const uint32: Field<number> = { size: 4, read: (bytes, offset) => bytes.readUInt32LE(offset) };
export const uint64: Field<bigint> = { size: 8, read: (bytes, offset) => bytes.readBigUInt64LE(offset) };

/** A number in JSON. */
export function number(field: Field<number>, schema: z.ZodType<number>, scalar: Scalar = "Int"): Codec<number, number> {
  return { ...field, schema, scalar, json: (writer, bytes, at) => writer.number(field.read(bytes, at)) };
}

/** A byte with the values from 0 to `max`. */
export function choice<Value extends number>(max: number, schema: z.ZodType<Value>) {
  const problem = (bytes: Buffer, offset: number) =>
    bytes[offset]! > max ? `is ${bytes[offset]}, above the maximum of ${max}` : undefined;
  return { ...(number(uint8, schema as z.ZodType<number>) as Codec<Value, Value>), problem, max };
}

export const int8Number = number(int8, z.int().min(-128).max(127));
export const int16Number = number(int16, z.int().min(-0x8000).max(0x7fff));
export const uint16Number = number(uint16, z.int().min(0).max(0xffff));
export const uint32Number = number(uint32, schemas.UInt32, "SafeInt");
export const epoch = number(uint32, schemas.FinalizationEpoch, "SafeInt");
export const entityType = number(uint16, schemas.EntityType);
export const mosaicFlags = number(uint8, schemas.MosaicFlagsEnum);
export const divisibility = number(uint8, schemas.Divisibility);
export const accountRestrictionFlags = number(uint16, schemas.AccountRestrictionFlagsEnum);

export const linkAction = choice(1, schemas.LinkActionEnum);
export const aliasAction = choice(1, schemas.AliasActionEnum);
export const supplyChangeAction = choice(1, schemas.MosaicSupplyChangeActionEnum);
export const namespaceRegistrationType = choice(1, schemas.NamespaceRegistrationTypeEnum);
export const hashAlgorithm = choice(2, schemas.LockHashAlgorithmEnum);
export const mosaicRestrictionType = choice(6, schemas.MosaicRestrictionTypeEnum);

/** Bytes that JSON shows as hex digits; read as a view of the entity's bytes. */
export function hexBytes(size: number, schema: z.ZodType<string>, scalar: Scalar): Codec<Buffer, string> {
  const read = (bytes: Buffer, offset: number) => bytes.subarray(offset, offset + size);
  return { size, read, schema, scalar, json: (writer, bytes, at) => writer.hex(bytes, at, at + size) };
}

/** 64 bits that JSON shows as hex digits. */
function id(schema: z.ZodType<string>): Codec<bigint, string> & { readonly isId: true } {
  return { ...uint64, isId: true, schema, scalar: "ArtifactId", json: (writer, bytes, at) => writer.id(bytes, at) };
}

/** 64 bits that JSON shows as decimal digits. */
export function decimalDigits(schema: z.ZodType<string>, scalar: Scalar): Codec<bigint, string> {
  return { ...uint64, schema, scalar, json: (writer, bytes, at) => writer.uint64(bytes, at) };
}

/** A 64-bit height that is exact as a `number`. */
export function height(schema: z.ZodType<string>): Codec<number, string> {
  return {
    ...{ size: 8, schema, scalar: "SafeInt", json: (writer, bytes, at) => writer.uint64(bytes, at) },
    read: (bytes, offset) => bytes.readUInt32LE(offset + 4) * 2 ** 32 + bytes.readUInt32LE(offset),
    problem: (bytes, offset) =>
      bytes.readUInt32LE(offset + 4) < 2 ** 21 ? undefined : `is ${bytes.readBigUInt64LE(offset)}, which is too large`,
  };
}

export const address = hexBytes(24, schemas.AddressHex, "Address");
export const unresolvedAddress = hexBytes(24, schemas.UnresolvedAddress, "Address");
export const hash = hexBytes(32, schemas.Hash256, "Hash256");
export const publicKey = hexBytes(32, schemas.PublicKey, "PublicKey");
export const signature = hexBytes(64, schemas.Signature, "Signature");

export const mosaicId = id(schemas.MosaicId);
export const unresolvedMosaicId = id(schemas.UnresolvedMosaicId);
export const namespaceId = id(schemas.NamespaceId);
export const metadataKey = id(schemas.MetadataKey);
export const restrictionKey = id(schemas.RestrictionKeyHex);
export const targetId = id(z.string().regex(/^[0-9A-F]{16}$/));

export const decimal = decimalDigits(schemas.UInt64, "UInt64");
export const amount = decimalDigits(schemas.Amount, "UInt64");
/** Nullable in GraphQL wherever it is: not every namespace has one, and contents can be selected together. */
export const duration = decimalDigits(schemas.BlockDuration, "UInt64?");

/** When reserved bytes must be zero, by default always, and the index of a byte that may be anything. */
interface ReservedRule {
  readonly when?: "always" | "announced";
  readonly ignored?: number;
}

/** Reserved bytes that may be anything. */
export function unused(size: number): Field<undefined> {
  return { size, read: () => undefined, problem: () => undefined };
}

/** Reserved bytes that must be zero. */
export function reserved(size: number, { when = "always", ignored }: ReservedRule = {}): Field<undefined> {
  return {
    size,
    read: () => undefined,
    problem: (bytes, offset, isStrict) => {
      if (when === "announced" && !isStrict) return undefined;
      for (let at = offset; at < offset + size; ++at)
        if (bytes[at] !== 0 && at !== offset + (ignored ?? -1))
          return `has a byte 0x${bytes[at]!.toString(16)} instead of zeros`;
      return undefined;
    },
  };
}

/** How the bytes of a value of a field are written: a struct writes its own. */
export function makeEncoder<Value>(field: Field<Value>): (writer: ByteWriter, value: Value) => void {
  const { encode, size } = field;
  return encode ?? ((writer, value) => writer.value(value as number, size));
}

/** The number of items in a list of a state entry, which is not part of its value. */
export function countCodec(field: Field<number> | Field<bigint>) {
  return { ...(field as Field<number | bigint>), isCount: true } as const;
}

/** As many bytes as the field `count` says. */
export function bytesCodec(count: string): VaryingCodec<Buffer, string> {
  return {
    item: uint8,
    count,
    sizeAt: (size) => size,
    read: (bytes, start, end) => bytes.subarray(start, end),
    encode: (writer, value) => void writer.bytes(value),
    schema: schemas.Hex,
    scalar: "Hex",
    json: (start, end) => (writer, bytes, at) => writer.hex(bytes, start(bytes, at), end(bytes, at)),
  };
}

/** The same that JSON shows as the UTF-8 text that they are. */
export function textCodec(count: string): VaryingCodec<Buffer, string> {
  return {
    ...bytesCodec(count),
    schema: z.string(),
    scalar: "String",
    json: (start, end) => (writer, bytes, at) =>
      writer.string(bytes.toString("utf8", start(bytes, at), end(bytes, at))),
  };
}

/** As many items as the field `count` says, `times` as many if it says so. */
export function listCodec<Value, Json>(
  item: Codec<Value, Json>,
  count: string,
  times = 1,
): VaryingCodec<readonly Value[], readonly Json[]> {
  const { size, scalar } = item;
  const sizeOfItem = () => size;
  const encode = makeEncoder(item);
  return {
    item,
    count,
    sizeAt: (items) => items * times * size,
    read: (bytes, start, end) => {
      const items: Value[] = [];
      for (let offset = start; offset < end; offset += size) items.push(item.read(bytes, offset));
      return items;
    },
    ...(item.problem && { problem: problemOfItems(item) }),
    encode: (writer, items) => {
      for (const one of items) encode(writer, one);
    },
    schema: z.array(item.schema),
    scalar: typeof scalar === "string" ? [scalar] : undefined,
    json: (start, end) => (writer, bytes, at) =>
      writeItems(writer, item.json, bytes, start(bytes, at), end(bytes, at), sizeOfItem),
  };
}

/** The first problem of consecutive items. */
function problemOfItems({ size, problem }: Field<unknown>) {
  return (bytes: Buffer, start: number, end: number): string | undefined => {
    for (let offset = start; offset < end; offset += size) {
      const found = problem!(bytes, offset, false);
      if (found) return `has an item whose ${found}`;
    }
    return undefined;
  };
}

/** A value that is there while the field `flag` is not 0; otherwise it is `none`, which JSON shows as 0. */
export function whileSet<Value>(flag: string, codec: Codec<Value, string>, none: Value): VaryingCodec<Value, string> {
  const encode = makeEncoder(codec);
  return {
    item: codec,
    count: flag,
    sizeAt: (isSet) => (isSet ? codec.size : 0),
    read: (bytes, start, end) => (end > start ? codec.read(bytes, start) : none),
    encode: (writer, value, isSet) => {
      if (isSet) encode(writer, value);
    },
    schema: codec.schema,
    scalar: codec.scalar,
    json: (start, end) => (writer, bytes, at) => {
      const from = start(bytes, at);
      return end(bytes, at) > from ? codec.json(writer, bytes, from) : writer.decimal(0);
    },
  };
}

/** The same for mosaics, without duplicates and with ascending ids. */
export function ascending<List extends VaryingCodec<unknown, unknown>>(list: List): List {
  const { size } = list.item!;
  return {
    ...list,
    problem: (bytes, start, end) => {
      for (let offset = start + size; offset < end; offset += size) {
        const isAscending = bytes.readBigUInt64LE(offset - size) < bytes.readBigUInt64LE(offset);
        if (!isAscending) return "are not sorted by id";
      }
      return undefined;
    },
  };
}
