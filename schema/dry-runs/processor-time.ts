import { readFileSync, readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import path from "node:path";

const NS_PER_MS = 1_000_000;
/**
 * The "nice" value of threads that try transactions: a third of the weight of others. The lowest value (19) has 1.5 %,
 * with which a dry run of 100 ms takes seconds beside two busy programs: then announcements are not answered.
 */
const NICE = 5;

/**
 * The folder of the calling thread below `/proc`, by which another thread reads its processor time; undefined where the
 * system has none (macOS).
 */
export function threadFolder(): string | undefined {
  try {
    const folder = `/proc/${readlinkSync("/proc/thread-self")}`;
    readProcessorTime(folder);
    return folder;
  } catch {
    return undefined;
  }
}

/** The processor time of the thread with this folder since it began, in ms. @throws Error when the thread has ended */
export function readProcessorTime(folder: string): number {
  return Number(readFileSync(`${folder}/schedstat`, "latin1").split(" ", 1)[0]) / NS_PER_MS;
}

/** Gives other threads more of a busy processor than the one with this folder, as far as the system allows it. */
export function yieldToOthers(folder: string): void {
  try {
    setPriority(Number(path.basename(folder)), NICE);
  } catch {
    // A sandbox may forbid it: then dry runs compete with answers, each for its limited time.
  }
}
