import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { nodeVersionWarning } from "./node-version.js";
import { onNpmEnd } from "./npm-parent.js";
import { outsideFailure } from "./outside-failure.js";
import { UsageError, usageExitCode } from "./usage-error.js";

/** A program that has not stopped after this time exits at once, in ms; its supervisor must wait longer. */
export const longestStopMs = 45_000;
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Sent by a parent process over the channel to stop the program; repeating it has no effect. */
export const stopMessage = "stop";

/** The parts of a running program, in the order in which they were started. */
export interface Parts {
  /**
   * Adds a part that was started. It is stopped before those that were added earlier.
   * @param ended settles when the part ends by itself, which ends the program with exit code 1, or 2 if a setting has to be
   *   changed
   * @throws StoppedWhileStarting when a stop was requested meanwhile; the part is stopped all the same
   */
  add(name: string, stop: () => Promise<void>, ended?: Promise<unknown>): void;
}

/** A stop was requested before everything had started. */
export class StoppedWhileStarting extends Error {
  constructor() {
    super("stopped while starting");
    this.name = "StoppedWhileStarting";
  }
}

interface Part {
  readonly name: string;
  readonly stop: () => Promise<void>;
}

/**
 * Starts the parts of a program by `start`, then waits for SIGINT, SIGTERM or SIGHUP, for `stopMessage` from the
 * parent process or for the parent's end (so nothing outlives a supervisor, npm or a test that was killed), or for the
 * end of a part. Then it stops the parts one after the other, the last one first. A second signal ends the process at
 * once.
 * @param start may do all the work itself, and then returns the exit code: a number
 * @returns the exit code: that of `start`, 0 after a signal, 1 after a part ended by itself or could not be stopped, 2 if a
 *   setting has to be changed
 * @throws what `start` throws, after the parts it had added were stopped
 */
export async function runUntilStopped(log: Logger, start: (parts: Parts) => Promise<unknown>): Promise<number> {
  // What supervises this process has said so already.
  const warning = process.send ? undefined : nodeVersionWarning(process.versions.node);
  if (warning) log.warn(warning);
  const parts: Part[] = [];
  let stopping = false;
  let finish: (code: number) => void = () => undefined;
  const finished = new Promise<number>((resolve) => {
    finish = resolve;
  });
  const onSignal = (signal: string): void => {
    if (stopping) {
      log.warn({ signal }, "Killed by a second signal");
      process.exit(130);
    }
    stopping = true;
    log.info({ signal }, "Stopping");
    finish(0);
  };
  const onDisconnect = (): void => {
    if (!stopping) onSignal("disconnect");
  };
  const onMessage = (message: unknown): void => {
    if (message === stopMessage && !stopping) onSignal(stopMessage);
  };
  for (const signal of signals) process.on(signal, onSignal);
  process.on("disconnect", onDisconnect);
  process.on("message", onMessage);
  process.channel?.unref();
  const stopWatching = onNpmEnd(() => {
    if (!stopping) onSignal("end of npm");
  });
  // The parent may have ended before the listener was added.
  if (process.send && !process.connected) onDisconnect();

  const partEnded = (name: string, error?: unknown): void => {
    if (stopping) return;
    stopping = true;
    const failure = outsideFailure(error);
    const sentence = error instanceof UsageError ? error.message : failure?.sentence;
    if (sentence) log.fatal({ part: name }, sentence);
    else log.fatal({ part: name, err: error }, "A part of the program ended unexpectedly");
    finish(error instanceof UsageError || failure?.isSetting ? usageExitCode : 1);
  };
  const collect: Parts = {
    add: (name, stop, ended) => {
      parts.push({ name, stop });
      ended?.then(
        () => partEnded(name),
        (error) => partEnded(name, error),
      );
      if (stopping) throw new StoppedWhileStarting();
    },
  };

  const started = start(collect);
  try {
    const code = await Promise.race([finished, started.then((code) => (typeof code === "number" ? code : finished))]);
    stopping = true;
    const stopCode = await stopAll(parts, log);
    // A part that was still starting is added only now.
    await Promise.race([started.catch(() => undefined), sleep(longestStopMs, undefined, { ref: false })]);
    return Math.max(code, stopCode, await stopAll(parts, log));
  } catch (error) {
    stopping = true;
    await stopAll(parts, log);
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
    stopWatching();
    process.off("disconnect", onDisconnect);
    process.off("message", onMessage);
  }
}

/** Stops the last part first, and removes each from the list. */
async function stopAll(parts: Part[], log: Logger): Promise<number> {
  let code = 0;
  for (let part = parts.pop(); part; part = parts.pop()) {
    const begun = Date.now();
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`still running after ${longestStopMs / 1000} s`)), longestStopMs);
    });
    try {
      await Promise.race([part.stop(), tooLong]);
      log.debug({ part: part.name, ms: Date.now() - begun }, "Stopped");
    } catch (err) {
      log.error({ part: part.name, err }, "A part could not be stopped");
      code = 1;
    } finally {
      clearTimeout(timer);
    }
  }
  return code;
}
