import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { sha3OfMany } from "../../catapult/entity/hashes.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import { openDatabase } from "../../database/connection.js";
import { readHead } from "../../database/queries/head.js";
import { differences } from "../support/compare-databases.js";
import { createMigratedDatabase } from "../support/database.js";
import { describeMainNetwork } from "../support/describe-chains.js";
import { MAIN_NETWORK, publicConfig } from "../support/main-network.js";
import { publishedApi } from "../support/openapi.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { StateNode } from "../support/state-node.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { startTestGateway } from "../support/test-gateway.js";
import { pause } from "../support/until.js";

const TRANSACTIONS = 26_017;
const BLOCK_HASH = "BEED005B82B22FC32DA6FDF4DFEB7C11BA6A8C5C504EB7B9CCF91B9B2A09E020";
const MEMORY_LIMIT_MIB = 512;

// The programs get no configuration files: the network is built in.
describeMainNetwork("the main network's first block", (files) => {
  const published = publishedApi();
  let node: StateNode;
  /** The result of the first program, which executed it. */
  let executedUrl: string;
  const dropped: (() => Promise<void>)[] = [];
  const folder = temporaryFolder(async () => {
    for (const drop of dropped) await drop();
    await node?.close();
  });

  beforeAll(async () => {
    const network = { network: MAIN_NETWORK, config: publicConfig(MAIN_NETWORK) };
    node = await StateNode.startOf(network, [{ block: files.block, statement: files.statement }]);
  });

  async function createDatabase(): Promise<string> {
    const { url, drop } = await createMigratedDatabase();
    dropped.push(drop);
    return url;
  }

  function run(databaseUrl: string, settings: Record<string, string>, ...args: string[]): TestProcess {
    const { host, port } = node.address;
    const env = { DATABASE_URL: databaseUrl, CATAPULT_NODES: `${host}:${port}`, DATA_DIR: folder };
    return startProcess(args, { env: { ...env, ...settings }, cwd: folder });
  }

  test("is served with the roots and receipts of the real one", () => {
    const { subCacheMerkleRoots } = files;
    const block = node.node.blockAt(1);
    expect(block.hash.toString("hex").toUpperCase()).toBe(BLOCK_HASH);
    expect(sha3OfMany([subCacheMerkleRoots])).toEqual(block.entity.stateHash);
    expect(Buffer.concat(node.tables.stateTables().map((table) => table.rootHash()))).toEqual(subCacheMerkleRoots);
  });

  test("is verified by hashes alone, and rejected without its last transaction, although its header names another root", () => {
    const options = { statementBytes: files.statement, network: MAIN_NETWORK, checkSignatures: false };
    expect(verifyBlock({ ...options, bytes: files.block }).transactions).toHaveLength(TRANSACTIONS);
    const { bytes: last } = node.node.blockAt(1).transactions.at(-1)!;
    const shorter = Buffer.from(files.block.subarray(0, files.block.length - last.length));
    shorter.writeUInt32LE(shorter.length, 0);
    expect(() => verifyBlock({ ...options, bytes: shorter })).toThrow(/^block 1: transactions is [0-9A-F]{64}, but/);
  });

  test("is indexed, checked and served", async () => {
    const databaseUrl = await createDatabase();
    executedUrl = databaseUrl;
    const indexer = run(databaseUrl, {}, "indexer");
    const db = openDatabase({ url: databaseUrl, poolSize: 1, onError: () => undefined });
    const ended = indexer.exited.then(() => Promise.reject(new Error(`the indexer ended: ${indexer.output}`)));
    ended.catch(() => undefined);
    while ((await readHead(db))?.height !== 1) await Promise.race([ended, pause(50)]);
    const memory = await peakMemoryMiB(indexer.pid);
    await indexer.kill("SIGTERM");
    if (memory !== undefined) expect(memory).toBeLessThan(MEMORY_LIMIT_MIB);
    await db.destroy();

    const check = run(databaseUrl, {}, "check", "--offline");
    expect((await check.exited).code).toBe(0);
    expect(check.output).toContain("No differences.");

    const gateway = await startTestGateway({ databaseUrl, nodes: [node.address] });
    try {
      await expectAnswers(`http://127.0.0.1:${gateway.port}`);
    } finally {
      await gateway.stop();
    }
    const resourcesDirectory = await newerResources();
    const overridden = await startTestGateway({ databaseUrl, nodes: [node.address], resourcesDirectory });
    try {
      await expectOverridden(`http://127.0.0.1:${overridden.port}`);
    } finally {
      await overridden.stop();
    }
  });

  /** The resources of a node that is newer than this program. */
  async function newerResources(): Promise<string> {
    const directory = path.join(folder, "resources");
    await mkdir(directory);
    const network = files.file("resources/config-network.properties").toString("utf8");
    const newer = network
      .replace("[fork_heights]", "[fork_heights]\n\nunknownToUs = 7'000'000, 8'000'000")
      .concat("\n[new_section]\n\nfirst = 1\n");
    await writeFile(path.join(directory, "config-network.properties"), newer);
    const inflation = files.file("resources/config-inflation.properties");
    await writeFile(path.join(directory, "config-inflation.properties"), `${inflation}\nunknownToUs = 5\n`);
    await writeFile(path.join(directory, "config-node.properties"), "[node]\n\nminFeeMultiplier = 250\n");
    return directory;
  }

  async function expectOverridden(url: string): Promise<void> {
    // biome-ignore lint/suspicious/noExplicitAny: bodies of every form
    const get = async (where: string): Promise<any> => (await fetch(`${url}${where}`)).json();
    const properties = await get("/network/properties");
    expect(properties.forkHeights.unknownToUs).toBe("7'000'000, 8'000'000");
    expect(properties.newSection).toEqual({ first: "1" });
    expect((await get("/network/inflation/at/5760")).rewardAmount).toBe("191997042");
    expect((await get("/network/fees/transaction")).minFeeMultiplier).toBe(250);
  }

  test("has the same rows when it is backfilled", async () => {
    const filled = await createDatabase();
    const backfill = run(filled, {}, "backfill");
    expect((await backfill.exited).code).toBe(0);
    const line = backfill.output.split("\n").find((one) => one.includes('"msg":"The range is filled"'));
    const { transactions } = JSON.parse(line ?? "{}");
    expect(transactions).toBe(TRANSACTIONS);
    expect(await differences(executedUrl, filled)).toEqual([]);
  });

  async function expectAnswers(url: string): Promise<void> {
    // biome-ignore lint/suspicious/noExplicitAny: bodies of every form
    const get = async (where: string): Promise<any> => {
      const response = await fetch(`${url}${where}`);
      const text = await response.text();
      expect([where, response.status]).toEqual([where, 200]);
      if (!response.headers.get("content-type")?.startsWith("application/json")) return text;
      const body = JSON.parse(text);
      expect(published.validateResponse("GET", where, 200, body)).toEqual([]);
      return body;
    };
    const { meta, block } = await get("/blocks/1");
    expect(meta).toMatchObject({ hash: BLOCK_HASH, transactionsCount: TRANSACTIONS, statementsCount: 259 });
    expect(block.transactionsHash).toMatch(/^2C81B8DE/);

    const lastPage = await get("/transactions/confirmed?pageSize=100&pageNumber=261&order=asc");
    expect(lastPage.pagination).toMatchObject({ pageNumber: 261, pageSize: 100, totalEntries: TRANSACTIONS });
    expect(lastPage.data.at(-1).meta.index).toBe(TRANSACTIONS - 1);
    const one = node.node.blockAt(1).transactions[25_591]!;
    const hash = one.hash.toString("hex").toUpperCase();
    expect((await get(`/transactions/confirmed/${hash}`)).meta).toMatchObject({ height: "1", index: 25_591, hash });
    const address = (await get(`/transactions/confirmed/${hash}`)).transaction.signerPublicKey;
    const ofSigner = await get(`/transactions/confirmed?signerPublicKey=${address}&pageSize=10`);
    expect(ofSigner.data.length).toBeGreaterThan(0);
    const { address: signer } = (await get(`/accounts/${address}`)).account;
    const ofAddress = await get(`/transactions/confirmed?address=${signer}&pageSize=10`);
    expect(ofAddress.data.map(({ meta: { height } }: { meta: { height: string } }) => height)).toContain("1");
    const registrations = await get("/transactions/confirmed?type=16718&pageSize=100");
    expect(registrations.data).toHaveLength(100);

    const statements = await get("/statements/transaction?height=1&pageSize=100&pageNumber=3&order=asc");
    expect(statements.data).toHaveLength(58);
    const properties = await get("/network/properties");
    expect(properties.network.generationHashSeed).toBe(MAIN_NETWORK.generationHashSeed.toString("hex").toUpperCase());
    expect(properties.forkHeights.uniqueAggregateTransactionHash).toBe("4'759'100");
    expect(await get("/network")).toMatchObject({ name: "mainnet" });
    expect(await get("/network/currency/supply/total")).toBe("7842928625.000000");
    expect(await get("/network/currency/supply/max")).toBe("8999999999.000000");
    const circulating = Number(await get("/network/currency/supply/circulating"));
    expect(circulating).toBeGreaterThan(0);
    expect(circulating).toBeLessThanOrEqual(7_842_928_625);
    expect((await get("/network/inflation/at/5760")).rewardAmount).toBe("191997042");
    expect((await get("/network/fees/transaction")).minFeeMultiplier).toBe(100);
    expect((await get("/network/fees/rental")).effectiveMosaicRentalFee).toBe("50000000");
  }
});

/** Peak memory of a process, in MiB; undefined if the system does not report it. */
async function peakMemoryMiB(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kibibytes = /^VmHWM:\s*(\d+) kB/m.exec(status)?.[1];
  return kibibytes === undefined ? undefined : Math.round(Number(kibibytes) / 1024);
}
