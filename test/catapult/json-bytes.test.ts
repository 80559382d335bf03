import { describe, expect, test } from "@jest/globals";
import type { NetworkIdentity, VerifiedBlock } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { renderBlockMessage } from "../../catapult/json/block.js";
import { idOf, type Members, object, rendered, uint8Of, uint64Of } from "../../catapult/json/body-writer.js";
import { encodeEntityId, formatEntityId } from "../../catapult/json/entity-id.js";
import { JsonWriter, literal } from "../../catapult/json/json-writer.js";
import { renderEmbedded, renderTransaction, renderTransactionMessage } from "../../catapult/json/transaction.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import { describeMainNetwork, describeRecorded } from "../support/describe-chains.js";
import { aggregateOf, LAYOUTS, TransactionDrawing } from "../support/drawn-transactions.js";
import { MAIN_NETWORK } from "../support/main-network.js";
import * as plainBlock from "../support/plain-json/block.js";
import * as plainStatement from "../support/plain-json/statement.js";
import * as plain from "../support/plain-json/transaction.js";
import {
  renderAddressResolution,
  renderBlock,
  renderMosaicResolution,
  renderTransactionStatement,
  statementId,
} from "../support/render-body.js";
import { SeededRandom } from "../support/seeded-random.js";

const ID = "0123456789ABCDEF01234567";
const AGGREGATE_ID = "76543210FEDCBA9876543210";
const network: NetworkIdentity = { identifier: 152, generationHashSeed: Buffer.alloc(32, 7) };

/** Calling `expect` for each of these many texts would take most of the time. */
function expectSame(actual: string, expected: string): void {
  if (actual !== expected) expect(actual).toBe(expected);
}

/** Compares every document and message of a block with what `JSON.stringify` writes of its typed body. */
function expectSameTexts(block: VerifiedBlock): void {
  expectSame(renderBlock(block), plainBlock.renderBlock(block, formatEntityId(encodeEntityId(block.height))));
  expectSame(renderBlockMessage(block), plainBlock.renderBlockMessage(block));
  for (const transaction of block.transactions) {
    expectSame(renderTransaction(transaction, block, ID), plain.renderTransaction(transaction, block, ID));
    expectSame(renderTransaction(transaction, undefined, ID), plain.renderTransaction(transaction, undefined, ID));
    const message = plain.renderTransactionMessage(transaction, block.height);
    expectSame(renderTransactionMessage(transaction, block.height), message);
    for (const embedded of transaction.embedded) {
      const document = renderEmbedded(embedded, transaction, block, ID, AGGREGATE_ID);
      expectSame(document, plain.renderEmbedded(embedded, transaction, block, ID, AGGREGATE_ID));
    }
  }
  const { statement } = block;
  for (const one of statement.transactionStatements)
    expectSame(
      renderTransactionStatement(one, block),
      plainStatement.renderTransactionStatement(one, block, statementId(block)),
    );
  for (const one of statement.addressResolutions)
    expectSame(
      renderAddressResolution(one, block),
      plainStatement.renderAddressResolution(one, block, statementId(block)),
    );
  for (const one of statement.mosaicResolutions)
    expectSame(
      renderMosaicResolution(one, block),
      plainStatement.renderMosaicResolution(one, block, statementId(block)),
    );
}

describeRecorded("the texts of the recorded chain", (chain) => {
  test("are those of JSON.stringify", () => {
    const blocks = chain.blocks();
    expect(blocks.length).toBe(chain.counts().blocks);
    for (const { block, statement } of blocks)
      expectSameTexts(
        verifyBlock({ bytes: block, statementBytes: statement, network: chain.network, checkSignatures: false }),
      );
  });
});

describeMainNetwork("the texts of the main network's first block", (files) => {
  test("are those of JSON.stringify", () => {
    const options = { bytes: files.block, statementBytes: files.statement, network: MAIN_NETWORK };
    const block = verifyBlock({ ...options, checkSignatures: false });
    expect(block.transactions).toHaveLength(26_017);
    expectSameTexts(block);
  });
});

describe("the texts of drawn transactions", () => {
  test("are those of JSON.stringify, also of unknown types and versions", () => {
    const drawing = new TransactionDrawing(new SeededRandom());
    let unknown = 0;
    for (const layout of LAYOUTS.filter(({ isTopLevelOnly }) => !isTopLevelOnly)) {
      for (let round = 0; round < 80; ++round) {
        const isEmbedded = round % 2 === 1;
        const sound = drawing.draw(layout, isEmbedded);
        const bytes = round < 40 ? sound : drawing.change(sound, isEmbedded);
        const whole = isEmbedded ? aggregateOf(bytes) : bytes;
        const transaction = decodeTransaction(whole, network, { reading: "accepted" });
        expect(renderTransactionMessage(transaction, 7)).toBe(plain.renderTransactionMessage(transaction, 7));
        const kinds = [transaction.entity, ...transaction.embedded.map(({ entity }) => entity)].map(({ kind }) => kind);
        unknown += Number(kinds.includes("unknown"));
      }
    }
    expect(unknown).toBeGreaterThan(200);
  });
});

describe("a writer of JSON", () => {
  const written = (write: (writer: JsonWriter) => void) => {
    const writer = new JsonWriter();
    write(writer);
    return writer.text();
  };

  test("writes all digits of numbers", () => {
    const numbers = [0, 9, 10, 99, 100, -1, -32768, 4294967295, 2 ** 50, 2 ** 53 - 1, 1 - 2 ** 53];
    for (const number of numbers) expect(written((writer) => writer.number(number))).toBe(String(number));
    for (let digits = 1; digits < 16; ++digits)
      for (const number of [10 ** digits - 1, 10 ** digits, 10 ** digits + 1])
        expect(written((writer) => writer.number(number))).toBe(String(number));
    const eight = Buffer.alloc(8);
    for (const value of [0n, 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]) {
      eight.writeBigUInt64LE(value);
      expect(rendered(uint64Of(0), eight)).toBe(`"${value}"`);
      expect(rendered(idOf(0), eight)).toBe(`"${value.toString(16).toUpperCase().padStart(16, "0")}"`);
    }
  });

  test("writes any text, grows, and can be cleared", () => {
    const writer = new JsonWriter();
    writer.string("lost");
    writer.clear();
    const long = `"\\\n ${"ü€😀".repeat(10_000)}\u0000`;
    writer.string(long);
    writer.literal(literal(","));
    writer.hex(Buffer.alloc(20_000, 0xa5));
    const expected = `${JSON.stringify(long)},"${"A5".repeat(20_000)}"`;
    expect(writer.text()).toBe(expected);
    const parts = writer.parts();
    expect(parts.length).toBeGreaterThan(1);
    expect(Buffer.from(parts.join(""), "latin1").toString()).toBe(expected);
    expect(writer.size).toBe(Buffer.byteLength(expected));
    writer.clear();
    writer.digits("0A");
    expect(writer.text()).toBe('"0A"');
  });
});

describe("a writer of a body", () => {
  interface Body {
    readonly amount: string;
    readonly count?: number | undefined;
    readonly type: 5;
  }
  const count = { isPresent: (bytes: Buffer) => bytes[8] !== 0, write: uint8Of(8) };
  const members: Members<Buffer, Body> = { amount: uint64Of(0), count, type: uint8Of(9) };

  test("writes its members in order", () => {
    const write = object<Buffer, Body>(members);
    expect(rendered(write, Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, 0, 5]))).toBe('{"amount":"1","type":5}');
    expect(rendered(write, Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, 2, 5]))).toBe('{"amount":"1","count":2,"type":5}');
  });

  test("does not compile unless its members are those of the definition", () => {
    // @ts-expect-error A member is missing.
    object<Buffer, Body>({ amount: uint64Of(0), count });
    // @ts-expect-error There is no such member.
    object<Buffer, Body>({ ...members, size: uint8Of(0) });
    // @ts-expect-error A number is no text.
    object<Buffer, Body>({ ...members, amount: uint8Of(0) });
    // @ts-expect-error A writer has to write a value of the type.
    object<Buffer, Body>({ ...members, amount: (writer) => writer.number(1) });
    // @ts-expect-error An optional member may be absent.
    object<Buffer, Body>({ ...members, count: uint8Of(8) });
    expect(Object.keys(members)).toEqual(["amount", "count", "type"]);
  });
});
