import { type ChildProcessByStdio, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import type { GuardOrder } from "./postgres-guard.js";

const guardProgram = fileURLToPath(new URL("./postgres-guard.js", import.meta.url));
const pollMs = 20;
const stillStartingMs = 10_000;

/** The server ended before it accepted connections; `messages` are its last lines. */
export class PostgresStartError extends Error {
  readonly messages: readonly string[];

  constructor(messages: readonly string[]) {
    super(`PostgreSQL did not start: ${messages.join(" | ") || "it printed nothing"}`);
    this.name = "PostgresStartError";
    this.messages = messages;
  }

  /** Whether the server's messages contain `text`. */
  says(text: string): boolean {
    return this.messages.some((message) => message.includes(text));
  }
}

/** A running server and its guard process. */
export class PostgresServer {
  readonly #guard: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #clusterDirectory: string;
  readonly #log: Logger;
  readonly #lastMessages: string[] = [];
  #serverPid = 0;
  /** Resolves when the server and its guard have ended, whatever the reason. */
  readonly ended: Promise<void>;
  #hasEnded = false;

  /** Starts guard and server; await {@link PostgresServer.ready} next. */
  constructor(order: GuardOrder, clusterDirectory: string, log: Logger) {
    this.#clusterDirectory = clusterDirectory;
    this.#log = log;
    // In its own session: an interrupt typed in the terminal reaches us, and the server only when we are done with
    // it.
    this.#guard = spawn(process.execPath, [guardProgram, JSON.stringify(order)], {
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH: process.env.PATH },
    });
    this.#guard.stdin.on("error", () => undefined);
    this.#guard.stdout.on("data", (chunk: Buffer) => {
      this.#serverPid ||= Number.parseInt(chunk.toString(), 10);
    });
    createInterface({ input: this.#guard.stderr }).on("line", (line) => this.#message(line));
    this.ended = new Promise((resolve) => {
      this.#guard.once("error", (error) => {
        this.#message(`the guard process could not be started: ${error.message}`);
        resolve();
      });
      this.#guard.once("exit", (_code, signal) => {
        if (signal) this.#stopServerWithoutGuard();
      });
      // Later than "exit": the server and its helpers keep the other end of the guard's stderr open as long as they
      // live.
      this.#guard.once("close", () => resolve());
    });
    this.ended.then(() => {
      this.#hasEnded = true;
    });
  }

  /** Process id of the server, 0 before it runs. */
  get pid(): number {
    return this.#serverPid;
  }

  /**
   * Resolves when the server accepts connections (after a crash it first recovers, which can take minutes).
   * @throws PostgresStartError when it ended instead
   */
  async ready(): Promise<void> {
    const begun = Date.now();
    let reportedAt = begun;
    while (!(await this.#isReady())) {
      if (this.#hasEnded) throw new PostgresStartError(this.#lastMessages);
      if (Date.now() - reportedAt > stillStartingMs) {
        reportedAt = Date.now();
        this.#log.info({ seconds: Math.round((reportedAt - begun) / 1000) }, "PostgreSQL is still starting");
      }
      await Promise.race([sleep(pollMs), this.ended]);
    }
  }

  /** Stops the server (connections are closed, everything is written) and waits for its end. May be called twice. */
  async stop(): Promise<void> {
    this.#guard.stdin.end();
    await this.ended;
  }

  /**
   * The server writes its process id on the first line of this file and its state on the eighth; a replica is a
   * standby.
   */
  async #isReady(): Promise<boolean> {
    if (this.#serverPid === 0) return false;
    const lines = await readLockFile(this.#clusterDirectory);
    return lines[0] === String(this.#serverPid) && ["ready", "standby"].includes(lines[7]?.trim() ?? "");
  }

  #stopServerWithoutGuard(): void {
    try {
      if (this.#serverPid > 0) process.kill(this.#serverPid, "SIGINT");
    } catch {
      // it has ended too
    }
  }

  #message(line: string): void {
    this.#lastMessages.push(line);
    if (this.#lastMessages.length > 20) this.#lastMessages.shift();
    if (line.includes("PANIC:")) this.#log.error({ line }, "PostgreSQL panicked");
    else if (/\b(WARNING|ERROR|FATAL):/.test(line)) this.#log.debug({ line }, "PostgreSQL logged an error");
    else this.#log.trace({ line }, "PostgreSQL logged a message");
  }
}

/** Lines of `postmaster.pid`, empty if the file does not exist. */
export async function readLockFile(clusterDirectory: string): Promise<string[]> {
  const text = await readFile(path.join(clusterDirectory, "postmaster.pid"), "utf8").catch(() => "");
  return text.split("\n");
}
