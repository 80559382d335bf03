import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { renderBlockMessage } from "../../catapult/json/block.js";
import { renderTransactionMessage } from "../../catapult/json/transaction.js";
import { BlockRejectedError, type ParentBlock, verifyBlock } from "../../catapult/verify/verify.js";
import type { Gateway } from "../../gateway/server.js";
import { withSinks } from "../../indexer/chain/execution/options.js";
import { emptyRows } from "../../indexer/chain/step/chain-tables.js";
import { RowsEncoder } from "../../indexer/chain/step/copy-tables.js";
import { KeyGatherer } from "../../indexer/chain/step/key-gatherer.js";
import { addBlock } from "../../indexer/chain/step/rows.js";
import { NETWORK } from "../devnet/state-test-chain.js";
import { BranchNode, type ServedBlock } from "../support/branch-node.js";
import { checkIndex } from "../support/checked-index.js";
import { BlockFuzzer, type FuzzedBlock } from "../support/fuzzed-blocks.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { publicConfig, TEST_NETWORK } from "../support/main-network.js";
import { renderBlock, renderTransactionStatement } from "../support/render-body.js";
import { renderEmbedded, renderTransaction } from "../support/render-transaction.js";
import { SeededRandom } from "../support/seeded-random.js";
import { startTestGateway } from "../support/test-gateway.js";
import { writeBlocks } from "../support/write-blocks.js";

const BLOCKS = 3_000;
const ID = "0".repeat(24);
const BLOCKS_IN_DATABASE = 300;

/** Processes a block as the indexer does before writing; throws `BlockRejectedError`, or an error that would stop it. */
function index(fuzzed: ServedBlock, previous: ParentBlock | undefined): ParentBlock {
  const block = verifyBlock({
    bytes: fuzzed.block,
    statementBytes: fuzzed.statement,
    subCacheMerkleRoots: [],
    network: NETWORK,
    ...(previous && { previous }),
  });
  const rows = emptyRows();
  addBlock(rows, block, 1n, new KeyGatherer());
  new RowsEncoder().add(rows);
  JSON.parse(renderBlock(block));
  for (const transaction of block.transactions) {
    JSON.parse(renderTransaction(transaction, block, ID));
    for (const embedded of transaction.embedded) JSON.parse(renderEmbedded(embedded, transaction, block, ID, ID));
  }
  for (const one of block.statement.transactionStatements) JSON.parse(renderTransactionStatement(one, block));
  JSON.parse(renderBlockMessage(block));
  for (const transaction of block.transactions) JSON.parse(renderTransactionMessage(transaction, block.height));
  return block;
}

describe("blocks that were changed at random", () => {
  test("are indexed, or rejected because a hash, a signature or a size is wrong", () => {
    const fuzzer = new BlockFuzzer(new SeededRandom());
    const rejected = new Set<string>();
    let indexed = 0;
    let parent: ParentBlock | undefined;
    for (let tried = 0; tried < BLOCKS; tried++) {
      const height = (parent?.height ?? 0) + 1;
      const fuzzed = fuzzer.block(height, parent?.hash ?? Buffer.alloc(32), false);
      try {
        parent = index(fuzzed, parent);
        indexed += 1;
      } catch (error) {
        const field = error instanceof BlockRejectedError ? error.field : undefined;
        if (!field || !fuzzed.mayBeRejected?.test(field)) throw describeFailure(tried, fuzzed, error);
        rejected.add(field.replaceAll(/\[\d+\]/g, "[n]"));
      }
    }
    expect(indexed).toBeGreaterThan(BLOCKS / 2);
    expect(rejected.size).toBeGreaterThan(5);
  });
});

function describeFailure(tried: number, { block, statement }: FuzzedBlock, cause: unknown): Error {
  const bytes = `${block.toString("hex")} with statement ${statement.toString("hex")}`;
  return new Error(`block ${tried} would stop the indexer: ${(cause as Error).message}: ${bytes}`, { cause });
}

describe("a chain of blocks that were changed at random", () => {
  const blocks: FuzzedBlock[] = [];
  let node: BranchNode;
  let followed: IndexedDatabase;
  let gateway: Gateway;

  beforeAll(async () => {
    const fuzzer = new BlockFuzzer(new SeededRandom());
    for (let height = 1; height <= BLOCKS_IN_DATABASE; height++)
      blocks.push(fuzzer.block(height, blocks.at(-1)?.hash ?? Buffer.alloc(32), true));
    node = await BranchNode.start({ blocks, network: NETWORK });
    followed = await IndexedDatabase.create();
    await writeBlocks(followed.db, withSinks(NETWORK, publicConfig(TEST_NETWORK)), blocks);
    gateway = await startTestGateway({ databaseUrl: followed.url, nodes: [node.address] });
  });

  afterAll(async () => {
    await gateway?.stop();
    await followed?.drop();
    await node?.close();
  });

  test("is written to its end without a failure, and check finds no difference in its blocks", async () => {
    const { found, checked } = await checkIndex({
      databaseUrl: followed.url,
      nodes: [node.address],
      execution: { configOf: () => publicConfig(TEST_NETWORK) },
      from: 1,
      to: BLOCKS_IN_DATABASE,
    });
    expect(found).toEqual([]);
    expect(checked.get("blocks")).toBe(BLOCKS_IN_DATABASE);
  });

  test("is served whole by REST and GraphQL", async () => {
    const base = `http://127.0.0.1:${gateway.port}`;
    type Page = { data: { id: string }[]; pagination: { totalEntries: number } };
    let read = 0;
    for (let page = 1; ; page++) {
      const response = await fetch(`${base}/transactions/confirmed?embedded=true&pageSize=100&pageNumber=${page}`);
      expect(response.status).toBe(200);
      const { data, pagination } = (await response.json()) as Page;
      read += data.length;
      const single = await fetch(`${base}/transactions/confirmed/${data[0]?.id}`);
      expect(single.status).toBe(200);
      if (read >= pagination.totalEntries) break;
    }
    expect(read).toBeGreaterThan(BLOCKS_IN_DATABASE);
    const content = "content { __typename ... on UnknownContent { bin } }";
    for (let height = 1; height <= BLOCKS_IN_DATABASE; height += 10) {
      const query = `{ block(height: ${height}) { transactions(first: 100, embedded: true) { data { type ${content} } } } }`;
      const response = await fetch(`${base}/graphql`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query }),
      });
      expect(await response.text()).not.toContain('"errors"');
    }
  });
});
