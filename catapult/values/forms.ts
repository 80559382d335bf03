import { z } from "zod";
import { hexOf, idOf, object, uint8Of, uint16Of, uint32Of, uint64Of, type Write, writeItems } from "./body-writer.js";
import * as schemas from "./scalars.js";

/*
 * The forms of values: how many bytes a value has, how it is read from them and written as JSON, and the schemas of its
 * JSON and GraphQL types. A noun (`catapult/nouns/`) is a list of these.
 */

/** A field of an entity with a fixed size, in bytes. */
export interface Field<Value> {
  readonly size: number;
  read(bytes: Buffer, offset: number): Value;
  /** Why these bytes are not a valid field; `isStrict` if they were announced, see `Reading`. */
  problem?(bytes: Buffer, offset: number, isStrict: boolean): string | undefined;
}

/** Consecutive values after the fixed fields of an entity; a field has their number. */
export interface Tail<Value> {
  readonly item: Field<unknown>;
  /** Name of the field with the number of items, or `rest` if they fill the entity. */
  readonly count: string;
  read(bytes: Buffer, start: number, end: number): Value;
  problem?(bytes: Buffer, start: number, end: number): string | undefined;
}

/** A GraphQL scalar, with `?` for a member that not all have. */
export type Scalar =
  | "Int"
  | "SafeInt"
  | "UInt64"
  | "UInt64?"
  | "Address"
  | "Hash256"
  | "PublicKey"
  | "Signature"
  | "ArtifactId"
  | "ArtifactId?"
  | "Hex"
  | "Hex?"
  | "String";

/** What JSON and GraphQL show of a value. */
export interface Shown<Json> {
  readonly schema: z.ZodType<Json>;
  /** Undefined for an object, or a list of them: GraphQL has types of its own for those. */
  readonly scalar: Scalar | readonly [Scalar] | undefined;
  /** In one sentence: see `member`. */
  readonly meaning?: string;
}

/** A field that JSON and GraphQL show. */
export interface Form<Value, Json> extends Field<Value>, Shown<Json> {
  /** Writes it as JSON, from the bytes at an offset in the source. */
  readonly writer: (offset: number) => Write<Buffer, Json>;
}

/** A position in the bytes that contain an entity at `at`. */
export type Position = (bytes: Buffer, at: number) => number;

/** A tail that JSON and GraphQL show. */
export interface TailForm<Value, Json> extends Tail<Value>, Shown<Json> {
  readonly writer: (start: Position, end: Position) => Write<Buffer, Json>;
}

/** A form that a noun shows, and what it means there. */
export function member<F extends Shown<unknown>>(form: F, meaning: string): F & { readonly meaning: string } {
  return { ...form, schema: form.schema.describe(meaning), meaning };
}

/** A tail that bodies lack if it is empty. */
export function unlessEmpty<F extends TailForm<unknown, unknown>>(form: F): F & { readonly isOptional: true } {
  return { ...form, scalar: `${form.scalar as "Hex"}?`, isOptional: true };
}

export const uint8: Field<number> = { size: 1, read: (bytes, offset) => bytes[offset]! };
export const int8: Field<number> = { size: 1, read: (bytes, offset) => bytes.readInt8(offset) };
export const uint16: Field<number> = { size: 2, read: (bytes, offset) => bytes.readUInt16LE(offset) };
export const int16: Field<number> = { size: 2, read: (bytes, offset) => bytes.readInt16LE(offset) };
export const uint32: Field<number> = { size: 4, read: (bytes, offset) => bytes.readUInt32LE(offset) };
export const uint64: Field<bigint> = { size: 8, read: (bytes, offset) => bytes.readBigUInt64LE(offset) };

/** The writers of the usual ones, which know their size. */
const NUMBER_WRITERS = new Map([
  [uint8, uint8Of],
  [uint16, uint16Of],
  [uint32, uint32Of],
]);

/** A number in JSON. */
export function number(field: Field<number>, schema: z.ZodType<number>, scalar: Scalar = "Int"): Form<number, number> {
  const writer =
    (offset: number): Write<Buffer, number> =>
    (writer, bytes, at) =>
      writer.number(field.read(bytes, at + offset));
  return { ...field, schema, scalar, writer: NUMBER_WRITERS.get(field) ?? writer };
}

/** A byte with the values from 0 to `most`. */
function choice(most: number, schema: z.ZodType<number>): Form<number, number> {
  const problem = (bytes: Buffer, offset: number) =>
    bytes[offset]! > most ? `is ${bytes[offset]}, above the maximum of ${most}` : undefined;
  return { ...number(uint8, schema), problem };
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
export function hexForm(size: number, schema: z.ZodType<string>, scalar: Scalar): Form<Buffer, string> {
  const read = (bytes: Buffer, offset: number) => bytes.subarray(offset, offset + size);
  return { size, read, schema, scalar, writer: (offset) => hexOf(offset, offset + size) };
}

/** 64 bits that JSON shows as hex digits. */
function idForm(schema: z.ZodType<string>): Form<bigint, string> {
  return { ...uint64, schema, scalar: "ArtifactId", writer: idOf };
}

/** 64 bits that JSON shows as decimal digits. */
export function decimalForm(schema: z.ZodType<string>, scalar: Scalar): Form<bigint, string> {
  return { ...uint64, schema, scalar, writer: uint64Of };
}

export const address = hexForm(24, schemas.AddressHex, "Address");
export const unresolvedAddress = hexForm(24, schemas.UnresolvedAddress, "Address");
export const hash = hexForm(32, schemas.Hash256, "Hash256");
export const publicKey = hexForm(32, schemas.PublicKey, "PublicKey");
export const signature = hexForm(64, schemas.Signature, "Signature");

export const mosaicId = idForm(schemas.MosaicId);
export const unresolvedMosaicId = idForm(schemas.UnresolvedMosaicId);
export const namespaceId = idForm(schemas.NamespaceId);
export const metadataKey = idForm(schemas.MetadataKey);
export const restrictionKey = idForm(schemas.RestrictionKeyHex);

export const decimal = decimalForm(schemas.UInt64, "UInt64");
export const amount = decimalForm(schemas.Amount, "UInt64");
/** Nullable in GraphQL wherever it is: not every namespace has one, and contents can be selected together. */
export const duration = decimalForm(schemas.BlockDuration, "UInt64?");

/** A mosaic id, not resolved, and an amount in atomic units. */
export interface MosaicAmount {
  readonly mosaicId: bigint;
  readonly amount: bigint;
}

/** A signature of an aggregate by another account than its signer. */
export interface CosignatureFields {
  readonly version: bigint;
  readonly signerPublicKey: Buffer;
  readonly signature: Buffer;
}

const UnresolvedMosaic = z
  .object({
    id: schemas.UnresolvedMosaicId.describe("Id of the mosaic, or of a namespace that is its alias."),
    amount: schemas.Amount,
  })
  .meta({ id: "UnresolvedMosaic", description: "Amount of a mosaic, as in the transaction." });

export const mosaic: Form<MosaicAmount, z.infer<typeof UnresolvedMosaic>> = {
  size: 16,
  read: (bytes, offset) => ({
    mosaicId: bytes.readBigUInt64LE(offset),
    amount: bytes.readBigUInt64LE(offset + 8),
  }),
  schema: UnresolvedMosaic,
  scalar: undefined,
  writer: (offset) => object({ id: idOf(offset), amount: uint64Of(offset + 8) }),
};

export const CosignatureDTO = z
  .object({
    version: schemas.UInt64.describe("0."),
    signerPublicKey: schemas.PublicKey.describe("Public key of the cosigner."),
    signature: schemas.Signature.describe("Signature of the aggregate's hash."),
  })
  .meta({ id: "CosignatureDTO", description: "Cosignature of an aggregate." });

export const cosignature: Form<CosignatureFields, z.infer<typeof CosignatureDTO>> = {
  size: 104,
  read: (bytes, offset) => ({
    version: bytes.readBigUInt64LE(offset),
    signerPublicKey: bytes.subarray(offset + 8, offset + 40),
    signature: bytes.subarray(offset + 40, offset + 104),
  }),
  schema: CosignatureDTO,
  scalar: undefined,
  writer: (offset) =>
    object({
      version: uint64Of(offset),
      signerPublicKey: hexOf(offset + 8, offset + 40),
      signature: hexOf(offset + 40, offset + 104),
    }),
};

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

/** As many bytes as the field `count` says. */
export function bytesOf(count: string): TailForm<Buffer, string> {
  return {
    item: uint8,
    count,
    read: (bytes, start, end) => bytes.subarray(start, end),
    schema: schemas.Hex,
    scalar: "Hex",
    writer: (start, end) => (writer, bytes, at) => writer.hex(bytes, start(bytes, at), end(bytes, at)),
  };
}

/** The same that JSON shows as the UTF-8 text that they are. */
export function textOf(count: string): TailForm<Buffer, string> {
  return {
    ...bytesOf(count),
    schema: z.string(),
    scalar: "String",
    writer: (start, end) => (writer, bytes, at) =>
      writer.string(bytes.toString("utf8", start(bytes, at), end(bytes, at))),
  };
}

/** As many items as the field `count` says. */
export function listOf<Value, Json>(item: Form<Value, Json>, count: string): TailForm<Value[], readonly Json[]> {
  const { size, scalar } = item;
  const write = item.writer(0);
  return {
    item,
    count,
    read: (bytes, start, end) => {
      const items: Value[] = [];
      for (let offset = start; offset < end; offset += size) items.push(item.read(bytes, offset));
      return items;
    },
    schema: z.array(item.schema),
    scalar: typeof scalar === "string" ? [scalar] : undefined,
    writer: (start, end) => (writer, bytes, at) =>
      writeItems(writer, write, bytes, start(bytes, at), end(bytes, at), () => size),
  };
}

/** The same for mosaics, without duplicates and with ascending ids. */
export function ascendingMosaics(count: string): TailForm<MosaicAmount[], readonly z.infer<typeof UnresolvedMosaic>[]> {
  return {
    ...listOf(mosaic, count),
    problem: (bytes, start, end) => {
      for (let offset = start + mosaic.size; offset < end; offset += mosaic.size) {
        const isAscending = bytes.readBigUInt64LE(offset - mosaic.size) < bytes.readBigUInt64LE(offset);
        if (!isAscending) return "are not sorted by id";
      }
      return undefined;
    },
  };
}
