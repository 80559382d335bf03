import { sql } from "kysely";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { PendingGroup } from "../../catapult/structs/transaction.js";
import type { Db } from "../../database/database.js";
import type { FillStatus } from "./fill-rate.js";

/** Timeout of reading metrics from the database, in ms; then they are omitted. */
const DATABASE_TIMEOUT_MS = 3_000;

/** What is only counted. */
const COUNTERS = {
  blocks_total: "Blocks written",
  transactions_total: "Transactions written, without embedded ones",
  state_values_total: "State values written",
  roll_backs_total: "Switches of the node to another branch",
  dropped_blocks_total: "Blocks rolled back by such switches",
  unknown_entities_total: "Entities of types or versions unknown to this program",
  differing_blocks_total: "Blocks indexed because votes prove them, whose state hash is another one than computed",
  contradicted_finalizations_total: "Blocks that votes made final and that are not in the chain of the nodes",
  errors_total: "Failures after which following was restarted",
  state_reloads_total: "Times that the state in memory was loaded again from the database after a failure",
} as const;

/** What is counted of a written range. */
export interface WrittenRange {
  readonly blocks: number;
  readonly transactions: number;
  readonly changedValues: number;
  /** The position of the index before. */
  readonly indexed: { readonly height: number };
  readonly rollBackTo?: { readonly height: number } | undefined;
}

/** Prometheus metrics of one indexer and its process. */
export class IndexerMetrics {
  readonly #registry = new Registry();
  readonly #writing = this.#gauge("writing", "1 while this indexer writes, 0 while it is on standby");
  readonly #height = this.#gauge("height", "Height of the index");
  readonly #finalizedHeight = this.#gauge("finalized_height", "Height of the last finalized block in the index");
  readonly #nodeHeight = this.#gauge("node_height", "Height of the node's chain at the last poll");
  readonly #unconfirmed = this.#gauge("unconfirmed_transactions", "Unconfirmed transactions");
  readonly #partial = this.#gauge("partial_transactions", "Partial aggregates");
  readonly #databaseUp = this.#gauge("database_up", "1 if the database responds");
  readonly #counters = this.#makeCounters(COUNTERS);
  readonly #rejectedData = new Counter({
    name: "symbol_indexer_rejected_data_total",
    help: "Invalid data served by nodes, by reason",
    labelNames: ["reason"],
    registers: [this.#registry],
  });
  readonly #fill = {
    target: this.#gauge("fill_target_height", "Last height of the backfilled range"),
    blocksPerSecond: this.#gauge("fill_blocks_per_second", "Current rate of backfilled blocks per second"),
    transactionsPerSecond: this.#gauge(
      "fill_transactions_per_second",
      "Current rate of backfilled transactions per second, without embedded ones",
    ),
    secondsLeft: this.#gauge("fill_seconds_left", "Estimated time until the range is filled"),
  };
  readonly #writeSeconds = new Histogram({
    name: "symbol_indexer_step_seconds",
    help: "Duration of writing a range of blocks into the database",
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [this.#registry],
  });
  #db: Db | undefined;

  constructor(version: string) {
    collectDefaultMetrics({ register: this.#registry });
    new Gauge({
      name: "symbol_indexer_info",
      help: "1, with the version of the program",
      labelNames: ["version"],
      registers: [this.#registry],
    }).set({ version }, 1);
    this.#writing.set(0);
    for (const reason of FAULT_REASONS) this.#rejectedData.inc({ reason }, 0);
    this.filling(undefined);
  }

  /** Sets the database from which metrics are read on each scrape. */
  readFrom(db: Db): void {
    this.#db = db;
  }

  /** Whether this indexer has become, or is no longer, the one that writes. */
  writes(isWriter: boolean): void {
    this.#writing.set(Number(isWriter));
  }

  count(what: keyof typeof COUNTERS, count = 1): void {
    this.#counters[what].inc(count);
  }

  rejectedData(reason: FaultReason): void {
    this.#rejectedData.inc({ reason });
  }

  polled(nodeHeight: number): void {
    this.#nodeHeight.set(nodeHeight);
  }

  /** A range was written, in `ms` milliseconds. */
  wrote({ blocks, transactions, changedValues, indexed, rollBackTo }: WrittenRange, ms: number): void {
    this.#writeSeconds.observe(ms / 1_000);
    this.count("blocks_total", blocks);
    this.count("transactions_total", transactions);
    this.count("state_values_total", changedValues);
    if (!rollBackTo) return;
    this.count("roll_backs_total");
    this.count("dropped_blocks_total", indexed.height - rollBackTo.height);
  }

  /** Progress of a fill; undefined when it has ended. */
  filling(status: FillStatus | undefined): void {
    for (const [name, gauge] of Object.entries(this.#fill)) {
      const value = status?.[name as keyof FillStatus];
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    }
  }

  /** All metrics in the text format of Prometheus. */
  async print(): Promise<{ text: string; contentType: string }> {
    await this.#readDatabase();
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }

  /** Values that cannot be read from the database are omitted. */
  async #readDatabase(): Promise<void> {
    const stored = [this.#height, this.#finalizedHeight, this.#unconfirmed, this.#partial];
    for (const gauge of stored) gauge.remove();
    const counts = this.#db && (await inTime(readCounts(this.#db)));
    this.#databaseUp.set(Number(counts !== undefined));
    for (const [index, count] of (counts ?? []).entries()) stored[index]?.set(count);
  }

  #makeCounters<Name extends string>(helps: Readonly<Record<Name, string>>): Record<Name, Counter> {
    const registers = [this.#registry];
    const counters = Object.entries<string>(helps).map(([name, help]) => {
      return [name, new Counter({ name: `symbol_indexer_${name}`, help, registers })];
    });
    return Object.fromEntries(counters) as Record<Name, Counter>;
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name: `symbol_indexer_${name}`, help, registers: [this.#registry] });
  }
}

/** Height, finalized height, and numbers of unconfirmed and partial transactions, without embedded ones. */
async function readCounts(db: Db): Promise<number[]> {
  const count = (group: PendingGroup) =>
    sql`(select count(*) from pending_transactions where "group" = ${group} and not embedded)`;
  const { rows } = await sql<Record<"height" | "finalized" | PendingGroup, number>>`
    select coalesce(max(height), 0) as height, coalesce(max(finalized_height), 0) as finalized,
      ${count("unconfirmed")} as unconfirmed, ${count("partial")} as partial from head`.execute(db);
  return rows.flatMap(({ height, finalized, unconfirmed, partial }) => [height, finalized, unconfirmed, partial]);
}

async function inTime<T>(question: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, DATABASE_TIMEOUT_MS, undefined);
  });
  try {
    return await Promise.race([question.catch(() => undefined), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** The kind of a node's invalid data: the label of the metric. */
export const FAULT_REASONS = [
  "block",
  "receipts",
  "state",
  "finalization",
  "answer",
  "network",
  "score",
  "pool",
] as const;

export type FaultReason = (typeof FAULT_REASONS)[number];
