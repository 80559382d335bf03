import { Kysely, type LogEvent } from "kysely";
import pg from "pg";
import type { PreparedClient } from "../../database/binary/client.js";
import { BinaryDialect } from "../../database/binary/driver.js";
import { types } from "../../database/column-types.js";
import { watchedConnections } from "../../database/connection.js";
import type { Database, Db } from "../../database/database.js";

/** A node of a plan, as PostgreSQL's EXPLAIN (FORMAT JSON, ANALYZE) writes it. */
export interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  /** Rows returned by one run of the node, on average. */
  readonly "Actual Rows"?: number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Actual Loops"?: number;
  readonly Plans?: readonly PlanNode[];
}

interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** The recommendations of docs/operations.md, on a server with other settings too: plans of small tables depend on it. */
const RECOMMENDED = "-c random_page_cost=1.1 -c jit=off";

/** Runs queries and reports how PostgreSQL executed them. */
export class QueryPlans {
  readonly db: Db;
  readonly #pool: pg.Pool;
  #statements: Statement[] = [];

  /** @param settings further ones, such as `-c enable_seqscan=off` */
  constructor(url: string, settings = "") {
    this.#pool = new pg.Pool({
      ...watchedConnections(url),
      connectionString: url,
      types,
      max: 2,
      options: `${RECOMMENDED} ${settings}`,
    });
    const log = ({ query: { sql, parameters } }: LogEvent) => void this.#statements.push({ sql, parameters });
    const connect = () => this.#pool.connect() as Promise<pg.PoolClient & PreparedClient>;
    this.db = new Kysely<Database>({ dialect: new BinaryDialect({ connect, end: () => this.#pool.end() }), log });
  }

  /**
   * All nodes of the plans of all statements that `work` ran, as they were executed.
   * @param values which PostgreSQL plans them for: any, as gateways have it, or theirs
   */
  async of(work: (db: Db) => Promise<unknown>, values: "custom" | "generic" = "generic"): Promise<PlanNode[]> {
    this.#statements = [];
    await work(this.db);
    const nodes: PlanNode[] = [];
    for (const statement of this.#statements) {
      const plans = await this.#explain(statement, `force_${values}_plan`);
      for (const { Plan } of plans) nodes.push(...flatten(Plan));
    }
    return nodes;
  }

  /** As a prepared statement, with a mode of `plan_cache_mode`. */
  async #explain({ sql, parameters }: Statement, mode: string): Promise<readonly { Plan: PlanNode }[]> {
    const client = await this.#pool.connect();
    try {
      await client.query(`set plan_cache_mode = ${mode}`);
      await client.query(`prepare explained as ${sql}`);
      const values = parameters.map(literalOf).join(", ");
      const { rows } = await client.query<{ "QUERY PLAN": { Plan: PlanNode }[] }>(
        `explain (analyze, format json, costs off, timing off) execute explained${values && `(${values})`}`,
      );
      return rows[0]?.["QUERY PLAN"] ?? [];
    } finally {
      await client.query("deallocate explained");
      client.release();
    }
  }

  async close(): Promise<void> {
    await this.db.destroy();
  }
}

/** A value of a statement as a literal, whose type is that of its parameter. */
function literalOf(value: unknown): string {
  return value === null || value === undefined ? "null" : pg.escapeLiteral(textOf(value));
}

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return `\\x${value.toString("hex")}`;
  return Array.isArray(value) ? `{${value.map((item) => JSON.stringify(textOf(item))).join(",")}}` : String(value);
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}

/** Tables that were read from end to end, each once; without those in `small`, which have a row or two. */
export function scannedTables(nodes: readonly PlanNode[], small: readonly string[] = ["head"]): string[] {
  const scanned = nodes.filter((node) => node["Node Type"].endsWith("Seq Scan"));
  return [...new Set(scanned.map((node) => node["Relation Name"] ?? "?"))].filter((name) => !small.includes(name));
}

/** The maximum number of rows that one node has read. */
export function maxRows(nodes: readonly PlanNode[]): number {
  return Math.max(0, ...nodes.map(rowsRead));
}

/** The nodes that have read more rows, as text. */
export function nodesAbove(max: number, nodes: readonly PlanNode[]): string[] {
  const above = nodes.filter((node) => rowsRead(node) > max);
  return above.map(
    (node) => `${node["Node Type"]} ${node["Index Name"] ?? node["Relation Name"] ?? ""}: ${rowsRead(node)}`,
  );
}

function rowsRead(node: PlanNode): number {
  const rows = (node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0);
  return rows * Math.max(1, node["Actual Loops"] ?? 1);
}

/** Indexes that were used. */
export function usedIndexes(nodes: readonly PlanNode[]): string[] {
  return [...new Set(nodes.flatMap((node) => node["Index Name"] ?? []))].sort();
}
