import type { Benchmark } from "./benchmark.js";
import { filling } from "./filling.js";
import { following } from "./following.js";
import { graphql } from "./graphql.js";
import { messages } from "./messages.js";
import { pages } from "./pages.js";
import { size } from "./size.js";

/** Every benchmark, in the order in which they run and appear among the results. */
export const benchmarks: readonly Benchmark[] = [pages, graphql, filling, following, messages, size];
