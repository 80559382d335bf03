import { parentPort } from "node:worker_threads";
import type { ThreadReady } from "./dry-run-job.js";
import { threadFolder, yieldToOthers } from "./processor-time.js";

/** A thread that tries transactions. It leaves the processor to others already while it loads what it needs. */

const folder = threadFolder();
if (folder !== undefined) yieldToOthers(folder);
await import("./dry-run-requests.js");
// Everything is loaded: the time of a step counts from now on.
parentPort?.postMessage({ folder } satisfies ThreadReady);
