import { Subscriber } from "zeromq";
import { freePort } from "./free-port.js";
import { TestBroker } from "./test-broker.js";

/** A relay between a broker and its subscriber: it can be cut, fall silent, and insert messages. */
export class BrokerRelay {
  readonly #source: Subscriber;
  readonly #relaying: Promise<void>;
  #broker: TestBroker | undefined;
  readonly url: string;
  #isSilent = false;

  private constructor(source: Subscriber, broker: TestBroker) {
    this.#source = source;
    this.#broker = broker;
    this.url = broker.url;
    this.#relaying = this.#relay();
  }

  /** @param url the broker's */
  static async start(url: string): Promise<BrokerRelay> {
    const source = new Subscriber({ linger: 0, receiveHighWaterMark: 0 });
    source.subscribe();
    source.connect(url);
    return new BrokerRelay(source, await TestBroker.bind(`tcp://127.0.0.1:${await freePort()}`));
  }

  /** Connections of subscribers. */
  get subscribers(): number {
    return this.#broker?.subscribers ?? 0;
  }

  /** Cuts all connections; messages are lost meanwhile. */
  cut(): void {
    this.#broker?.close();
    this.#broker = undefined;
  }

  /** Accepts connections again. */
  async restore(): Promise<void> {
    this.#broker ??= await TestBroker.bind(this.url);
  }

  /** Loses messages while the connections stay open. */
  fallSilent(isSilent = true): void {
    this.#isSilent = isSilent;
  }

  async say(...messages: (readonly Buffer[])[]): Promise<void> {
    await this.#broker?.publish(...messages);
  }

  async close(): Promise<void> {
    this.cut();
    this.#source.close();
    await this.#relaying;
  }

  async #relay(): Promise<void> {
    for await (const frames of this.#source)
      if (!this.#isSilent) await this.#broker?.publish(frames).catch(() => undefined);
  }
}
