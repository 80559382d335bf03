import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Memory outside the heap that may be added before a young collection, in bytes: V8's default is 64 MiB. */
const OUTSIDE_BYTES = 16 * 1024 * 1024;
const LOOK_MS = 50;

/**
 * Limits garbage outside the heap of this process. Otherwise a few large bodies or pages leave hundreds of MiB behind
 * before V8 starts a collection. In other cases this costs nothing. The heap is limited by the V8 options of the command.
 */
export function boundGarbage(): void {
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
