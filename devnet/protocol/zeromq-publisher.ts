import type { Logger } from "pino";
import type { XPublisher } from "zeromq";
import type { DevnetEventMap, DevnetEvents } from "../pool/events.js";
import {
  blockFrames,
  cosignatureFrames,
  dropBlocksFrames,
  type Frames,
  finalizedBlockFrames,
  partialAddedFrames,
  partialRemovedFrames,
  statusFrames,
  unconfirmedAddedFrames,
  unconfirmedRemovedFrames,
} from "./zeromq-frames.js";

/** Messages queued for a slow subscriber before it loses some. */
const HIGH_WATER_MARK = 100_000;

type Framing = { readonly [K in keyof DevnetEventMap]: (...event: DevnetEventMap[K]) => Frames[] };

const FRAMING: Framing = {
  block: blockFrames,
  dropBlocks: dropBlocksFrames,
  finalizedBlock: finalizedBlockFrames,
  unconfirmedAdded: unconfirmedAddedFrames,
  unconfirmedRemoved: unconfirmedRemovedFrames,
  partialAdded: partialAddedFrames,
  cosignatureAdded: cosignatureFrames,
  partialRemoved: partialRemovedFrames,
  status: statusFrames,
};

/** Options of a {@link ZeromqPublisher}. */
export interface ZeromqPublisherOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** 0 = any free port. */
  readonly port: number;
  readonly events: DevnetEvents;
  readonly log: Logger;
}

/** Publishes a devnet's events over ZeroMQ, as the broker of the reference node does. */
export class ZeromqPublisher {
  readonly #socket: XPublisher;
  readonly #log: Logger;
  readonly #unsubscribers: (() => void)[] = [];
  #queue: Frames[] = [];
  #sending: Promise<void> | undefined;
  #isClosed = false;
  #subscriptions = 0;

  /** Throws the system's error when the port cannot be listened on. */
  static async bind({ host = "127.0.0.1", port, events, log }: ZeromqPublisherOptions): Promise<ZeromqPublisher> {
    // native code, only loaded if needed
    const zeromq = await import("zeromq");
    const socket = new zeromq.XPublisher({ linger: 0, sendHighWaterMark: HIGH_WATER_MARK });
    // Also those to topics that others subscribe to.
    socket.verbosity = "allSubsUnsubs";
    try {
      await socket.bind(`tcp://${host}:${port || "*"}`);
    } catch (error) {
      socket.close();
      throw error;
    }
    return new ZeromqPublisher(socket, events, log);
  }

  private constructor(socket: XPublisher, events: DevnetEvents, log: Logger) {
    this.#socket = socket;
    this.#log = log;
    for (const name of Object.keys(FRAMING) as (keyof DevnetEventMap)[]) this.#publish(name, events);
    void this.#countSubscriptions();
  }

  /** Number of topics, of each subscriber; what is published before a subscription arrives is lost for it. */
  get subscriptions(): number {
    return this.#subscriptions;
  }

  /** Endpoint for subscribers, such as `tcp://127.0.0.1:7902`. */
  get endpoint(): string {
    return this.#socket.lastEndpoint ?? "";
  }

  /** Stops sending, and frees the port. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const unsubscribe of this.#unsubscribers) unsubscribe();
    this.#queue = [];
    await this.#sending;
    this.#socket.close();
  }

  async #countSubscriptions(): Promise<void> {
    for await (const [frame] of this.#socket) this.#subscriptions += frame?.[0] === 1 ? 1 : -1;
  }

  #publish<K extends keyof DevnetEventMap>(name: K, events: DevnetEvents): void {
    const listener = (...event: DevnetEventMap[K]) => this.#send(FRAMING[name](...event));
    // the emitter's types do not express that name and listener belong together
    const untyped = events as unknown as NodeJS.EventEmitter;
    untyped.on(name, listener as (...event: unknown[]) => void);
    this.#unsubscribers.push(() => untyped.off(name, listener as (...event: unknown[]) => void));
  }

  /** Sends messages in order: the socket accepts one at a time. */
  #send(messages: readonly Frames[]): void {
    this.#queue.push(...messages);
    this.#sending ??= this.#drain().finally(() => {
      this.#sending = undefined;
    });
  }

  async #drain(): Promise<void> {
    while (this.#queue.length && !this.#isClosed) {
      const messages = this.#queue;
      this.#queue = [];
      for (const frames of messages) {
        if (this.#isClosed) return;
        try {
          await this.#socket.send([...frames]);
        } catch (error) {
          this.#log.warn({ reason: (error as Error).message }, "devnet: publishing a message failed");
        }
      }
    }
  }
}
