/** @jest-environment ./test/support/sdk-environment.js */
import { expect, test } from "@jest/globals";
import * as reader from "symbol-sdk-v2/dist/src/infrastructure/transaction/CreateTransactionFromDTO.js";
import { decodeBlock } from "../../catapult/block.js";
import {
  renderEmbedded,
  renderTransaction,
  renderTransactionMessage,
  withEmbedded,
} from "../../catapult/json/transaction.js";
import { decodeTransaction } from "../../catapult/transaction.js";
import { describeIfRecorded } from "../support/recorded-chain.js";

const ID = "0123456789ABCDEF01234567";

type FromJson = (document: unknown) => { readonly version: number; readonly serialize: () => string };
const { CreateTransactionFromDTO: readByClient } = reader as unknown as { CreateTransactionFromDTO: FromJson };

describeIfRecorded("the earlier client library, which reads JSON and writes bytes,", (chain) => {
  const transactions = chain.blocks().flatMap(({ block }) => {
    const decoded = decodeBlock(block, chain.network);
    return decoded.transactions.map((transaction) => ({ transaction, block: decoded }));
  });

  /** Its order of mosaics and addresses is its own, and so may the padding be: so what it writes is decoded again. */
  function rewritten(document: string): string {
    const bytes = Buffer.from(readByClient(JSON.parse(document)).serialize(), "hex");
    return JSON.stringify(decodeTransaction(bytes, chain.network).entity.toJson());
  }

  test("writes every transaction of the recorded chain again from its documents", () => {
    for (const { transaction, block } of transactions) {
      const expected = JSON.stringify(transaction.entity.toJson());
      const inner = transaction.embedded.map((one) => renderEmbedded(one, transaction, block, ID, ID));
      const document = renderTransaction(transaction, block, ID);
      expect(rewritten(inner.length > 0 ? withEmbedded(document, inner) : document)).toBe(expected);
    }
  });

  test("writes every transaction again from the data of its message", () => {
    for (const { transaction, block } of transactions)
      expect(rewritten(renderTransactionMessage(transaction, block.height))).toBe(
        JSON.stringify(transaction.entity.toJson()),
      );
  });
});
