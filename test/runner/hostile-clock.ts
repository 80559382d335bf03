import * as nodeModule from "node:module";
import { threadId } from "node:worker_threads";

/**
 * Preloaded into each process and thread of `npm test -- --hostile-clock`, so that a run shows at once what chance shows
 * once in a hundred runs: no two readings of a clock are equal, timers are late, and the event loop stalls.
 */

/** How far a clock may be ahead of the time, in ms: a loop that does nothing but read it must not reach tomorrow. */
const MAX_AHEAD_MS = 50;
/** Between two stalls of the event loop, and how long it stalls at most, in ms. */
const STALL_EVERY_MS = 1_000;
const LONGEST_STALL_MS = 100;
/** How late a timer is at most, in ms, and the part of them that is that late; the others are late by a few ms. */
const LATEST_MS = 100;
const PART_THAT_IS_LATE = 0.05;
const USUALLY_LATE_MS = 5;

type Handler = (...args: unknown[]) => void;
type Timer = (handler: Handler, ms?: number, ...args: unknown[]) => NodeJS.Timeout;

const draw = randomNumbers(Number(process.env.TEST_CLOCK_SEED ?? 1) + 7_919 * threadId);
const { setTimeout: originalTimeout } = globalThis;

makeReadingsDiffer();
makeTimersLate();
stallNow();

/** Numbers from 0 to 1 by mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A clock that is never read twice with the same result, until it is too far ahead. */
function growing(clock: () => number, minStep: number): () => number {
  let last = 0;
  return () => {
    const now = clock();
    last = last - now < MAX_AHEAD_MS ? Math.max(now, last + minStep) : last;
    return last;
  };
}

function makeReadingsDiffer(): void {
  const RealDate = Date;
  RealDate.now = growing(RealDate.now, 1);
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length > 0 ? args : [RealDate.now()], newTarget) as Date,
  });
  const now = growing(performance.now.bind(performance), 0.01);
  Object.defineProperty(performance, "now", { value: now, configurable: true, writable: true });
}

function lateBy(): number {
  return Math.floor(draw() * (draw() < PART_THAT_IS_LATE ? LATEST_MS : USUALLY_LATE_MS));
}

function late(timer: Timer): Timer {
  const delayed: Timer = (handler, ms = 1, ...args) => timer(handler, ms + lateBy(), ...args);
  return Object.defineProperties(delayed, Object.getOwnPropertyDescriptors(timer)) as Timer;
}

function makeTimersLate(): void {
  const require = nodeModule.createRequire(import.meta.url);
  const timers = require("node:timers") as { setTimeout: Timer; setInterval: Timer };
  const promises = require("node:timers/promises") as {
    setTimeout: (ms?: number, value?: unknown, options?: object) => Promise<unknown>;
  };
  timers.setTimeout = late(timers.setTimeout);
  timers.setInterval = late(timers.setInterval);
  const { setTimeout: wait } = promises;
  promises.setTimeout = (ms = 1, value, options) => wait(ms + lateBy(), value, options);
  nodeModule.syncBuiltinESMExports();
  Object.assign(globalThis, { setTimeout: timers.setTimeout, setInterval: timers.setInterval });
}

/** The thread sleeps, so that a stall costs no processor time, and draws when it stalls next. */
function stallNow(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, draw() * LONGEST_STALL_MS);
  originalTimeout(stallNow, draw() * STALL_EVERY_MS).unref();
}
