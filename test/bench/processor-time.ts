import { existsSync, readdirSync, readFileSync } from "node:fs";
import { withClient } from "../support/database.js";
import { type LoadOptions, loadHttp } from "./http-load.js";

const NANOSECONDS = 1e6;

/** Processor time of a process with all its threads since its start, in ms; undefined if it has ended. For Linux only. */
function processorTime(pid: number): number | undefined {
  const folder = `/proc/${pid}/task`;
  if (!existsSync(folder)) return undefined;
  const times = readdirSync(folder).map((thread) => readFileSync(`${folder}/${thread}/schedstat`, "utf8"));
  return times.reduce((sum, text) => sum + Number.parseInt(text, 10), 0) / NANOSECONDS;
}

/**
 * The processor time of some processes per request of a load, in ms. A process that ends meanwhile costs nothing: it serves
 * a connection that a pool closes because it has been idle for long. For Linux only.
 */
export async function costOfLoad(pids: readonly number[], load: LoadOptions): Promise<number> {
  const before = pids.map((pid) => processorTime(pid));
  const { times } = await loadHttp(load);
  const costs = pids.map((pid, place) => (processorTime(pid) ?? 0) - (before[place] ?? 0));
  return costs.reduce((sum, cost) => sum + Math.max(0, cost), 0) / times.length;
}

/** The processes of PostgreSQL that serve the connections to a database. */
export async function backendsOf(url: string): Promise<number[]> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    return rows.map(({ pid }) => pid);
  });
}
