import { Kysely, type LogEvent, PostgresDialect } from "kysely";
import pg from "pg";
import { openDatabase } from "../../database/connection.js";
import type { Database, Db } from "../../database/database.js";
import { readerOf, setReader } from "../../database/reader.js";

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
  /** Reads for `db`. */
  readonly #reading: Db;
  #statements: Statement[] = [];

  constructor(url: string) {
    this.#pool = new pg.Pool({ connectionString: url, max: 2, options: RECOMMENDED });
    const log = ({ query: { sql, parameters } }: LogEvent) => void this.#statements.push({ sql, parameters });
    this.db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: this.#pool }), log });
    this.#reading = openDatabase({ url, poolSize: 2 });
    setReader(this.db, (sql, parameters) => {
      this.#statements.push({ sql, parameters });
      return readerOf(this.#reading)(sql, parameters);
    });
  }

  /** All nodes of the plans of all statements that `work` ran, as they were executed. */
  async of(work: (db: Db) => Promise<unknown>): Promise<PlanNode[]> {
    this.#statements = [];
    await work(this.db);
    const nodes: PlanNode[] = [];
    for (const { sql, parameters } of this.#statements) {
      const { rows } = await this.#pool.query<{ "QUERY PLAN": { Plan: PlanNode }[] }>(
        `explain (analyze, format json, costs off, timing off) ${sql}`,
        [...parameters],
      );
      for (const { Plan } of rows[0]?.["QUERY PLAN"] ?? []) nodes.push(...flatten(Plan));
    }
    return nodes;
  }

  async close(): Promise<void> {
    await this.db.destroy();
    await this.#reading.destroy();
  }
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
export function mostRows(nodes: readonly PlanNode[]): number {
  const rows = nodes.map(
    (node) =>
      ((node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0)) * Math.max(1, node["Actual Loops"] ?? 1),
  );
  return Math.max(0, ...rows);
}

/** Indexes that were used. */
export function usedIndexes(nodes: readonly PlanNode[]): string[] {
  return [...new Set(nodes.flatMap((node) => node["Index Name"] ?? []))].sort();
}
