import type { Logger } from "pino";

/** Lines about one cause within {@link SPAN_MS}; the others are at level debug. */
const MAX_LINES = 10;
const SPAN_MS = 60_000;

/** Errors of the current span by cause, by the log that they are reported to. */
const counts = new WeakMap<Logger, Map<string, number>>();

/**
 * Logs an error that a stranger can cause as often as he likes: at most 10 lines a minute about one cause, and then one
 * that says how many were left out.
 * @param cause such as the key of a client
 */
export function logLimited(
  log: Logger,
  cause: string,
  fields: Readonly<Record<string, unknown>>,
  message: string,
): void {
  const ofLog = counts.get(log) ?? new Map<string, number>();
  counts.set(log, ofLog);
  const count = (ofLog.get(cause) ?? 0) + 1;
  ofLog.set(cause, count);
  if (count === 1) setTimeout(() => endSpan(log, ofLog, cause), SPAN_MS).unref();
  log[count <= MAX_LINES ? "error" : "debug"]({ ...fields, cause }, message);
}

function endSpan(log: Logger, ofLog: Map<string, number>, cause: string): void {
  const leftOut = (ofLog.get(cause) ?? 0) - MAX_LINES;
  ofLog.delete(cause);
  if (leftOut > 0) log.error({ cause, leftOut }, "Left out further errors of one cause");
}
