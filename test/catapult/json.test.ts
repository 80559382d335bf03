import { describe, expect, test } from "@jest/globals";
import type { ChannelName } from "../../catapult/body/message.js";
import { merklePath } from "../../catapult/crypto/merkle.js";
import type { BlockTransaction, VerifiedBlock } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import type { EmbeddedEntity } from "../../catapult/entity/transaction-entity.js";
import { renderBlockMessage, renderFinalizedBlock } from "../../catapult/json/block.js";
import { encodeEntityId, formatEntityId } from "../../catapult/json/entity-id.js";
import { renderFinalizationProof } from "../../catapult/json/finalization-proof.js";
import { renderMerklePath } from "../../catapult/json/merkle-path.js";
import { renderNodeInfo, renderNodeTime } from "../../catapult/json/node.js";
import {
  renderCosignatureMessage,
  renderEmbedded,
  renderRemovedMessage,
  renderStatusMessage,
  renderTransaction,
  renderTransactionMessage,
  withEmbedded,
} from "../../catapult/json/transaction.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import { nodeInfoRequest } from "../../catapult/wire/node-info.js";
import { PayloadReader } from "../../catapult/wire/payload-reader.js";
import { timeRequest } from "../../catapult/wire/requests.js";
import { describeIfDescribed, openApiFor } from "../support/openapi.js";
import { ownMessages, ownOpenApi } from "../support/own-openapi.js";
import { describeIfVectors, describeRecorded } from "../support/recorded-chain.js";
import {
  renderAddressResolution,
  renderBlock,
  renderMosaicResolution,
  renderTransactionStatement,
} from "../support/render-body.js";
import { sdkName } from "../support/sdk-oracle.js";

const ID = "0123456789ABCDEF01234567";
const AGGREGATE_ID = "76543210FEDCBA9876543210";

/** The name in the description of a model of `symbol-sdk`, such as `TransferTransactionDTO`. */
function schemaNameOf(entity: EmbeddedEntity, isEmbedded = false): string {
  const name = sdkName(entity, isEmbedded)
    .replace(/V\d$/, "")
    .replace(/^Aggregate(Complete|Bonded)/, "Aggregate");
  return `${name}DTO`;
}

const api = openApiFor("documents fit the published description");

const own = ownOpenApi();
const ownMessage = ownMessages();
/** Combinations of two published schemas in our description. */
const OWN_NAMES: Readonly<Record<string, string>> = { AggregateTransactionExtendedDTO: "AggregateTransactionDTO" };

/** Where a value differs from its schema in either description, or has undescribed fields. */
function problems(schemaName: string, value: unknown, ownName = OWN_NAMES[schemaName] ?? schemaName): string[] {
  const published = api ? [...api.validate(schemaName, value), ...api.unknownFields(schemaName, value)] : [];
  return [...published, ...own.validate(ownName, value)];
}

/** The document of a transaction with all its parts, as in an answer by id. */
function fullDocument(transaction: BlockTransaction, block: VerifiedBlock | undefined): string {
  const document = renderTransaction(transaction, block, ID);
  const inner = transaction.embedded.map((embedded) => renderEmbedded(embedded, transaction, block, ID, AGGREGATE_ID));
  return inner.length > 0 ? withEmbedded(document, inner) : document;
}

describeRecorded("documents of the recorded chain", (chain) => {
  const blocks: VerifiedBlock[] = chain
    .blocks()
    .map(({ block, statement }) =>
      verifyBlock({ bytes: block, statementBytes: statement, network: chain.network, checkSignatures: false }),
    );
  const transactions = blocks.flatMap((block) => block.transactions.map((transaction) => ({ block, transaction })));

  test("of blocks match the description", () => {
    for (const block of blocks) {
      const document = JSON.parse(renderBlock(block));
      expect(problems("BlockInfoDTO", document)).toEqual([]);
      const isImportance = block.entity.type !== 0x8143;
      expect(problems(isImportance ? "ImportanceBlockDTO" : "BlockDTO", document.block)).toEqual([]);
      expect("previousImportanceBlockHash" in document.block).toBe(isImportance);
    }
  });

  test("of a block have its values", () => {
    const block = verifyBlock({
      ...{ bytes: blocks[595]!.bytes, statementBytes: blocks[595]!.statementBytes, network: chain.network },
      subCacheMerkleRoots: chain.subCacheMerkleRoots(),
    });
    const text = renderBlock(block);
    expect(text.startsWith(`{"id":"${formatEntityId(encodeEntityId(block.height))}","meta":{"hash":"`)).toBe(true);
    const { meta, block: header } = JSON.parse(text);
    expect(meta.stateHashSubCacheMerkleRoots).toHaveLength(9);
    expect(meta.hash).toBe(block.hash.toString("hex").toUpperCase());
    expect(header.height).toBe("596");
    expect(header.size).toBe(block.bytes.length);
    expect(header.network).toBe(152);
    expect(header.type).toBe(33091);
    expect(header.beneficiaryAddress).toMatch(/^98[0-9A-F]{46}$/);
    const counted = blocks.reduce((sum, one) => sum + JSON.parse(renderBlock(one)).meta.totalTransactionsCount, 0);
    expect(counted).toBe(chain.counts().topLevel + chain.counts().embedded);
  });

  test("of transactions match the description, each that of its own type", () => {
    for (const { block, transaction } of transactions) {
      const document = JSON.parse(renderTransaction(transaction, block, ID));
      expect(Object.keys(document)).toEqual(["id", "meta", "transaction"]);
      expect(problems("TransactionInfoDTO", document)).toEqual([]);
      expect(problems("TransactionMetaDTO", document.meta)).toEqual([]);
      expect(problems(schemaNameOf(transaction.entity), document.transaction)).toEqual([]);
      for (const embedded of transaction.embedded) {
        const inner = JSON.parse(renderEmbedded(embedded, transaction, block, ID, AGGREGATE_ID));
        expect(problems("EmbeddedTransactionInfoDTO", inner)).toEqual([]);
        expect(problems(schemaNameOf(embedded.entity, true), inner.transaction)).toEqual([]);
      }
      if (transaction.embedded.length > 0) {
        const full = JSON.parse(fullDocument(transaction, block));
        expect(problems("AggregateTransactionExtendedDTO", full.transaction)).toEqual([]);
        expect(full.transaction.transactions).toHaveLength(transaction.embedded.length);
      }
    }
  });

  test("of statements match the description", () => {
    for (const block of blocks) {
      const { transactionStatements, addressResolutions, mosaicResolutions } = block.statement;
      for (const statement of transactionStatements) {
        const document = JSON.parse(renderTransactionStatement(statement, block));
        expect(problems("TransactionStatementInfoDTO", document)).toEqual([]);
        expect(document.statement.receipts).toHaveLength(statement.receipts.length);
        expect(document.statement.height).toBe(`${block.height}`);
      }
      const resolutions = [
        ...addressResolutions.map((one) => ["Address", one.entries, renderAddressResolution(one, block)] as const),
        ...mosaicResolutions.map((one) => ["Mosaic", one.entries, renderMosaicResolution(one, block)] as const),
      ];
      for (const [of, { length: count }, text] of resolutions) {
        const document = JSON.parse(text);
        const ownName = `${of}ResolutionStatementInfoDTO`;
        expect(problems("ResolutionStatementInfoDTO", document, ownName)).toEqual([]);
        expect(document.statement.resolutionEntries).toHaveLength(count);
      }
    }
  });

  test("of merkle paths match the description", () => {
    const leaves = blocks
      .find((block) => block.transactions.length > 4)!
      .transactions.map((one) => one.merkleComponentHash);
    const document = JSON.parse(renderMerklePath(merklePath(leaves, 3)));
    expect(problems("MerkleProofInfoDTO", document)).toEqual([]);
    expect(document.merklePath[0].position).toBe("left");
  });

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

  test("of unconfirmed transactions have nothing about a block", () => {
    const { transaction } = transactions.find((one) => one.transaction.index > 0)!;
    const document = JSON.parse(renderTransaction(transaction, undefined, ID));
    expect(Object.keys(document.meta)).toEqual(["height", "hash", "merkleComponentHash", "index"]);
    expect([document.meta.height, document.meta.index]).toEqual(["0", 0]);
    expect(problems("TransactionInfoDTO", document)).toEqual([]);
  });
});

describeIfVectors("documents of published transactions", "transactions", (vectors) => {
  const network = { identifier: 152, generationHashSeed: Buffer.alloc(32) };

  test.each(vectors.map((vector) => [vector.test_name, vector] as const))("%s", (_name, vector) => {
    const transaction = decodeTransaction(Buffer.from(vector.payload, "hex"), network);
    const document = JSON.parse(fullDocument(transaction, undefined));
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

describeRecorded("bodies about the recorded node", (chain) => {
  const packet = (name: string) => ({
    bytes: Buffer.from(chain.packets()[name]!, "hex"),
    origin: { node: "recorded", request: name },
  });
  const read = <T>(name: string, decode: (reader: PayloadReader) => T): T => {
    const { bytes, origin } = packet(name);
    return decode(new PayloadReader(bytes, origin));
  };

  test("match the description of node info and time", () => {
    const info = read("nodeInfo", nodeInfoRequest().decode);
    const key = Buffer.alloc(32, 0xcd);
    expect(problems("NodeInfoDTO", JSON.parse(renderNodeInfo(info)))).toEqual([]);
    expect(JSON.parse(renderNodeInfo({ ...info, nodePublicKey: key }))).toMatchObject({
      version: 0x01000308,
      port: 7900,
      networkIdentifier: 152,
      roles: 71,
      host: "127.0.0.1",
      friendlyName: "peer-local",
      nodePublicKey: "CD".repeat(32),
    });
    const time = JSON.parse(renderNodeTime(read("networkTime", timeRequest().decode)));
    expect(problems("NodeTimeDTO", time)).toEqual([]);
    expect(time.communicationTimestamps.sendTimestamp).toBe("221824656307");
  });

  test("match the description of finalization proofs", () => {
    const proofs = chain.finalizationProofs();
    expect(proofs.length).toBeGreaterThan(10);
    for (const { epoch, proof } of proofs) {
      const document = JSON.parse(renderFinalizationProof(decodeFinalizationProof(proof)));
      expect(problems("FinalizationProofDTO", document)).toEqual([]);
      expect(document.finalizationEpoch).toBe(epoch);
    }
  });
});

describeIfDescribed("the description itself", (description) => {
  test("validates answers by path, method and status", () => {
    const right = { id: ID };
    expect(description.validateResponse("GET", "/blocks/5?x=1", 200, right)).toContainEqual(
      expect.stringMatching(/required property 'block'/),
    );
    expect(description.validateResponse("GET", "/nothing/5", 200, right)).toEqual([
      "/nothing/5 is no path of the description",
    ]);
    expect(description.validateResponse("PUT", "/blocks/5", 200, right)).toEqual(["/blocks/{height} has no PUT"]);
    expect(description.validateResponse("GET", "/blocks/5", 299, right)).toEqual([
      "GET /blocks/{height} does not answer 299",
    ]);
    expect(description.validateResponse("GET", "/blocks/5", 404, { code: 5, message: "" })).not.toEqual([]);
    expect(description.validateResponse("GET", "/blocks/5", 404, { code: "ResourceNotFound", message: "" })).toEqual(
      [],
    );
    expect(description.pathOf("/accounts/names")).toBe("/accounts/{accountId}");
  });

  test("finds undescribed fields", () => {
    const block = { id: ID, other: 1, meta: { hash: "", extra: 2 }, block: { size: 1, more: 3 } };
    expect(description.unknownFields("BlockInfoDTO", block)).toEqual(["/other", "/meta/extra", "/block/more"]);
  });
});
