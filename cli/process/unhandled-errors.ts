import type { Logger } from "pino";
import { logLimited } from "../../schema/limits/limited-log.js";

/** Of the limit of lines: all of them have one. */
const CAUSE = "unhandled rejection";

/**
 * Lets a server continue after a promise was rejected that nothing handles: that is a fault of this program in the work of
 * one request, and must not end the work of all others. It is logged and counted. An exception that nothing catches still
 * ends the process, which is then started again: it may have left anything half done, for any client.
 * @returns the number of such rejections since the start
 */
export function surviveRejections(log: Logger): () => number {
  let count = 0;
  process.on("unhandledRejection", (err) => {
    count += 1;
    logLimited(log, CAUSE, { err }, "A promise was rejected that nothing handles");
  });
  process.on("uncaughtExceptionMonitor", (err) => log.fatal({ err }, "An exception was thrown that nothing catches"));
  return () => count;
}
