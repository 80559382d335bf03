import type { Benchmark } from "./benchmark.js";
import { webSocketBroadcast } from "./websocket-broadcast.js";

/** Every benchmark, in the order in which they run and stand in docs/performance.md. */
export const benchmarks: readonly Benchmark[] = [webSocketBroadcast];
