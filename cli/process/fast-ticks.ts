import { executionAsyncResource } from "node:async_hooks";

/** Kept for ever. */
export let keptTick: object | undefined;

/**
 * Keeps `process.nextTick` fast, which a request calls about ten times. Node creates an object for each call, and V8
 * compiles that for the one shape it has seen. A garbage collection that finds no such object forgets the shape; the next
 * object has a new one, and from then on each call takes five times as long (Node 20 and 24). An object that stays keeps
 * the shape.
 */
export function keepTicksFast(): void {
  process.nextTick(() => {
    keptTick = executionAsyncResource();
  });
}
