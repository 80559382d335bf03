import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { reportOutage } from "../../database/outage.js";
import { ProcessLock } from "../../database/process-lock.js";
import { ApiError } from "../errors/errors.js";
import { reportDatabaseLost } from "../errors/failure.js";
import type { EventReader } from "../feed/event-reader.js";
import { ReceiverAddresses } from "./addresses.js";
import { Poster } from "./post.js";
import { fillQueue, messageId } from "./queue.js";
import { claimMessage, giveUpMessages, markDelivered, markFailed, pruneMessages } from "./queued-messages.js";
import { signedHeaders } from "./signature.js";

const POOL_SIZE = 2;
const STATEMENT_TIMEOUT_MS = 30_000;
/** Delays of a failing database, in ms. */
const DATABASE_RETRY_MS = 5_000;

export interface DeliveryTimes {
  /** How often webhooks, waiting messages and due attempts are looked for, in ms. */
  readonly pollMs: number;
  /** Time for one answer, in ms. */
  readonly answerMs: number;
  /** First delay after a failure; each further one is twice as long, up to the next, in ms. */
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  /** A message is given up when it could not be delivered for this time, in ms. */
  readonly giveUpMs: number;
  /** How long a message is kept that was given up, in ms. */
  readonly deadMs: number;
  readonly pruneMs: number;
}

const HOUR = 3_600_000;
const DEFAULT_TIMES: DeliveryTimes = {
  pollMs: 1_000,
  answerMs: 15_000,
  firstRetryMs: 5_000,
  maxRetryMs: HOUR,
  giveUpMs: 24 * HOUR,
  deadMs: 30 * 24 * HOUR,
  pruneMs: 60_000,
};

export interface DelivererOptions {
  /** PostgreSQL that the indexer writes to. */
  readonly databaseUrl: string;
  readonly events: Pick<EventReader, "events">;
  readonly log: Logger;
  /** Addresses and networks that are not public, and may receive messages all the same. */
  readonly privateNetworks?: readonly string[] | undefined;
  readonly times?: Partial<DeliveryTimes>;
}

interface Receiver {
  readonly url: string;
  readonly secret: Buffer;
  readonly poster: Poster;
  readonly removed: AbortController;
  queueing: Promise<void> | undefined;
  sending: Promise<void> | undefined;
}

/**
 * Delivers messages of webhooks while it is the only process of its database that does so; others are on standby.
 * Messages of one webhook are sent one after the other, each until it is delivered or given up; webhooks do not wait
 * for each other.
 */
export class WebhookDeliverer {
  readonly #options: DelivererOptions;
  readonly #times: DeliveryTimes;
  readonly #addresses: ReceiverAddresses;
  readonly #receivers = new Map<number, Receiver>();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#times = { ...DEFAULT_TIMES, ...options.times };
    this.#addresses = new ReceiverAddresses(options.privateNetworks);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Waits for the attempt in progress, which is aborted: it is repeated by the next process. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { databaseUrl, log } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      let lock: ProcessLock | undefined;
      try {
        const { pollMs } = this.#times;
        const applicationName = "symbol-gateway webhooks";
        lock = await ProcessLock.acquire({ databaseUrl, name: "deliversWebhooks", applicationName, signal, pollMs });
        if (lock) await this.#deliver(AbortSignal.any([signal, lock.lost]));
      } catch (error) {
        if (!signal.aborted && !reportDatabaseLost(log, error))
          log.warn({ err: error }, "Delivering webhooks failed; trying again");
        await sleep(DATABASE_RETRY_MS, undefined, { signal }).catch(() => undefined);
      } finally {
        await lock?.release();
      }
    }
  }

  async #deliver(signal: AbortSignal): Promise<void> {
    const { databaseUrl, log } = this.#options;
    const db = openDatabase({
      url: databaseUrl,
      poolSize: POOL_SIZE,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      applicationName: "symbol-gateway webhooks",
      onError: (error) => reportOutage(log, error),
    });
    try {
      let prunedAt = performance.now();
      while (!signal.aborted) {
        const hooks = await db.selectFrom("webhooks").select(["id", "url", "secret"]).orderBy("id").execute();
        this.#forgetExcept(new Set(hooks.map(({ id }) => id)));
        for (const { id, url, secret } of hooks) this.#serve(db, id, this.#receiver(id, url, secret), signal);
        if (performance.now() - prunedAt >= this.#times.pruneMs) {
          await pruneMessages(db, this.#times.deadMs);
          prunedAt = performance.now();
        }
        await sleep(this.#times.pollMs, undefined, { signal }).catch(() => undefined);
      }
    } finally {
      const work = [...this.#receivers.values()].flatMap(({ queueing, sending }) => [queueing, sending]);
      this.#forgetExcept(new Set());
      await Promise.all(work);
      await db.destroy();
    }
  }

  #receiver(id: number, url: string, secret: Buffer): Receiver {
    const known = this.#receivers.get(id);
    if (known) return known;
    const poster = new Poster(url, this.#addresses, this.#times.answerMs);
    const removed = new AbortController();
    const receiver = { url, secret, poster, removed, queueing: undefined, sending: undefined };
    this.#receivers.set(id, receiver);
    return receiver;
  }

  #forgetExcept(kept: ReadonlySet<number>): void {
    for (const [id, { poster, removed }] of this.#receivers) {
      if (kept.has(id)) continue;
      removed.abort();
      poster.close();
      this.#receivers.delete(id);
    }
  }

  /** Turns events into messages, and sends what is due, unless that is in progress. */
  #serve(db: Db, id: number, receiver: Receiver, ending: AbortSignal): void {
    const signal = AbortSignal.any([ending, receiver.removed.signal]);
    if (signal.aborted) return;
    const { pollMs } = this.#times;
    const onStored = () => this.#send(db, id, receiver, signal);
    receiver.queueing ??= fillQueue({ db, events: this.#options.events, pollMs, onStored }, id, signal)
      .catch((error: unknown) => this.#report(id, error, signal))
      .finally(() => {
        receiver.queueing = undefined;
      });
    this.#send(db, id, receiver, signal);
  }

  #send(db: Db, id: number, receiver: Receiver, signal: AbortSignal): void {
    receiver.sending ??= this.#sendAll(db, id, receiver, signal)
      .catch((error: unknown) => this.#report(id, error, signal))
      .finally(() => {
        receiver.sending = undefined;
      });
  }

  #report(webhook: number, error: unknown, signal: AbortSignal): void {
    const { log } = this.#options;
    // Another process, or another statement at the same moment; or events cannot be read at present.
    const isExpected = (error as { code?: string }).code === "40001" || error instanceof ApiError;
    if (signal.aborted || isExpected || reportDatabaseLost(log, error, { webhook })) return;
    log.warn({ err: error, webhook }, "Delivering a webhook failed; trying again");
  }

  async #sendAll(db: Db, id: number, { url, secret, poster }: Receiver, signal: AbortSignal): Promise<void> {
    const { log } = this.#options;
    while (!signal.aborted) {
      const message = await claimMessage(db, id);
      if (!message) return;
      const { number, body, attempts } = message;
      const headers = signedHeaders(messageId(id, number), body, secret, new Date());
      const failure = await poster.post(body, headers, signal);
      if (!failure) {
        await markDelivered(db, id, number);
        continue;
      }
      if (signal.aborted) return;
      const { problem, isGone, retryAfterMs = 0 } = failure;
      if (isGone) {
        const count = await giveUpMessages(db, id, problem);
        log.warn({ webhook: id, host: new URL(url).host, count }, "Webhook messages given up: the receiver is gone");
        return;
      }
      const { giveUpMs } = this.#times;
      const delayMs = Math.max(this.#delayAfter(attempts), Math.min(retryAfterMs, giveUpMs));
      const isDead = await markFailed(db, id, { number, problem, delayMs, giveUpMs });
      const facts = { webhook: id, host: new URL(url).host, number, attempts, problem };
      if (!isDead) log.info({ ...facts, delayMs }, "Webhook not delivered; trying again");
      else log.warn(facts, "Webhook message given up: replay it when the receiver works again");
      if (!isDead) return;
    }
  }

  #delayAfter(attempts: number): number {
    const { firstRetryMs, maxRetryMs } = this.#times;
    return Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(attempts - 1, 30));
  }
}
