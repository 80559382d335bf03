import type { Benchmark } from "./benchmark.js";
import { costlyBlocks } from "./costly-blocks.js";
import { deepPages } from "./deep-pages.js";
import { execute } from "./execute.js";
import { graphql } from "./graphql.js";
import { growth } from "./growth.js";
import { largeBlock } from "./large-block.js";
import { mainNetworkSize } from "./main-network-size.js";
import { questions } from "./questions.js";
import { reference } from "./reference.js";
import { restPages } from "./rest-pages.js";
import { simulate } from "./simulate.js";
import { size } from "./size.js";
import { webSocketAnnounce } from "./websocket-announce.js";
import { webSocketBroadcast } from "./websocket-broadcast.js";
import { webSocketIdle } from "./websocket-idle.js";
import { webSocketTopics } from "./websocket-topics.js";

/** Every benchmark, in the order in which they run and appear in results.md. */
export const benchmarks: readonly Benchmark[] = [
  restPages,
  reference,
  deepPages,
  questions,
  graphql,
  largeBlock,
  execute,
  costlyBlocks,
  growth,
  simulate,
  size,
  mainNetworkSize,
  webSocketBroadcast,
  webSocketIdle,
  webSocketTopics,
  webSocketAnnounce,
];
