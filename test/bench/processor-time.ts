import { readdirSync, readFileSync } from "node:fs";
import { withClient } from "./table-copies.js";

const NANOSECONDS = 1e6;

/** Processor time of some processes with all their threads since their start, in ms. For Linux only. */
export function processorTime(pids: readonly number[]): number {
  const threads = pids.flatMap((pid) =>
    readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`),
  );
  return (
    threads.reduce((sum, thread) => sum + Number.parseInt(readFileSync(`${thread}/schedstat`, "utf8"), 10), 0) /
    NANOSECONDS
  );
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
