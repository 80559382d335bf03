import { describe, expect, test } from "@jest/globals";
import { models } from "symbol-sdk/symbol";
import { decodeBlock } from "../../catapult/entity/block.js";
import { isKnownBlock } from "../../catapult/entity/block-entity.js";
import { EntityError } from "../../catapult/entity/entity-error.js";
import { BLOCK, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { asAggregate, decodeTransaction } from "../../catapult/entity/transaction.js";
import type { TransactionEntity } from "../../catapult/entity/transaction-entity.js";
import { BLOCK_TYPE } from "../../catapult/structs/type-names.js";
import { describeRecorded, describeVectors } from "../support/describe-chains.js";
import { readBlockBySdk, readBlockByUs } from "../support/sdk-oracle.js";

const network: NetworkIdentity = { identifier: 152, generationHashSeed: Buffer.alloc(32, 7) };

const BLOCK_NAMES = new Map<number, string>([
  [BLOCK_TYPE.nemesis, "NemesisBlockV1"],
  [BLOCK_TYPE.normal, "NormalBlockV1"],
  [BLOCK_TYPE.importance, "ImportanceBlockV1"],
]);

function fieldOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof EntityError) return error.field;
    throw error;
  }
  return "accepted";
}

function changed(bytes: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  change(copy);
  return copy;
}

describeVectors("published blocks", "blocks", (vectors) => {
  test.each(vectors.map((vector) => [vector.schema_name, vector] as const))("%s", (name, vector) => {
    const bytes = Buffer.from(vector.payload, "hex");
    // The vectors' timestamps are larger than any real one, and rejected.
    expect(fieldOf(() => decodeBlock(bytes, network))).toBe("block.timestamp");
    bytes.writeBigUInt64LE(123n, BLOCK.height + 8);
    const block = decodeBlock(bytes, network);
    expect(BLOCK_NAMES.get(block.entity.type)).toBe(name);
    expect(readBlockByUs(block.entity)).toEqual(readBlockBySdk(bytes, block.headerSize));
  });
});

describeRecorded("the recorded chain", (chain) => {
  const recorded = chain.blocks();
  const blocks = recorded.map(({ block }) => decodeBlock(block, chain.network));

  test("has the headers that symbol-sdk reads", () => {
    for (const { entity, bytes, headerSize } of blocks)
      expect(readBlockByUs(entity)).toEqual(readBlockBySdk(bytes, headerSize));
  });

  test("can be decoded from memory of any alignment", () => {
    const { block } = recorded.find(({ height }) => height === 500)!;
    for (let shift = 1; shift < 8; ++shift) {
      const shifted = Buffer.concat([Buffer.alloc(shift), block]).subarray(shift);
      expect(decodeBlock(shifted, chain.network).hash.equals(blocks[499]!.hash)).toBe(true);
    }
  });

  test("is rejected when it is malformed, and the field is named", () => {
    const bytes = blocks.find((block) => block.height > 1 && block.transactions.length > 3)!.bytes;
    const decode = (change: (copy: Buffer) => void) =>
      fieldOf(() => decodeBlock(changed(bytes, change), chain.network));
    expect(fieldOf(() => decodeBlock(bytes.subarray(0, -1), chain.network))).toBe("block.size");
    expect(fieldOf(() => decodeBlock(Buffer.alloc(0), chain.network))).toBe("block.size");
    expect(fieldOf(() => decodeBlock(Buffer.alloc(3), chain.network))).toBe("block.size");
    expect(decode((copy) => copy.writeUInt32LE(0xffffffff, 0))).toBe("block.size");
    expect(decode((copy) => copy.writeBigUInt64LE(2n ** 63n, BLOCK.height))).toBe("block.height");
    expect(decode((copy) => copy.writeUInt32LE(127, BLOCK.normalHeaderSize))).toBe("transactions[0].size");
    expect(decode((copy) => copy.writeUInt32LE(0x7fffffff, BLOCK.normalHeaderSize))).toBe("transactions[0].size");
    // A block of an unknown type is decoded only as far as the header, after which the transactions begin.
    expect(decode((copy) => copy.writeUInt16LE(0x8343, VERIFIABLE.type))).toBe("accepted");
    const noTransactions = (copy: Buffer) => {
      copy.writeUInt16LE(0x8343, VERIFIABLE.type);
      copy.fill(1, BLOCK.transactionsHash, BLOCK.transactionsHash + 32);
    };
    expect(decode(noTransactions)).toBe("transactionsHash");
  });

  test("is decoded whatever its fields contain, and unknown parts as far as their header", () => {
    const bytes = blocks.find((block) => block.height > 1 && block.transactions.length > 3)!.bytes;
    const first = BLOCK.normalHeaderSize;
    const decode = (change: (copy: Buffer) => void) => {
      const copy = changed(bytes, change);
      const block = decodeBlock(copy, chain.network);
      expect(block.bytes).toEqual(copy);
      return block;
    };
    for (const offset of [VERIFIABLE.headerReserved, VERIFIABLE.bodyReserved, BLOCK.footer]) {
      const { entity } = decode((copy) => copy.writeUInt8(1, offset));
      expect(readBlockByUs(entity)).toEqual(readBlockBySdk(bytes, first));
    }
    const odd = decode((copy) => {
      copy.writeUInt8(2, VERIFIABLE.version);
      copy.writeUInt8(104, VERIFIABLE.network);
    });
    expect([odd.entity.version, odd.entity.network, isKnownBlock(odd.entity)]).toEqual([2, 104, false]);
    expect(decode((copy) => copy.writeUInt8(3, first + VERIFIABLE.bodyReserved)).transactions[0]!.entity.kind).toBe(
      blocks.find(({ bytes: own }) => own === bytes)!.transactions[0]!.entity.kind,
    );
    const unknown = [
      decode((copy) => copy.writeUInt16LE(0x4999, first + VERIFIABLE.type)),
      decode((copy) => copy.writeUInt8(9, first + VERIFIABLE.version)),
    ];
    for (const { transactions } of unknown) {
      const { entity, bytes: own } = transactions[0]!;
      expect(entity.kind === "unknown" && entity.payload).toEqual(own.subarray(128));
      expect(entity.size).toBe(own.length);
      expect(transactions).toHaveLength(blocks.find(({ bytes: b }) => b === bytes)!.transactions.length);
    }
  });
});

test("account operation restrictions may name unknown transaction types", () => {
  const restriction = new models.AccountOperationRestrictionTransactionV1();
  restriction.network = models.NetworkType.TESTNET;
  restriction.restrictionFlags = new models.AccountRestrictionFlags(0x4004);
  restriction.restrictionAdditions = [models.TransactionType.TRANSFER, new models.TransactionType(0x4fff)];
  restriction.restrictionDeletions = [new models.TransactionType(0x4001)];
  const decoded = decodeTransaction(Buffer.from(restriction.serialize()), network);
  const entity = decoded.entity as TransactionEntity<"account_operation_restriction">;
  expect(entity.restrictionAdditions).toEqual([0x4154, 0x4fff]);
  expect(entity.restrictionDeletions).toEqual([0x4001]);
});

describe("aggregates", () => {
  function aggregateOf(...names: string[]): models.AggregateCompleteTransactionV2 {
    const aggregate = new models.AggregateCompleteTransactionV2();
    aggregate.network = models.NetworkType.TESTNET;
    aggregate.transactions = names.map((name) => {
      const registration = new models.EmbeddedNamespaceRegistrationTransactionV1();
      registration.network = models.NetworkType.TESTNET;
      registration.name = new TextEncoder().encode(name);
      return registration;
    });
    aggregate.cosignatures = [new models.Cosignature()];
    return aggregate;
  }

  const bytes = Buffer.from(aggregateOf("a", "bcd").serialize());
  const decode = (change: (copy: Buffer) => void) => fieldOf(() => decodeTransaction(changed(bytes, change), network));

  test("are decoded with their embedded transactions and cosignatures", () => {
    const { embedded, entity } = decodeTransaction(bytes, network);
    expect(embedded.map((inner) => inner.index)).toEqual([0, 1]);
    expect(asAggregate(entity)?.cosignatures).toHaveLength(1);
  });

  test("may have any reserved bytes in their headers, and any padding between their transactions", () => {
    const firstSize = bytes.readUInt32LE(168);
    for (const offset of [4, 104, 164, 168 + 4, 168 + 40, 168 + firstSize]) {
      const { embedded } = decodeTransaction(
        changed(bytes, (copy) => copy.writeUInt8(1, offset)),
        network,
      );
      expect(embedded).toHaveLength(2);
    }
  });

  test("are rejected with the field if an embedded part is malformed", () => {
    const firstSize = bytes.readUInt32LE(168);
    expect(decode((copy) => copy.writeUInt32LE(bytes.readUInt32LE(160) + 4, 160))).toBe("transaction.payloadSize");
    expect(decode((copy) => copy.writeUInt32LE(bytes.readUInt32LE(160) + 8, 160))).toBe("transaction.cosignatures");
    expect(decode((copy) => copy.writeUInt32LE(0xfffffff8, 160))).toBe("transaction.payloadSize");
    expect(decode((copy) => copy.writeUInt32LE(47, 168))).toBe("transaction.embedded[0].size");
    expect(decode((copy) => copy.writeUInt8(104, 168 + 45))).toBe("transaction.embedded[0].network");
    expect(decode((copy) => copy.writeUInt16LE(0x4141, 168 + 46))).toBe("transaction.embedded[0].type");
    expect(decode((copy) => copy.writeUInt8(2, 168 + 44))).toBe("transaction.embedded[0].version");
    expect(decode((copy) => copy.writeUInt8(250, 168 + firstSize - 2))).toBe("transaction.embedded[0].size");
  });
});
