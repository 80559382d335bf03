import type { Logger } from "pino";

/**
 * Why the database did not do what was asked, though neither the statement nor its data are wrong: it rejects the
 * connection until a setting changes, it cannot be reached, or it could not run this statement now.
 */
export type DatabaseFailure = "rejected" | "lost" | "busy";

/** By SQLSTATE. */
const STATES: readonly (readonly [RegExp, DatabaseFailure])[] = [
  // Unknown user, wrong password, host not allowed; unknown database.
  [/^(28...|3D000)$/, "rejected"],
  // Connection; shutting down or starting; files.
  [/^(08...|57P0.|58...)$/, "lost"],
  // Read-only, like a replaced primary; met another transaction; resources; cancelled.
  [/^(25006|40...|53...|57014)$/, "busy"],
];
/** Errors of a connected socket; all errors of connecting have `connect` or `getaddrinfo` as their system call. */
const SOCKET_ERRORS = new Set(["ECONNABORTED", "ECONNRESET", "EHOSTUNREACH", "ENETUNREACH", "EPIPE", "ETIMEDOUT"]);
const CONNECTING = new Set(["connect", "getaddrinfo"]);
/** Errors of the driver without a code. */
const DRIVER_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|not queryable/;

/** What an error says of the database; undefined if it is of another kind. Network errors have no class of their own. */
export function databaseFailureOf(error: unknown): DatabaseFailure | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  // Node tries every address of a name, and reports an error for each.
  if ("errors" in error && Array.isArray(error.errors)) return error.errors.map(databaseFailureOf).find(Boolean);
  const code = "code" in error ? String(error.code) : "";
  const [, ofState] = STATES.find(([states]) => states.test(code)) ?? [];
  if (ofState) return ofState;
  const isConnecting = "syscall" in error && CONNECTING.has(String(error.syscall));
  const isOfDriver = "message" in error && DRIVER_MESSAGES.test(String(error.message));
  return SOCKET_ERRORS.has(code) || isConnecting || isOfDriver ? "lost" : undefined;
}

interface Outage {
  /** When it failed last, in ms. */
  readonly lastAt: number;
  /** When it was last logged. */
  readonly loggedAt: number;
  readonly failures: number;
}

/** After so long without a failure, the next one is another outage, in ms. */
const QUIET_MS = 10_000;
/** Interval of the lines about one outage, in ms. */
const LOG_MS = 60_000;

/** By the log that they are reported to. */
const outages = new WeakMap<Logger, Outage>();

/**
 * Logs an outage of the database in one line a minute, and what else fails because of it at level debug; all are counted.
 */
export function reportOutage(log: Logger, err: unknown, fields: Readonly<Record<string, unknown>> = {}): void {
  const never = Number.NEGATIVE_INFINITY;
  const { lastAt, loggedAt, failures } = outages.get(log) ?? { lastAt: never, loggedAt: never, failures: 0 };
  const now = performance.now();
  const isLogged = now - lastAt > QUIET_MS || now - loggedAt > LOG_MS;
  outages.set(log, { lastAt: now, loggedAt: isLogged ? now : loggedAt, failures: failures + 1 });
  log[isLogged ? "error" : "debug"]({ ...fields, err }, "Database connection lost");
}

/**
 * Reports an error that belongs to an outage of the database: it cannot be reached, or rejects connections, but it did not
 * reject or cancel one statement.
 * @returns whether it does
 */
export function reportDatabaseLost(
  log: Logger,
  error: unknown,
  fields: Readonly<Record<string, unknown>> = {},
): boolean {
  const failure = databaseFailureOf(error);
  const isLost = failure === "lost" || failure === "rejected";
  if (isLost) reportOutage(log, error, fields);
  return isLost;
}

/** Number of failures that were reported to a log. */
export function reportedFailures(log: Logger): number {
  return outages.get(log)?.failures ?? 0;
}
