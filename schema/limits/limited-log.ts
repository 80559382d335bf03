import type { Logger } from "pino";
import { RateLimit } from "./rate-limit.js";

/** Ten lines about one cause at once, and then ten a minute. */
const LINES = { perSecond: 10 / 60, burst: 10 };

/** Each log has its own limit, and no owner but the modules that write to it. */
const limits = new WeakMap<Logger, RateLimit>();

/**
 * Logs an error that a stranger can cause as often as he likes: ten lines about one cause, then one every six seconds;
 * the others are at level debug. A line after which others are left out says for how many seconds.
 * @param cause such as the key of a client
 */
export function logLimited(
  log: Logger,
  cause: string,
  fields: Readonly<Record<string, unknown>>,
  message: string,
): void {
  const limit = limits.get(log) ?? new RateLimit(LINES);
  limits.set(log, limit);
  const level = limit.take(cause) === undefined ? "error" : "debug";
  log[level]({ ...fields, cause, othersLeftOutForSeconds: limit.wait(cause) }, message);
}
