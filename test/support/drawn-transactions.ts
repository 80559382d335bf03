import { EMBEDDED, TRANSACTION, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { TRANSACTION_LAYOUTS, type TransactionLayout } from "../../catapult/structs/transaction-types.js";
import { isAggregateType } from "../../catapult/structs/type-names.js";
import type { VaryingField } from "../../catapult/values/codecs.js";
import { makeAggregate } from "./made-transaction.js";
import type { SeededRandom } from "./seeded-random.js";

/** The layouts of all types. */
export const LAYOUTS: readonly TransactionLayout[] = Object.values(TRANSACTION_LAYOUTS);

/** Draws the bytes of transactions; all fields are within their ranges. */
export class TransactionDrawing {
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  draw(layout: TransactionLayout, isEmbedded: boolean): Buffer {
    const header = this.#bytes(isEmbedded ? EMBEDDED.headerSize : TRANSACTION.headerSize);
    const at = isEmbedded ? EMBEDDED : VERIFIABLE;
    for (const offset of [at.headerReserved, at.bodyReserved]) header.writeUInt32LE(0, offset);
    header.writeUInt8(layout.versions[0]!, at.version);
    header.writeUInt8(152, at.network);
    header.writeUInt16LE(layout.type, at.type);
    const lists = Object.values(layout.fields).flatMap((field) =>
      "size" in field ? [] : [{ field, count: this.#below(4) }],
    );
    const fields = Object.entries(layout.fields).flatMap(([name, field]) => {
      if (!("size" in field)) return [];
      const bytes = this.#bytes(field.size);
      const list = lists.find((one) => one.field.count === name);
      if (list) bytes.writeUIntLE(list.count, 0, field.size);
      else if (field.problem?.(bytes, 0, true)) bytes.fill(0);
      return bytes;
    });
    const items = lists.map(({ field, count }) => this.#items(field, count));
    return sized(Buffer.concat([header, ...fields, ...items]));
  }

  /** A copy with a change: a byte, the type, the version, or the length. */
  change(bytes: Buffer, isEmbedded: boolean): Buffer {
    const at = isEmbedded ? EMBEDDED : VERIFIABLE;
    const copy = Buffer.from(bytes);
    const headerSize = isEmbedded ? EMBEDDED.headerSize : TRANSACTION.headerSize;
    switch (this.#below(6)) {
      case 0:
        copy.writeUInt16LE(LAYOUTS[this.#below(LAYOUTS.length)]!.type, at.type);
        return isAggregateType(copy.readUInt16LE(at.type)) ? bytes : copy;
      case 1:
        copy.writeUInt8(this.#below(4), at.version);
        return copy;
      case 2:
        return sized(Buffer.concat([copy, this.#bytes(1 + this.#below(40))]));
      case 3:
        return sized(copy.subarray(0, headerSize + this.#below(copy.length - headerSize)));
      case 4:
        copy[headerSize + this.#below(copy.length - headerSize)]! ^= 1 << this.#below(8);
        return copy;
      default: {
        const offset = 4 + this.#below(copy.length - 4);
        copy[offset]! ^= 1 + this.#below(255);
        return isAggregateType(copy.readUInt16LE(at.type)) ? bytes : copy;
      }
    }
  }

  #items({ item, problem }: VaryingField<unknown>, count: number): Buffer {
    const items = Array.from({ length: count }, () => this.#bytes(item!.size));
    const all = Buffer.concat(items);
    return problem?.(all, 0, all.length) ? Buffer.concat(items.sort(compareIds)) : all;
  }

  #bytes(length: number): Buffer {
    return this.#random.bytes(length);
  }

  #below(limit: number): number {
    return this.#random.below(limit);
  }
}

function compareIds(left: Buffer, right: Buffer): number {
  return left.readBigUInt64LE() < right.readBigUInt64LE() ? -1 : 1;
}

function sized(bytes: Buffer): Buffer {
  bytes.writeUInt32LE(bytes.length, 0);
  return bytes;
}

const NETWORK = { identifier: 152, generationHashSeed: Buffer.alloc(32) };
const KEYS = { publicKey: Buffer.alloc(32), privateKey: Buffer.alloc(32), sign: () => Buffer.alloc(64) };

/** An aggregate with one embedded transaction. */
export function aggregateOf(embedded: Buffer): Buffer {
  return makeAggregate([embedded], { signer: KEYS, version: 2 }, NETWORK);
}
