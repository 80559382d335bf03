import { expect, test } from "@jest/globals";
import { decodeBlock } from "../../catapult/entity/block.js";
import { EntityError } from "../../catapult/entity/entity-error.js";
import { AGGREGATE, EMBEDDED, TRANSACTION, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import type { BlockTransaction, NetworkIdentity } from "../../catapult/entity/model.js";
import { asAggregate, decodeTransaction, embeddedRanges, type Reading } from "../../catapult/entity/transaction.js";
import { TRANSACTION_LAYOUTS, type TransactionLayout } from "../../catapult/structs/transaction-types.js";
import { isAggregateType } from "../../catapult/structs/type-names.js";
import type { VaryingField } from "../../catapult/values/codecs.js";
import {
  describeMainNetwork,
  describeRecorded,
  describeTestNetwork,
  describeVectors,
} from "../support/describe-chains.js";
import { MAIN_NETWORK, TEST_NETWORK } from "../support/main-network.js";
import { type PlainFields, readBySdk, readByUs, SDK_TYPES } from "../support/sdk-oracle.js";
import { SeededRandom } from "../support/seeded-random.js";

/** The layouts of all types. */
const LAYOUTS: readonly TransactionLayout[] = Object.values(TRANSACTION_LAYOUTS);

/** Draws the bytes of transactions; all fields are within their ranges. */
class TransactionDrawing {
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

/** An aggregate with one embedded transaction. */
function aggregateOf(embedded: Buffer): Buffer {
  const header = Buffer.alloc(AGGREGATE.headerSize);
  const padding = Buffer.alloc((8 - (embedded.length % 8)) % 8);
  header.writeUInt8(2, VERIFIABLE.version);
  header.writeUInt8(152, VERIFIABLE.network);
  header.writeUInt16LE(TRANSACTION_LAYOUTS.aggregate_complete.type, VERIFIABLE.type);
  header.writeUInt32LE(embedded.length + padding.length, AGGREGATE.payloadSize);
  return sized(Buffer.concat([header, embedded, padding]));
}

const network: NetworkIdentity = { identifier: 152, generationHashSeed: Buffer.alloc(32, 7) };
/** Of the main network's first block, which has thousands of each of its few types: those that `npm test` draws. */
const FIRST_TRANSACTIONS = 3_000;

/** Compares every field of transactions, and of embedded ones, with what `symbol-sdk` decodes; returns their number. */
function compareAll(transactions: readonly BlockTransaction[]): number {
  let count = 0;
  for (const { entity, bytes, embedded } of transactions) {
    const aggregate = asAggregate(entity);
    if (!aggregate) expect(readByUs(entity)).toEqual(readBySdk(bytes, false));
    const ranges = aggregate ? embeddedRanges(bytes) : [];
    expect(ranges.length).toBe(embedded.length);
    for (const [index, { start, end }] of ranges.entries())
      expect(readByUs(embedded[index]!.entity)).toEqual(readBySdk(bytes.subarray(start, end), true));
    count += 1 + embedded.length;
  }
  return count;
}

test("the layouts cover all types and versions of symbol-sdk", () => {
  const ours = LAYOUTS.flatMap(({ type, versions, isTopLevelOnly }) =>
    versions.flatMap((version) =>
      [false, ...(isTopLevelOnly ? [] : [true])].map((isEmbedded) => ({ type, version, isEmbedded })),
    ),
  );
  const order = (one: object) => JSON.stringify(one);
  expect(ours.map(order).sort()).toEqual(SDK_TYPES.map(order).sort());
});

describeVectors("published transactions", "transactions", (vectors) => {
  test("have the fields that symbol-sdk decodes", () => {
    const transactions = vectors.map(({ payload }) => decodeTransaction(Buffer.from(payload, "hex"), network));
    expect(compareAll(transactions)).toBeGreaterThan(vectors.length);
  });
});

describeRecorded("recorded transactions", (chain) => {
  test("have the fields that symbol-sdk decodes", () => {
    const blocks = chain.blocks().map(({ block }) => decodeBlock(block, chain.network));
    const { topLevel, embedded } = chain.counts();
    expect(compareAll(blocks.flatMap(({ transactions }) => transactions))).toBe(topLevel + embedded);
  });
});

describeMainNetwork("the main network's first transactions", (files) => {
  test("have the fields that symbol-sdk decodes", () => {
    const { transactions } = decodeBlock(files.block, MAIN_NETWORK);
    expect(transactions.reduce((count, { embedded }) => count + 1 + embedded.length, 0)).toBe(26_318);
    const drawn = new SeededRandom().sample(transactions, FIRST_TRANSACTIONS);
    expect(compareAll(drawn)).toBeGreaterThanOrEqual(drawn.length);
  });
});

describeTestNetwork("the test network's first transactions", (stored) => {
  test("have the fields that symbol-sdk decodes", () => {
    const block = stored.subarray(0, stored.readUInt32LE());
    expect(compareAll(decodeBlock(block, TEST_NETWORK).transactions)).toBeGreaterThan(10);
  });
});

function readByUsAs(bytes: Buffer, isEmbedded: boolean, reading: Reading): PlainFields | undefined {
  try {
    const { entity, embedded } = decodeTransaction(isEmbedded ? aggregateOf(bytes) : bytes, network, { reading });
    return readByUs(isEmbedded ? embedded[0]!.entity : entity);
  } catch (error) {
    if (reading === "announced" && error instanceof EntityError) return undefined;
    throw error;
  }
}

/** Whether the reserved bytes that the node checks are zero, and the network is ours: else an announcement is rejected. */
function isPlain(bytes: Buffer, isEmbedded: boolean): boolean {
  const at = isEmbedded ? EMBEDDED : VERIFIABLE;
  const body = isEmbedded ? EMBEDDED.headerSize : TRANSACTION.headerSize;
  const isTransfer = bytes.readUInt16LE(at.type) === TRANSACTION_LAYOUTS.transfer.type;
  const isBodyPlain = !isTransfer || [27, 28, 29, 31].every((offset) => bytes[body + offset] === 0);
  return isBodyPlain && bytes[at.network] === 152;
}

test("transactions with random fields are decoded as by symbol-sdk; what it cannot decode is rejected here too", () => {
  const random = new SeededRandom();
  const drawing = new TransactionDrawing(random);
  const counts = { read: 0, unknown: 0, rejected: 0 };
  for (const layout of LAYOUTS.filter(({ isTopLevelOnly }) => !isTopLevelOnly)) {
    for (let round = 0; round < 120; ++round) {
      const isEmbedded = round % 2 === 1;
      const sound = drawing.draw(layout, isEmbedded);
      const bytes = round < 20 ? sound : drawing.change(sound, isEmbedded);
      const expected = readBySdk(bytes, isEmbedded);
      if (round < 20) expect(expected).toBeDefined();
      const name = bytes.toString("hex");
      expect([name, readByUsAs(bytes, isEmbedded, "accepted")]).toEqual([name, expected]);
      const announced = isPlain(bytes, isEmbedded) ? expected : undefined;
      expect([name, readByUsAs(bytes, isEmbedded, "announced")]).toEqual([name, announced]);
      counts[expected ? "read" : "unknown"] += 1;
      counts.rejected += Number(!announced);
    }
  }
  expect(counts.read).toBeGreaterThan(800);
  expect(counts.unknown).toBeGreaterThan(300);
  expect(counts.rejected).toBeGreaterThan(counts.unknown);
});
