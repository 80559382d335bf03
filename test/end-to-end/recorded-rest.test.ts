import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { decodeStatement, statementHashes } from "../../catapult/entity/statement.js";
import type { Gateway } from "../../gateway/server.js";
import { BranchNode } from "../support/branch-node.js";
import { describeRecorded } from "../support/describe-chains.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { publishedApi } from "../support/openapi.js";
import { ownOpenApi } from "../support/own-openapi.js";
import { executedIndex } from "../support/recorded-index.js";
import { recordedNode } from "../support/recorded-node.js";
import { IS_SHORT, SeededRandom } from "../support/seeded-random.js";
import { startTestGateway } from "../support/test-gateway.js";

/** The first heights, with the nemesis block, and every seventh, of which `npm test` draws some. */
const FIRST = [1, 2, 3, 4, 5];
const SOME = 20;
/** Types of transactions in them: those of the nemesis block, or nearly all. */
const MIN_TYPES = IS_SHORT ? 5 : 15;
const PAGE_SIZE = 100;

interface Statement {
  readonly statement: Record<string, unknown>;
}

interface TransactionEntry {
  readonly id: string;
  readonly meta: { readonly hash: string; readonly merkleComponentHash: string };
  readonly transaction: { readonly type: number };
}

describeRecorded("REST answers for the recorded chain", (chain) => {
  const recording = recordedNode(chain);
  const api = publishedApi();
  let node: BranchNode;
  let index: IndexedDatabase;
  let gateway: Gateway;

  beforeAll(async () => {
    node = await BranchNode.start(recording);
    index = await executedIndex(chain);
    gateway = await startTestGateway({
      databaseUrl: index.url,
      nodes: [node.address],
    });
  });

  afterAll(async () => {
    await gateway.stop();
    await index.drop();
    await node.close();
  });

  /** Gets `path`, and validates the body against the description of `route`. */
  async function get<T>(route: string, path: string): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${gateway.port}${path}`);
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    const body = (await response.json()) as T;
    for (const description of [ownOpenApi(), api]) {
      const problems = description.validateResponse("GET", route, 200, body);
      expect({ path, problems }).toEqual({ path, problems: [] });
    }
    return body;
  }

  async function all<T>(route: string, query: string): Promise<T[]> {
    const entries: T[] = [];
    for (let pageNumber = 1; ; pageNumber++) {
      const page = await get<{ data: T[]; pagination: { totalEntries: number } }>(
        route,
        `${route}?${query}&order=asc&pageSize=${PAGE_SIZE}&pageNumber=${pageNumber}`,
      );
      entries.push(...page.data);
      if (entries.length >= page.pagination.totalEntries) return entries;
    }
  }

  test("blocks, transactions, statements and their merkle paths of sampled heights validate, and the paths lead to the headers", async () => {
    const seenTypes = new Set<number>();
    const sevenths = Array.from({ length: Math.floor(node.height / 7) }, (_, n) => 7 * (n + 1));
    for (const height of [...FIRST, ...new SeededRandom().sample(sevenths, SOME)]) {
      const { block } = await get<{ block: { transactionsHash: string; receiptsHash: string } }>(
        "/blocks/{height}",
        `/blocks/${height}`,
      );
      const transactions = await all<TransactionEntry>("/transactions/confirmed", `height=${height}`);
      for (const { id, meta, transaction } of transactions) {
        seenTypes.add(transaction.type);
        await get("/transactions/confirmed/{transactionId}", `/transactions/confirmed/${id}`);
        const { merklePath } = await get<{ merklePath: Step[] }>(
          "/blocks/{height}/transactions/{hash}/merkle",
          `/blocks/${height}/transactions/${meta.hash}/merkle`,
        );
        expect(rootOf(meta.merkleComponentHash, merklePath)).toBe(block.transactionsHash);
      }
      await all("/transactions/confirmed", `height=${height}&embedded=true`);
      await all<Statement>("/statements/transaction", `height=${height}`);
      await all<Statement>("/statements/resolutions/address", `height=${height}`);
      await all<Statement>("/statements/resolutions/mosaic", `height=${height}`);
      const raw = await index.db
        .selectFrom("raw_blocks")
        .select("statement")
        .where("height", "=", height)
        .executeTakeFirstOrThrow();
      for (const leaf of statementHashes(decodeStatement(raw.statement))) {
        const hash = leaf.toString("hex").toUpperCase();
        const { merklePath } = await get<{ merklePath: Step[] }>(
          "/blocks/{height}/statements/{hash}/merkle",
          `/blocks/${height}/statements/${hash}/merkle`,
        );
        expect(rootOf(hash, merklePath)).toBe(block.receiptsHash);
      }
    }
    expect(seenTypes.size).toBeGreaterThanOrEqual(MIN_TYPES);
  });
});

interface Step {
  readonly position: "left" | "right";
  readonly hash: string;
}

function rootOf(leaf: string, path: readonly Step[]): string {
  return path.reduce((hash, step) => {
    const pair = step.position === "left" ? step.hash + hash : hash + step.hash;
    return createHash("sha3-256").update(Buffer.from(pair, "hex")).digest("hex").toUpperCase();
  }, leaf);
}
