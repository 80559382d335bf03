import { describe, expect, test } from "@jest/globals";
import type { BlockTransaction, VerifiedBlock } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import type { EmbeddedEntity } from "../../catapult/entity/transaction-entity.js";
import { renderBlockMessage, renderFinalizedBlock } from "../../catapult/json/block.js";
import {
  renderCosignatureMessage,
  renderRemovedMessage,
  renderStatusMessage,
  renderTransactionMessage,
  withEmbedded,
} from "../../catapult/json/transaction.js";
import type { ChannelName } from "../../catapult/structs/message.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import { describeRecorded, describeVectors } from "../support/describe-chains.js";
import { publishedApi } from "../support/openapi.js";
import { ownMessages, ownOpenApi } from "../support/own-openapi.js";
import { renderEmbedded, renderTransaction } from "../support/render-transaction.js";
import { sdkName } from "../support/sdk-oracle.js";

const ID = "0123456789ABCDEF01234567";
const AGGREGATE_ID = "76543210FEDCBA9876543210";

/** The name in the description of a model of `symbol-sdk`, such as `TransferTransactionDTO`. */
function schemaNameOf(entity: EmbeddedEntity): string {
  const name = sdkName(entity)
    .replace(/V\d$/, "")
    .replace(/^Aggregate(Complete|Bonded)/, "Aggregate");
  return `${name}DTO`;
}

const api = publishedApi();

const own = ownOpenApi();
const ownMessage = ownMessages();
/** Combinations of two published schemas in our description. */
const OWN_NAMES: Readonly<Record<string, string>> = { AggregateTransactionExtendedDTO: "AggregateTransactionDTO" };

/** Where a value differs from its schema in either description, or has undescribed fields. */
function problems(schemaName: string, value: unknown): string[] {
  const published = [...api.validate(schemaName, value), ...api.unknownFields(schemaName, value)];
  return [...published, ...own.validate(OWN_NAMES[schemaName] ?? schemaName, value)];
}

/** The document of a transaction with all its parts, as in an answer by id. */
function fullDocument(transaction: BlockTransaction): string {
  const document = renderTransaction(transaction, undefined, ID);
  const inner = transaction.embedded.map((embedded) =>
    renderEmbedded(embedded, transaction, undefined, ID, AGGREGATE_ID),
  );
  return inner.length > 0 ? withEmbedded(document, inner) : document;
}

describeRecorded("documents of the recorded chain", (chain) => {
  const blocks: VerifiedBlock[] = chain
    .blocks()
    .map(({ block, statement }) =>
      verifyBlock({ bytes: block, statementBytes: statement, network: chain.network, checkSignatures: false }),
    );
  const transactions = blocks.flatMap((block) => block.transactions.map((transaction) => ({ block, transaction })));

  test("of blocks in messages have the header and its two hashes", () => {
    const { block, meta } = JSON.parse(renderBlockMessage(blocks[9]!));
    expect(Object.keys(meta)).toEqual(["hash", "generationHash"]);
    expect(problems("BlockDTO", block)).toEqual([]);
    for (const one of blocks) {
      const message = JSON.parse(renderBlockMessage(one));
      expect(ownMessage.validate("block", message)).toEqual([]);
    }
  });

  test("of transactions in messages include the embedded ones", () => {
    const { transaction, block } = transactions.find((one) => one.transaction.embedded.length > 1)!;
    const message = JSON.parse(renderTransactionMessage(transaction, block.height));
    expect(Object.keys(message)).toEqual(["transaction", "meta"]);
    expect(message.meta).toEqual({
      hash: transaction.hash.toString("hex").toUpperCase(),
      merkleComponentHash: transaction.merkleComponentHash.toString("hex").toUpperCase(),
      height: `${block.height}`,
    });
    expect(message.transaction.transactions).toHaveLength(transaction.embedded.length);
    expect(Object.keys(message.transaction.transactions[0])).toEqual(["transaction"]);
    expect("transactions" in JSON.parse(renderTransaction(transaction, block, ID)).transaction).toBe(false);
    for (const one of transactions) {
      const data = JSON.parse(renderTransactionMessage(one.transaction, one.block.height));
      expect(ownMessage.validate("confirmedAdded", data)).toEqual([]);
    }
  });
});

describeVectors("documents of published transactions", "transactions", (vectors) => {
  const network = { identifier: 152, generationHashSeed: Buffer.alloc(32) };

  test.each(vectors.map((vector) => [vector.test_name, vector] as const))("%s", (_name, vector) => {
    const transaction = decodeTransaction(Buffer.from(vector.payload, "hex"), network);
    const document = JSON.parse(fullDocument(transaction));
    const schemaName =
      transaction.embedded.length > 0 ? "AggregateTransactionExtendedDTO" : schemaNameOf(transaction.entity);
    expect(problems(schemaName, document.transaction)).toEqual([]);
  });
});

describe("data of other messages", () => {
  const hash = Buffer.alloc(32, 0xab);

  test("has the fields that the client library's listener reads", () => {
    const read = (channel: ChannelName, text: string) => {
      const data = JSON.parse(text);
      expect(ownMessage.validate(channel, data)).toEqual([]);
      return data;
    };
    expect(read("finalizedBlock", renderFinalizedBlock({ epoch: 5, point: 7, height: 100, hash }))).toEqual({
      finalizationEpoch: 5,
      finalizationPoint: 7,
      height: "100",
      hash: "AB".repeat(32),
    });
    expect(read("partialRemoved", renderRemovedMessage(hash))).toEqual({ meta: { hash: "AB".repeat(32) } });
    const status = { hash, code: "Failure_Core_Past_Deadline", deadline: 2n ** 60n };
    expect(read("status", renderStatusMessage(status))).toEqual({
      hash: "AB".repeat(32),
      code: "Failure_Core_Past_Deadline",
      deadline: "1152921504606846976",
    });
    const cosignature = { version: 0n, signerPublicKey: hash, signature: Buffer.alloc(64, 1), parentHash: hash };
    expect(read("cosignature", renderCosignatureMessage(cosignature))).toEqual({
      version: "0",
      signerPublicKey: "AB".repeat(32),
      signature: "01".repeat(64),
      parentHash: "AB".repeat(32),
    });
  });

  test("is rejected if embedded documents are inserted into anything else", () => {
    expect(() => withEmbedded("[]", [])).toThrow(TypeError);
  });
});

describe("the description itself", () => {
  test("validates answers by path, method and status", () => {
    const right = { id: ID };
    expect(api.validateResponse("GET", "/blocks/5?x=1", 200, right)).toContainEqual(
      expect.stringMatching(/required property 'block'/),
    );
    expect(api.validateResponse("GET", "/nothing/5", 200, right)).toEqual(["/nothing/5 is no path of the description"]);
    expect(api.validateResponse("PUT", "/blocks/5", 200, right)).toEqual(["/blocks/{height} has no PUT"]);
    expect(api.validateResponse("GET", "/blocks/5", 299, right)).toEqual(["GET /blocks/{height} does not answer 299"]);
    expect(api.validateResponse("GET", "/blocks/5", 404, { code: 5, message: "" })).not.toEqual([]);
    expect(api.validateResponse("GET", "/blocks/5", 404, { code: "ResourceNotFound", message: "" })).toEqual([]);
    expect(api.pathOf("/accounts/names")).toBe("/accounts/{accountId}");
  });

  test("finds undescribed fields", () => {
    const block = { id: ID, other: 1, meta: { hash: "", extra: 2 }, block: { size: 1, more: 3 } };
    expect(api.unknownFields("BlockInfoDTO", block)).toEqual(["/other", "/meta/extra", "/block/more"]);
  });
});
