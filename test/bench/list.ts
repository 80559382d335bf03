import type { Benchmark } from "./benchmark.js";
import { webSocketAnnounce } from "./websocket-announce.js";
import { webSocketBroadcast } from "./websocket-broadcast.js";
import { webSocketIdle } from "./websocket-idle.js";
import { webSocketTopics } from "./websocket-topics.js";

/** Every benchmark, in the order in which they run and stand in docs/performance.md. */
export const benchmarks: readonly Benchmark[] = [webSocketBroadcast, webSocketIdle, webSocketTopics, webSocketAnnounce];
