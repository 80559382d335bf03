import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { BLOCK, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { sha3, transactionHash } from "../../catapult/entity/hashes.js";
import { entityNumber } from "../../catapult/json/entity-id.js";
import { stateTreeKey } from "../../catapult/state/key.js";
import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import type { Gateway } from "../../gateway/server.js";
import { reportRange } from "../../indexer/chain/fill/report-range.js";
import { storedBlocks } from "../../indexer/chain/step/raw-rows.js";
import { unknownEntityRows } from "../../indexer/chain/step/unknown-rows.js";
import { IndexerMetrics } from "../../indexer/metrics/metrics.js";
import { rootHash } from "../../ledger/trees/patricia-tree.js";
import { account, CURRENCY, NETWORK } from "../devnet/state-test-chain.js";
import { BranchNode, type ServedBlock } from "../support/branch-node.js";
import { checkIndex } from "../support/checked-index.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { type BlockToMake, id, makeBlock, receipt } from "../support/made-block.js";
import { aggregateBody, makeEmbedded, makeTransaction, signAggregate } from "../support/made-transaction.js";
import { publicConfig, TEST_NETWORK } from "../support/main-network.js";
import { ownOpenApi } from "../support/own-openapi.js";
import { startTestGateway } from "../support/test-gateway.js";
import { setLeaf } from "../support/tree-leaf.js";
import { writeBlocks } from "../support/write-blocks.js";

const TRANSFER = 0x4154;
const NEW_TYPE = 0x4999;
const NEW_BLOCK_TYPE = 0x8343;
const NEW_RECEIPT_TYPE = 0x9143;
const [alice, bob, dave, erin, harvester] = ["alice", "bob", "dave", "erin", "harvester"].map(account) as [
  ReturnType<typeof account>,
  ReturnType<typeof account>,
  ReturnType<typeof account>,
  ReturnType<typeof account>,
  ReturnType<typeof account>,
];
const LATER = Buffer.from("what a later version wrote here", "utf8");
const LATER_HEX = LATER.toString("hex").toUpperCase();

const transferBody = Buffer.concat([bob.address, Buffer.alloc(8)]);
const known = makeTransaction({ signer: alice, type: TRANSFER, version: 1, body: transferBody }, NETWORK);
const newType = makeTransaction({ signer: alice, type: NEW_TYPE, version: 1, body: LATER }, NETWORK);
const newVersion = makeTransaction({ signer: bob, type: TRANSFER, version: 9, body: LATER }, NETWORK);
const embedded = [
  makeEmbedded({ signer: alice, type: TRANSFER, version: 1, body: transferBody }, NETWORK),
  makeEmbedded({ signer: alice, type: NEW_TYPE, version: 2, body: LATER }, NETWORK),
];
const aggregate = signAggregate(
  makeTransaction({ signer: alice, type: 0x4141, version: 2, body: aggregateBody(embedded, 1) }, NETWORK),
  alice,
  [bob],
  NETWORK,
);

/** Of a state with one account only, whose value has a later version. */
function laterRoots(): Buffer[] {
  const value = Buffer.concat([Buffer.of(2, 0), harvester.address, Buffer.alloc(54), LATER]);
  const tree = setLeaf(undefined, stateTreeKey(harvester.address), sha3(value));
  return [rootHash(tree), ...Array.from({ length: 8 }, () => Buffer.alloc(32))];
}

function makeChain(): ServedBlock[] {
  const common = { network: NETWORK, harvester, currency: CURRENCY };
  const blocks: (ServedBlock & { hash: Buffer })[] = [];
  const add = (made: Partial<BlockToMake>) =>
    blocks.push(
      makeBlock({
        ...common,
        transactions: [],
        height: blocks.length + 1,
        previousHash: blocks.at(-1)?.hash ?? Buffer.alloc(32),
        ...made,
      }),
    );
  add({});
  const paid = receipt(RECEIPT_TYPE.mosaic_rental_fee, [id(CURRENCY), id(5n), alice.address, dave.address]);
  const gained = receipt(0x2299, [id(CURRENCY), id(5n), erin.address]);
  add({
    transactions: [known, newType, newVersion, aggregate],
    receipts: [
      { source: { primaryId: 2, secondaryId: 0 }, receipts: [paid, receipt(NEW_RECEIPT_TYPE, [LATER])] },
      { source: { primaryId: 4, secondaryId: 2 }, receipts: [gained] },
    ],
  });
  const ofNewType = (block: Buffer) => block.writeUInt16LE(NEW_BLOCK_TYPE, VERIFIABLE.type);
  add({
    hasFigures: true,
    transactions: [makeTransaction({ signer: bob, type: TRANSFER, version: 1, body: transferBody }, NETWORK)],
    change: (block) => {
      ofNewType(block);
      return BLOCK.importanceHeaderSize;
    },
  });
  add({
    change: (block) => {
      ofNewType(block);
      return BLOCK.normalHeaderSize;
    },
  });
  add({
    roots: laterRoots(),
    change: (block) => {
      block.writeUInt8(2, VERIFIABLE.version);
      return undefined;
    },
  });
  return blocks;
}

/** The transaction, 3 embedded in the aggregate and beside it, its receipt, and the three blocks. */
const IN_BLOCKS = 7;

describe("a network that is newer than this program", () => {
  const blocks = makeChain();
  const log = new LogLines();
  const metrics = new IndexerMetrics("test");
  let node: BranchNode;
  let index: IndexedDatabase;
  let gateway: Gateway;

  beforeAll(async () => {
    node = await BranchNode.start({ blocks, network: NETWORK });
    index = await IndexedDatabase.create();
    await writeBlocks(index.db, NETWORK, blocks);
    gateway = await startTestGateway({ databaseUrl: index.url, nodes: [node.address] });
  });

  afterAll(async () => {
    await gateway?.stop();
    await index?.drop();
    await node?.close();
  });

  async function get<T>(path: string): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${gateway.port}${path}`);
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    const body = (await response.json()) as T;
    expect({ path, problems: ownOpenApi().validateResponse("GET", path, 200, body) }).toEqual({ path, problems: [] });
    return body;
  }

  const hashText = (bytes: Buffer) => transactionHash(bytes, NETWORK).toString("hex").toUpperCase();
  type Document = { transaction: Record<string, unknown> & { transactions?: Document[] } };

  test("is indexed: unknown parts by their headers, the rest as bytes", async () => {
    const ofType = await get<Document>(`/transactions/confirmed/${hashText(newType)}`);
    expect(ofType.transaction).toMatchObject({
      type: NEW_TYPE,
      version: 1,
      network: 152,
      size: newType.length,
      signerPublicKey: alice.publicKey.toString("hex").toUpperCase(),
      maxFee: "1000000000",
      deadline: "3600000",
      bin: LATER_HEX,
    });
    const ofVersion = await get<Document>(`/transactions/confirmed/${hashText(newVersion)}`);
    expect(ofVersion.transaction).toMatchObject({ type: TRANSFER, version: 9, bin: LATER_HEX });
    expect(ofVersion.transaction).not.toHaveProperty("recipientAddress");
    const whole = await get<Document>(`/transactions/confirmed/${hashText(aggregate)}`);
    expect(whole.transaction.transactions?.map(({ transaction }) => transaction.bin)).toEqual([undefined, LATER_HEX]);
  });

  test("has its blocks of unknown types and versions, each with the header that its bytes allow", async () => {
    type Block = { meta: { transactionsCount: number; hash: string }; block: Record<string, unknown> };
    const [third, fourth, fifth] = await Promise.all([3, 4, 5].map((height) => get<Block>(`/blocks/${height}`)));
    expect(third).toMatchObject({ meta: { transactionsCount: 1 }, block: { type: NEW_BLOCK_TYPE, height: "3" } });
    expect(String(third!.block.bin)).toHaveLength(2 * 52);
    expect(third!.block).not.toHaveProperty("votingEligibleAccountsCount");
    expect(fourth).toMatchObject({ block: { type: NEW_BLOCK_TYPE, bin: "00000000" } });
    expect(fifth).toMatchObject({ block: { type: 0x8143, version: 2, bin: "00000000" } });
  });

  test("concerns the signers and the addresses in the receipts", async () => {
    const addressesOf = async (position: number, inside: number) => {
      const at = entityNumber(2, position, inside);
      const rows = await index.db
        .selectFrom("transaction_addresses as a")
        .innerJoin("keys", (join) => join.on(sql<boolean>`keys.id = a.account / 2`))
        .select("keys.key as address")
        .where("a.id", "=", at)
        .execute();
      return rows.map(({ address }) => address.toString("hex")).sort();
    };
    const sorted = (...parties: { address: Buffer }[]) => parties.map(({ address }) => address.toString("hex")).sort();
    expect(await addressesOf(1, 0)).toEqual(sorted(alice, dave));
    expect(await addressesOf(2, 0)).toEqual(sorted(bob));
    expect(await addressesOf(3, 2)).toEqual(sorted(alice, erin));
    expect(await addressesOf(3, 0)).toEqual(sorted(alice, bob, erin));
  });

  test("has receipts of unknown types as bytes", async () => {
    type Statements = { data: { statement: { receipts: Record<string, unknown>[] } }[] };
    const { data } = await get<Statements>(`/statements/transaction?receiptType=${NEW_RECEIPT_TYPE}`);
    expect(data[0]?.statement.receipts[1]).toEqual({ version: 1, type: NEW_RECEIPT_TYPE, bin: LATER_HEX });
  });

  test("is reported: in the log, by metrics and by /ready", async () => {
    expect(await get<{ unknownEntities: number }>("/ready")).toMatchObject({ unknownEntities: IN_BLOCKS });
    const unknown = (await storedBlocks(index.db, NETWORK, 1, blocks.length)).flatMap(unknownEntityRows);
    reportRange({ rows: [{ unknown }], missingRule: undefined, differing: [] }, { log: log.logger, metrics });
    const lines = log.matching(/unknown type or version/).map((line) => JSON.parse(line));
    expect(lines.map(({ level, count, height, type }) => ({ level, count, height, type }))).toEqual([
      { level: 50, count: IN_BLOCKS, height: 2, type: "0x4999" },
    ]);
    expect((await metrics.print()).text).toContain(`symbol_indexer_unknown_entities_total ${IN_BLOCKS}`);
    const response = await fetch(`http://127.0.0.1:${gateway.port}/metrics`);
    expect(await response.text()).toContain(`symbol_gateway_index_unknown_entities ${IN_BLOCKS}`);
  });

  test("is shown by GraphQL", async () => {
    const query =
      "{ block(height: 2) { transactions(first: 50, embedded: true) { data { type content { __typename ... on UnknownContent { bin } } } } } }";
    const response = await fetch(`http://127.0.0.1:${gateway.port}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query }),
    });
    const text = await response.text();
    expect(text).toContain(`{"__typename":"UnknownContent","bin":"${LATER_HEX}"}`);
    expect(text).not.toContain("errors");
  });

  test("has no differences in the blocks according to check", async () => {
    const execution = { configOf: () => publicConfig(TEST_NETWORK) };
    const { found, left } = await checkIndex({ databaseUrl: index.url, execution });
    expect(found).toEqual([]);
    expect(left).toEqual([
      expect.stringContaining("7 entities are of types or versions that this program does not know"),
      expect.stringMatching(/^state trees: /),
    ]);
  });
});
