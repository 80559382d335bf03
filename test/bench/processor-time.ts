import { existsSync, readdirSync, readFileSync } from "node:fs";
import { withClient } from "../support/database.js";
import { type LoadOptions, loadHttp } from "./http-load.js";

const NANOSECONDS = 1e6;

/** Processor time of some processes with all their threads since their start, in ms. For Linux only. */
function processorTime(pids: readonly number[]): number {
  const threads = pids.flatMap((pid) =>
    readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`),
  );
  return (
    threads.reduce((sum, thread) => sum + Number.parseInt(readFileSync(`${thread}/schedstat`, "utf8"), 10), 0) /
    NANOSECONDS
  );
}

/** Fields of `/proc/PID/stat` after the name: the parent, and times in clock ticks, of it and of ended children. */
const STAT = { parent: 1, user: 11, childrenSystem: 14 };
/** Clock ticks per second, the same on all platforms of Linux. */
const TICKS = 100;

function statOf(pid: number | "self"): { readonly parent: number; readonly own: number; readonly ended: number } {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields
    .slice(STAT.user, STAT.childrenSystem + 1)
    .map((ticks) => (1_000 * Number(ticks)) / TICKS);
  return { parent: Number(fields[STAT.parent]), own: user + system, ended: childrenUser + childrenSystem };
}

/** Processor time of child processes of this one that have ended, in ms. For Linux only. */
export function timeOfEndedChildren(): number {
  return statOf("self").ended;
}

/** Processor time of all processes of a PostgreSQL server on this machine since its start, in ms. For Linux only. */
export async function timeOfServer(url: string): Promise<number> {
  const checkpointer = await withClient(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      "select pid from pg_stat_activity where backend_type = 'checkpointer'",
    );
    return rows[0]?.pid as number;
  });
  const server = statOf(checkpointer).parent;
  const others = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== String(server));
  const { own, ended } = statOf(server);
  return others.reduce((sum, name) => sum + timeIfChild(Number(name), server), own + ended);
}

/** 0 for a process that has ended meanwhile, or that is not a child. */
function timeIfChild(pid: number, parent: number): number {
  try {
    const stat = statOf(pid);
    return stat.parent === parent ? stat.own : 0;
  } catch {
    return 0;
  }
}

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

/**
 * The processor time of some processes per request of a load, in ms. A process that ends meanwhile costs nothing: it serves
 * a connection that a pool closes because it has been idle for long. For Linux only.
 */
export async function costOfLoad(pids: readonly number[], load: LoadOptions): Promise<number> {
  const before = pids.filter(isRunning).map((pid) => ({ pid, time: processorTime([pid]) }));
  const { times } = await loadHttp(load);
  const left = before.filter(({ pid }) => isRunning(pid));
  return left.reduce((sum, { pid, time }) => sum + processorTime([pid]) - time, 0) / times.length;
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
