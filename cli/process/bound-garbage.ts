import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What the heap may grow from one full collection to the next, in percent of what is in use: V8 lets it double or more. */
const HEAP_GROWTH_PERCENT = 40;
/** Memory outside of the heap that may be added before the young are collected, in bytes: V8 waits for 64 MiB. */
const OUTSIDE_BYTES = 16 * 1024 * 1024;
const LOOK_MS = 50;

/**
 * Keeps what is garbage already from piling up in this process. A few large bodies or pages leave hundreds of MiB behind
 * otherwise, before V8 finds it worth a collection. Where that is not the case, this costs nothing.
 */
export function boundGarbage(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: { type: "minor" }) => void;
  let inUse = getHeapStatistics().external_memory;
  setInterval(() => {
    const now = getHeapStatistics().external_memory;
    if (now < inUse + OUTSIDE_BYTES) {
      inUse = Math.min(inUse, now);
      return;
    }
    collect({ type: "minor" });
    inUse = getHeapStatistics().external_memory;
  }, LOOK_MS).unref();
}
