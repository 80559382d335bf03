import { expect, test } from "@jest/globals";
import { AGGREGATE, BLOCK, paddingSize, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import type { NetworkIdentity, VerifiedBlock } from "../../catapult/entity/model.js";
import { embeddedRanges } from "../../catapult/entity/transaction.js";
import { embeddedTransactionsHash } from "../../catapult/verify/aggregate-hash.js";
import { BlockRejectedError, type BlockToVerify, verifyBlock } from "../../catapult/verify/verify.js";
import { describeRecorded, describeTestNetwork } from "../support/describe-chains.js";
import { SeededRandom } from "../support/seeded-random.js";
import { uncoveredInHeader, uncoveredInTransaction } from "../support/uncovered-bytes.js";

function rejectionOf(run: () => unknown): BlockRejectedError {
  try {
    run();
  } catch (error) {
    if (error instanceof BlockRejectedError) return error;
    throw error;
  }
  throw new Error("the block was accepted");
}

/** Possible field names for a changed byte of a header; later bytes belong to transactions. */
const FIELDS_BY_OFFSET: readonly (readonly [end: number, fields: readonly string[]])[] = [
  [4, ["block.size"]],
  [104, ["signature"]],
  [110, ["signature"]],
  // The header of another type has another length.
  [112, ["type", "signature", "transactionsHash", "transactions[0].size", "block.size"]],
  [120, ["height", "block.height", "type"]],
  [128, ["timestamp", "block.timestamp", "signature"]],
  [216, ["signature"]],
  [248, ["previousHash"]],
  [280, ["transactionsHash"]],
  [312, ["receiptsHash"]],
  [368, ["signature"]],
  [372, ["totalFee", "signature"]],
  [376, ["signature"]],
];

describeRecorded("the recorded chain", (chain) => {
  const { network } = chain;
  const recorded = chain.blocks();
  const verified: VerifiedBlock[] = [];
  for (const { block: bytes, statement: statementBytes } of recorded) {
    const previous = verified.at(-1);
    verified.push(verifyBlock({ bytes, statementBytes, network, ...(previous && { previous }) }));
  }
  const optionsAt = (height: number): BlockToVerify => ({
    bytes: recorded[height - 1]!.block,
    statementBytes: recorded[height - 1]!.statement,
    network,
    ...(height > 1 && { previous: verified[height - 2]! }),
  });
  const heightsWithAggregates = verified
    .filter((block) => block.transactions.some((transaction) => transaction.embedded.length > 1))
    .map((block) => block.height);

  test("is accepted, every block of it", () => {
    expect(verified).toHaveLength(596);
    expect(verified.map((block) => block.height)).toEqual(verified.map((_, index) => index + 1));
  });

  test("has the state hash of the node's sub-cache roots", () => {
    const roots = chain.subCacheMerkleRoots();
    expect(roots).toHaveLength(9);
    expect(verifyBlock({ ...optionsAt(596), subCacheMerkleRoots: roots }).subCacheMerkleRoots).toEqual(roots);
    const wrong = [...roots.slice(0, 8), Buffer.alloc(32, 1)];
    const rejection = rejectionOf(() => verifyBlock({ ...optionsAt(596), subCacheMerkleRoots: wrong }));
    expect(rejection.field).toBe("stateHash");
    expect(rejection.height).toBe(596);
    expect(rejection.message).toMatch(
      /^block 596: stateHash is [0-9A-F]{64}, but that of the 9 sub-cache roots' hash is [0-9A-F]{64}$/,
    );
    expect(rejectionOf(() => verifyBlock({ ...optionsAt(595), subCacheMerkleRoots: roots })).field).toBe("stateHash");
  });

  test("is rejected if a block does not follow its parent", () => {
    const at = (changes: Partial<VerifiedBlock>) =>
      rejectionOf(() => verifyBlock({ ...optionsAt(300), previous: { ...verified[298]!, ...changes } })).field;
    expect(at({ height: 298 })).toBe("height");
    expect(at({ hash: Buffer.alloc(32) })).toBe("previousHash");
    expect(at({ timestamp: verified[299]!.timestamp })).toBe("timestamp");
    expect(rejectionOf(() => verifyBlock({ ...optionsAt(300), previous: verified[299]! })).field).toBe("height");
  });

  test("is rejected with another block's receipts, or none", () => {
    const options = optionsAt(heightsWithAggregates[0]!);
    const rejected = (statementBytes: Buffer) => rejectionOf(() => verifyBlock({ ...options, statementBytes })).field;
    expect(rejected(recorded[1]!.statement)).toBe("receiptsHash");
    expect(rejected(Buffer.alloc(12))).toBe("receiptsHash");
    expect(rejected(Buffer.alloc(0))).toBe("transactionStatements");
  });

  test("is rejected if any byte covered by a rule is changed", () => {
    const random = new SeededRandom();
    const heights = [
      1,
      2,
      20,
      ...[1, 2, 3, 4, 5, 6].map(() => heightsWithAggregates[random.below(heightsWithAggregates.length)]!),
    ];
    for (const height of heights) {
      const options = optionsAt(height);
      for (let i = 0; i < 40; ++i) {
        const offset = i < 12 ? random.below(BLOCK.normalHeaderSize) : random.below(options.bytes.length);
        if (uncovered(verified[height - 1]!).has(offset)) continue;
        const bytes = Buffer.from(options.bytes);
        bytes[offset]! ^= 1 + random.below(255);
        const { field } = rejectionOf(() => verifyBlock({ ...options, bytes }));
        const expected = FIELDS_BY_OFFSET.find(([end]) => offset < end)?.[1];
        const isAt =
          expected?.includes(field) ||
          (/^(transactions|totalFee|signature)/.test(field) && offset >= BLOCK.normalHeaderSize);
        if (!isAt && !(height === 1 && offset < 280)) throw new Error(`height ${height}, byte ${offset}: ${field}`);
      }
    }
  });

  test("is rejected if any byte of a statement is changed", () => {
    const random = new SeededRandom();
    const withResolutions = verified
      .filter((block) => block.statement.mosaicResolutions.length > 0)
      .map(({ height }) => height);
    for (const height of [1, 2, withResolutions[0]!, withResolutions.at(-1)!, heightsWithAggregates[3]!]) {
      const options = optionsAt(height);
      for (let i = 0; i < 40; ++i) {
        const statementBytes = Buffer.from(options.statementBytes);
        statementBytes[random.below(statementBytes.length)]! ^= 1 + random.below(255);
        const { field } = rejectionOf(() => verifyBlock({ ...options, statementBytes }));
        expect(field).toMatch(
          /^(receiptsHash|statement|(transactionStatements|addressResolutions|mosaicResolutions)\b)/,
        );
      }
    }
  });

  test("is rejected if a block is truncated anywhere", () => {
    const random = new SeededRandom();
    const options = optionsAt(heightsWithAggregates[5]!);
    for (let i = 0; i < 50; ++i) {
      const bytes = options.bytes.subarray(0, random.below(options.bytes.length));
      expect(rejectionOf(() => verifyBlock({ ...options, bytes })).field).toBe("block.size");
      const resized = Buffer.from(bytes);
      if (resized.length < 4) continue;
      resized.writeUInt32LE(resized.length, 0);
      rejectionOf(() => verifyBlock({ ...options, bytes: resized }));
    }
  });

  test("is rejected if the last transactions are repeated, although the tree has the same root", () => {
    const block = verified.find(({ transactions }) => transactions.length % 2 === 1 && transactions.length > 1)!;
    const last = block.transactions.at(-1)!.bytes;
    const bytes = Buffer.concat([block.bytes, Buffer.alloc((8 - (block.bytes.length % 8)) % 8), last]);
    bytes.writeUInt32LE(bytes.length, 0);
    const rejection = rejectionOf(() => verifyBlock({ ...optionsAt(block.height), bytes }));
    expect(rejection.message).toMatch(/transactionsHash is also the hash of a shorter list/);
  });

  test("is rejected if an aggregate's last transaction is repeated, although its hash is the same", () => {
    const block = verified.find(
      ({ transactions }) =>
        transactions[0] && transactions[0].embedded.length % 2 === 1 && transactions[0].embedded.length > 1,
    )!;
    const { bytes: aggregate } = block.transactions[0]!;
    const { start, end } = embeddedRanges(aggregate).at(-1)!;
    const last = Buffer.concat([aggregate.subarray(start, end), Buffer.alloc(paddingSize(end - start))]);
    const payloadEnd = AGGREGATE.headerSize + aggregate.readUInt32LE(AGGREGATE.payloadSize);
    const longer = Buffer.concat([aggregate.subarray(0, payloadEnd), last, aggregate.subarray(payloadEnd)]);
    longer.writeUInt32LE(longer.length, VERIFIABLE.size);
    longer.writeUInt32LE(payloadEnd - AGGREGATE.headerSize + last.length, AGGREGATE.payloadSize);
    expect(embeddedTransactionsHash(longer)).toEqual(embeddedTransactionsHash(aggregate));
    const rest = block.bytes.subarray(BLOCK.normalHeaderSize + aggregate.length);
    const bytes = Buffer.concat([block.bytes.subarray(0, BLOCK.normalHeaderSize), longer, rest]);
    bytes.writeUInt32LE(bytes.length, 0);
    expect(rejectionOf(() => verifyBlock({ ...optionsAt(block.height), bytes })).field).toBe("totalFee");
  });

  test("is the same whatever uncovered bytes contain, and every other change is still rejected", () => {
    const random = new SeededRandom();
    let accepted = 0;
    for (const height of [2, ...heightsWithAggregates.slice(0, 4)]) {
      const options: BlockToVerify = optionsAt(height);
      const offsets = uncovered(verified[height - 1]!);
      const some = random.some([...offsets], Math.min(offsets.size, 25));
      for (const offset of [...some, ...Array.from({ length: 20 }, () => random.below(options.bytes.length))]) {
        const bytes = Buffer.from(options.bytes);
        bytes[offset]! ^= 1 + random.below(255);
        try {
          const block = verifyBlock({ ...options, bytes });
          expect(block.bytes).toEqual(bytes);
          expect(block.hash).toEqual(verified[height - 1]!.hash);
          ++accepted;
        } catch (error) {
          expect(error).toBeInstanceOf(BlockRejectedError);
          expect([...offsets]).not.toContain(offset);
        }
      }
    }
    expect(accepted).toBeGreaterThanOrEqual(5 * 12);
  });

  test("is verified without signatures on request", () => {
    const block = verified.find(({ transactions }) => transactions.length > 0)!;
    const options = optionsAt(block.height);
    const bytes = Buffer.from(options.bytes);
    bytes[VERIFIABLE.signature]! ^= 1;
    expect(rejectionOf(() => verifyBlock({ ...options, bytes })).field).toBe("signature");
    expect(verifyBlock({ ...options, bytes, checkSignatures: false }).height).toBe(block.height);
  });

  test("names the recipients of rental fees", () => {
    const sinks = new Map(chain.networkFile.accounts.map(({ name, publicKey }) => [name, publicKey]));
    expect(sinks.has("mosaicSink")).toBe(true);
    const paid = verified.flatMap((block) =>
      block.statement.transactionStatements.flatMap(({ source, receipts }) =>
        receipts.flatMap((receipt) =>
          receipt.kind === "balanceTransfer" && source.primaryId > 0
            ? [{ transaction: block.transactions[source.primaryId - 1]!, source, sink: receipt.recipientAddress }]
            : [],
        ),
      ),
    );
    expect(paid).toHaveLength(90);
    for (const { transaction, source, sink } of paid) {
      expect(transaction.relatedAddresses.some((address) => address.equals(sink))).toBe(true);
      if (source.secondaryId > 0)
        expect(
          transaction.embedded[source.secondaryId - 1]!.relatedAddresses.some((address) => address.equals(sink)),
        ).toBe(true);
    }
  });

  test("is rejected on a network with another seed", () => {
    const other = { ...network, generationHashSeed: Buffer.alloc(32) };
    const checkSignatures = false;
    expect(rejectionOf(() => verifyBlock({ ...optionsAt(1), network: other, checkSignatures })).field).toBe(
      "transactions[0].signature",
    );
  });
});

describeTestNetwork("the stored nemesis block of a public network", (file) => {
  test("is accepted", () => {
    const size = file.readUInt32LE(0);
    const bytes = file.subarray(0, size);
    const testnet: NetworkIdentity = {
      identifier: 152,
      generationHashSeed: Buffer.from("57F7DA205008026C776CB6AED843393F04CD458E0AA2D9F1D5F31A402072B2D6", "hex"),
    };
    const statementBytes = nemesisStatement(file.subarray(size + 64));
    const block = verifyBlock({ bytes, statementBytes, network: testnet });
    expect(block.hash).toEqual(file.subarray(size, size + 32));
    expect(block.generationHash).toEqual(file.subarray(size + 32, size + 64));
    expect(block.entity.transactionsHash.toString("hex").toUpperCase()).toBe(
      "5507AC9077A460E55E7AE6486EAD07A46B86A956AA5CC585A272B31F99F4D16B",
    );
  });
});

/** Position of reserved bytes and padding that no rule covers. */
function uncovered({ bytes: block, headerSize, transactions }: VerifiedBlock): Set<number> {
  const offsets = new Set<number>();
  const add = (start: number, end: number) => {
    for (let offset = start; offset < end; ++offset) offsets.add(offset);
  };
  for (const offset of uncoveredInHeader()) offsets.add(offset);
  if (headerSize === BLOCK.normalHeaderSize) add(BLOCK.footer, headerSize);
  let start = headerSize;
  for (const { bytes } of transactions) {
    for (const offset of uncoveredInTransaction(bytes)) offsets.add(start + offset);
    const end = start + bytes.length;
    start = Math.min(end + paddingSize(bytes.length), block.length);
    add(end, start);
  }
  return offsets;
}

/** After a stored block and its two hashes: the transactions' hashes (a count, then two of 32 bytes each), the roots, the statement. */
function nemesisStatement(rest: Buffer): Buffer {
  const rootsAt = 4 + 64 * rest.readUInt32LE(0);
  const hasStatementAt = rootsAt + 4 + 32 * rest.readUInt32LE(rootsAt);
  return rest.subarray(hasStatementAt);
}
