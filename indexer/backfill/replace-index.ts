import { AdvisoryLock } from "../../database/advisory-lock.js";
import { type BackfillOptions, type BackfillReport, backfill } from "./backfill.js";
import { takeOver } from "./take-over.js";

/** How long it waits for the end of the other indexer before it fills what has become final meanwhile, in ms. */
const WAIT_MS = 10_000;

/**
 * Fills an index from another database, which is served and written meanwhile, and takes its place once no indexer
 * writes there any more: then the rest of the blocks follows, and everything that no block determines.
 * @returns a report; undefined if `signal` was aborted before it had begun
 * @throws what {@link backfill} and {@link takeOver} throw
 */
export async function replaceIndex(
  options: Omit<BackfillOptions, "source">,
  otherUrl: string,
  signal: AbortSignal,
): Promise<BackfillReport | undefined> {
  const { log, databaseUrl } = options;
  const fill = (upTo: "finalized" | "head", until: AbortSignal) =>
    backfill({ ...options, source: { url: otherUrl, upTo } }, until);
  let report: BackfillReport | undefined;
  let lock: AdvisoryLock | undefined;
  let isAnnounced = false;
  while (!lock && !signal.aborted) {
    report = await fill("finalized", signal);
    lock = await AdvisoryLock.acquire({
      databaseUrl: otherUrl,
      name: "writesIndex",
      applicationName: "symbol-gateway writer lock",
      signal: AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]),
      onWaiting: () => {
        if (!isAnnounced) log.info({ height: report?.height }, "Filled; stop the indexer of the other database now");
        isAnnounced = true;
      },
    });
  }
  if (!lock) return report;
  try {
    report = await fill("head", AbortSignal.any([signal, lock.lost]));
    lock.lost.throwIfAborted();
    if (signal.aborted || !report || report.height < report.target) return report;
    const taken = await takeOver(databaseUrl, otherUrl, lock.lost);
    log.info(taken, "Took over from the other database: restart the gateways with this one, then start the indexer");
    return report;
  } finally {
    await lock.release();
  }
}
