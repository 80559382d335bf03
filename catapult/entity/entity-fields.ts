/** A field of an entity with a fixed size. */
export interface Field<T> {
  readonly size: number;
  read(bytes: Buffer, offset: number): T;
  /** Why these bytes are not a valid field; `isStrict` if they were announced, see `Reading`. */
  problem?(bytes: Buffer, offset: number, isStrict: boolean): string | undefined;
}

/** Consecutive values after the fixed fields of an entity; a field has their number. */
export interface Tail<T> {
  readonly item: Field<unknown>;
  /** Name of the field with the number of items, or `rest` if they fill the entity. */
  readonly count: string;
  read(bytes: Buffer, start: number, end: number): T;
  problem?(bytes: Buffer, start: number, end: number): string | undefined;
}

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

export const uint8: Field<number> = { size: 1, read: (bytes, offset) => bytes[offset]! };
export const int8: Field<number> = { size: 1, read: (bytes, offset) => bytes.readInt8(offset) };
export const uint16: Field<number> = { size: 2, read: (bytes, offset) => bytes.readUInt16LE(offset) };
export const int16: Field<number> = { size: 2, read: (bytes, offset) => bytes.readInt16LE(offset) };
export const uint32: Field<number> = { size: 4, read: (bytes, offset) => bytes.readUInt32LE(offset) };
export const uint64: Field<bigint> = { size: 8, read: (bytes, offset) => bytes.readBigUInt64LE(offset) };

/** A view of this number of bytes of the entity. */
export function bytesField(size: number): Field<Buffer> {
  return { size, read: (bytes, offset) => bytes.subarray(offset, offset + size) };
}

export const address = bytesField(24);
export const hash = bytesField(32);
export const publicKey = bytesField(32);
export const signature = bytesField(64);

export const mosaic: Field<MosaicAmount> = {
  size: 16,
  read: (bytes, offset) => ({
    mosaicId: bytes.readBigUInt64LE(offset),
    amount: bytes.readBigUInt64LE(offset + 8),
  }),
};

export const cosignature: Field<CosignatureFields> = {
  size: 104,
  read: (bytes, offset) => ({
    version: bytes.readBigUInt64LE(offset),
    signerPublicKey: bytes.subarray(offset + 8, offset + 40),
    signature: bytes.subarray(offset + 40, offset + 104),
  }),
};

/** A byte with the values from 0 to `most`. */
export function oneOf(most: number): Field<number> {
  return {
    ...uint8,
    problem: (bytes, offset) => {
      const value = bytes[offset]!;
      return value > most ? `is ${value}, above the maximum of ${most}` : undefined;
    },
  };
}

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
export function bytesOf(count: string): Tail<Buffer> {
  return { item: uint8, count, read: (bytes, start, end) => bytes.subarray(start, end) };
}

/** As many items as the field `count` says. */
export function listOf<T>(item: Field<T>, count: string): Tail<T[]> {
  return {
    item,
    count,
    read: (bytes, start, end) => {
      const items: T[] = [];
      for (let offset = start; offset < end; offset += item.size) items.push(item.read(bytes, offset));
      return items;
    },
  };
}

/** The same for mosaics, without duplicates and with ascending ids. */
export function ascendingMosaics(count: string): Tail<MosaicAmount[]> {
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
