import type { Logger } from "pino";

/** SQLSTATE: five characters. */
const STATE = /^[0-9A-Z]{5}$/;
/** Its classes: connections, transactions that met another one, resources, an administrator, the system. */
const OUTAGE_STATES = /^(08|40|53|57|58)/;
/** Errors of the driver without a code. */
const CONNECTION_LOST = /^(Connection terminated|Client (has encountered|was closed)|timeout exceeded when trying)/;

/**
 * Whether a statement failed because the server could not be reached, or could not run it now: the same statement may
 * succeed later. Otherwise the statement or its data are wrong.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  if (STATE.test(code)) return OUTAGE_STATES.test(code);
  return "syscall" in error || code === "ETIMEDOUT" || CONNECTION_LOST.test(error.message);
}

interface Outage {
  /** When it failed last, in ms. */
  readonly lastAt: number;
  readonly failures: number;
}

/** After so long without a failure, the next one is another outage, in ms. */
const QUIET_MS = 10_000;

/** By the log that they are reported to. */
const outages = new WeakMap<Logger, Outage>();

/** Logs an outage of the database in one line, and what else fails because of it at level debug; all are counted. */
export function reportOutage(log: Logger, err: unknown, fields: Readonly<Record<string, unknown>> = {}): void {
  const { lastAt, failures } = outages.get(log) ?? { lastAt: Number.NEGATIVE_INFINITY, failures: 0 };
  const now = performance.now();
  outages.set(log, { lastAt: now, failures: failures + 1 });
  log[now - lastAt > QUIET_MS ? "error" : "debug"]({ ...fields, err }, "Database connection lost");
}

/** Number of failures that were reported to a log. */
export function reportedFailures(log: Logger): number {
  return outages.get(log)?.failures ?? 0;
}
