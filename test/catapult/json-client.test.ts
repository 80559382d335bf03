import { expect, test } from "@jest/globals";
import * as reader from "symbol-sdk-v2/dist/src/infrastructure/transaction/CreateTransactionFromDTO.js";
import { decodeBlock } from "../../catapult/entity/block.js";
import type { BlockTransaction } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { renderTransactionMessage, withEmbedded } from "../../catapult/json/transaction.js";
import { describeRecorded } from "../support/describe-chains.js";
import { renderEmbedded, renderTransaction } from "../support/render-transaction.js";
import { readByUs } from "../support/sdk-oracle.js";

const ID = "0123456789ABCDEF01234567";

type FromJson = (document: unknown) => { readonly version: number; readonly serialize: () => string };
const { CreateTransactionFromDTO: readByClient } = reader as unknown as { CreateTransactionFromDTO: FromJson };

describeRecorded("the earlier client library, which reads JSON and writes bytes,", (chain) => {
  const transactions = chain.blocks().flatMap(({ block }) => {
    const decoded = decodeBlock(block, chain.network);
    return decoded.transactions.map((transaction) => ({ transaction, block: decoded }));
  });

  /**
   * All fields of a transaction, with the message as text and back: the library reads messages as text, and encrypted
   * ones do not survive that.
   */
  function comparable(transaction: BlockTransaction): string {
    const fields = [transaction.entity, ...transaction.embedded.map(({ entity }) => entity)].map(readByUs);
    return JSON.stringify(fields, (name, value) => {
      // The size changes with the message.
      if (name === "size") return undefined;
      if (name === "message") return Buffer.from(Buffer.from(value, "hex").toString("utf8")).toString("hex");
      return typeof value === "bigint" ? String(value) : value;
    });
  }

  function rewritten(document: string): string {
    const bytes = Buffer.from(readByClient(JSON.parse(document)).serialize(), "hex");
    return comparable(decodeTransaction(bytes, chain.network));
  }

  test("encodes every transaction of the recorded chain from its documents", () => {
    for (const { transaction, block } of transactions) {
      const inner = transaction.embedded.map((one) => renderEmbedded(one, transaction, block, ID, ID));
      const document = renderTransaction(transaction, block, ID);
      expect(rewritten(inner.length > 0 ? withEmbedded(document, inner) : document)).toBe(comparable(transaction));
    }
  });

  test("encodes every transaction from the data of its message", () => {
    for (const { transaction, block } of transactions)
      expect(rewritten(renderTransactionMessage(transaction, block.height))).toBe(comparable(transaction));
  });
});
