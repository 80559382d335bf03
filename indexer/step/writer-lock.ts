import type { Logger } from "pino";
import { AdvisoryLock } from "../../database/advisory-lock.js";

/** The right to write the index. */
export const WriterLock = {
  /**
   * Waits until no other process writes to the database at `databaseUrl`, polling every `pollMs` milliseconds
   * (default 1,000).
   * @returns undefined when `signal` was aborted first
   * @throws the driver's error when the database is unreachable
   */
  acquire(options: {
    databaseUrl: string;
    log: Logger;
    signal: AbortSignal;
    pollMs?: number;
  }): Promise<AdvisoryLock | undefined> {
    const { databaseUrl, log, signal, pollMs } = options;
    return AdvisoryLock.acquire({
      databaseUrl,
      name: "writesIndex",
      applicationName: "symbol-gateway writer lock",
      signal,
      pollMs,
      onWaiting: () => log.info("Another indexer writes to this database; waiting to take over"),
    });
  },
};
