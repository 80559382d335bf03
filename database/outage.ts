import type { Logger } from "pino";

/**
 * Why the database did not do what was asked, though neither the statement nor its data are wrong: it rejects us until
 * a setting changes, there or here; it cannot be reached, or is not able to work; or it could not run this statement
 * now.
 */
export type DatabaseFailure = "rejected" | "lost" | "busy";

/** By SQLSTATE. */
const STATES: readonly (readonly [RegExp, DatabaseFailure])[] = [
  // Unknown user, wrong password, host not allowed; unknown database; without a right, also on a read-only disk.
  [/^(28...|3D000|42501)$/, "rejected"],
  // Connection; shutting down or starting; files.
  [/^(08...|57P0.|58...)$/, "lost"],
  // Read-only, like a replaced primary; met another transaction; resources; cancelled; a lock that was not free in time.
  [/^(25006|40...|53...|55P03|57014)$/, "busy"],
];
/** What ends a connection: of such an error, the state may be any, as of a file that the server cannot write. */
const ENDS_CONNECTION = new Set(["FATAL", "PANIC"]);
/** Node's codes for certificates that are not trusted, not valid now, or of another host. */
const CERTIFICATE_CODES =
  /^(ERR_TLS_CERT_|CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER|VERIFY)_)/;
/** An error of the driver without a code. */
const NO_ENCRYPTION = "The server does not support SSL connections";
/** Errors of a connected socket; all errors of connecting have `connect` or `getaddrinfo` as their system call. */
const SOCKET_ERRORS = new Set(["ECONNABORTED", "ECONNRESET", "EHOSTUNREACH", "ENETUNREACH", "EPIPE", "ETIMEDOUT"]);
const CONNECTING = new Set(["connect", "getaddrinfo"]);
/** Errors of the driver without a code. */
const DRIVER_MESSAGES: readonly (readonly [RegExp, DatabaseFailure])[] = [
  // The server asks for a password, and there is none.
  [/^SASL: /, "rejected"],
  [/Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout/, "lost"],
  [/not queryable/, "lost"],
];

/** Whether the server's certificate was not accepted. */
export function isCertificateFailure(error: object): boolean {
  return "code" in error && CERTIFICATE_CODES.test(String(error.code));
}

/** Whether the server does not encrypt connections, but its URL requires that. */
export function lacksEncryption(error: object): boolean {
  return "message" in error && error.message === NO_ENCRYPTION;
}

/** What an error says of the database; undefined if it is of another kind. Network errors have no class of their own. */
export function classifyDatabaseFailure(error: unknown): DatabaseFailure | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  // Node tries every address of a name, and reports an error for each.
  if ("errors" in error && Array.isArray(error.errors)) return error.errors.map(classifyDatabaseFailure).find(Boolean);
  const code = "code" in error ? String(error.code) : "";
  const [, ofState] = STATES.find(([states]) => states.test(code)) ?? [];
  if (ofState === "rejected" || ofState === "lost") return ofState;
  if ("severity" in error && ENDS_CONNECTION.has(String(error.severity))) return "lost";
  if (ofState) return ofState;
  if (isCertificateFailure(error) || lacksEncryption(error)) return "rejected";
  const isConnecting = "syscall" in error && CONNECTING.has(String(error.syscall));
  if (SOCKET_ERRORS.has(code) || isConnecting) return "lost";
  const message = "message" in error ? String(error.message) : "";
  return DRIVER_MESSAGES.find(([messages]) => messages.test(message))?.[1];
}

interface Outage {
  /** When it failed last, in ms. */
  readonly lastAt: number;
  /** When each sentence was last logged. */
  readonly loggedAt: ReadonlyMap<string, number>;
  readonly failures: number;
}

/** After so long without a failure, the next one is another outage, in ms. */
const QUIET_MS = 10_000;
/** Interval of the lines about one outage, in ms. */
const LOG_MS = 60_000;
const LOST = "Database connection lost";
const REJECTED = "The database rejects the connection; waiting until it accepts it";
const NEVER = Number.NEGATIVE_INFINITY;

/** The outages by the log that they are reported to. */
const outages = new WeakMap<Logger, Outage>();

/**
 * Logs an outage of the database in one line a minute, and what else fails because of it at level debug; all are counted.
 * That the database rejects us is a line of its own.
 */
export function reportOutage(log: Logger, err: unknown, fields: Readonly<Record<string, unknown>> = {}): void {
  const { lastAt, loggedAt, failures } = outages.get(log) ?? { lastAt: NEVER, loggedAt: new Map(), failures: 0 };
  const now = performance.now();
  const isRejected = classifyDatabaseFailure(err) === "rejected";
  const sentence = isRejected ? REJECTED : LOST;
  const known = now - lastAt > QUIET_MS ? new Map<string, number>() : loggedAt;
  const isLogged = now - (known.get(sentence) ?? NEVER) > LOG_MS;
  outages.set(log, {
    lastAt: now,
    loggedAt: isLogged ? new Map([...known, [sentence, now]]) : known,
    failures: failures + 1,
  });
  log[isLogged ? "error" : "debug"]({ ...fields, err }, sentence);
}

/**
 * Reports an error that belongs to an outage of the database: it cannot be reached, or rejects us, but it did not
 * reject or cancel one statement.
 * @returns whether it does
 */
export function reportDatabaseLost(
  log: Logger,
  error: unknown,
  fields: Readonly<Record<string, unknown>> = {},
): boolean {
  const failure = classifyDatabaseFailure(error);
  const isLost = failure === "lost" || failure === "rejected";
  if (isLost) reportOutage(log, error, fields);
  return isLost;
}

/** Number of failures that were reported to a log. */
export function reportedFailures(log: Logger): number {
  return outages.get(log)?.failures ?? 0;
}
