import { encodeAddress } from "../../catapult/entity/address.js";
import type { EventWriter } from "./event-writer.js";
import type { Resuming } from "./resuming.js";
import { ResumingClient } from "./resuming-client.js";
import { ResumingStream } from "./resuming-stream.js";
import { ResumingSubscription } from "./resuming-subscription.js";
import type { SeededRandom } from "./seeded-random.js";
import { until } from "./until.js";
import { WebhookReceiver } from "./webhook-receiver.js";

/** Sequences by topic. */
type Received = ReadonlyMap<string, readonly number[]>;

/**
 * A client of each transport for each list of topics, which resumes after any disconnection, and a webhook for the topics
 * without an address. Topics are a channel, or a channel and an address.
 */
export class ResumingCrowd {
  readonly #clients: readonly Resuming[];
  readonly #receiver = new WebhookReceiver();
  readonly #origin: () => string;
  readonly #topics: readonly string[];
  readonly #token: string;

  /** @param origin of any gateway, a different one each time perhaps, as `127.0.0.1:3000` */
  constructor(origin: () => string, topics: readonly (readonly string[])[], token = "") {
    this.#origin = origin;
    this.#token = token;
    this.#topics = [...new Set(topics.flat())];
    const query = (wanted: readonly string[]) => wanted.map((topic) => `topic=${topic}`).join("&");
    this.#clients = topics.flatMap((wanted) => [
      new ResumingClient(() => `ws://${origin()}/ws`, wanted),
      new ResumingStream(() => `http://${origin()}/events?${query(wanted)}`, wanted),
      new ResumingSubscription(() => `ws://${origin()}/graphql`, wanted, token),
    ]);
  }

  async start(): Promise<void> {
    await this.#receiver.listen();
    const headers: Record<string, string> = this.#token ? { authorization: `Bearer ${this.#token}` } : {};
    await this.#receiver.subscribe(`http://${this.#origin()}`, this.#channels, headers);
    for (const client of this.#clients) client.start();
  }

  /** Drops the connection of one. */
  drop(random: SeededRandom): void {
    this.#clients[random.below(this.#clients.length)]!.drop();
  }

  /** Number of messages received. */
  get received(): number {
    return (
      this.#receiver.received.length + this.#clients.flatMap(({ received }) => [...received.values()]).flat().length
    );
  }

  /**
   * Waits until everyone has the last event of each topic.
   * @returns what should not be so: an event that is missing, repeated or out of order, or a complaint
   */
  async problems(writer: EventWriter, timeoutMs?: number): Promise<string[]> {
    const expected = await this.#expected(writer);
    const lacksLast = ([topic, received]: [string, readonly number[]]) =>
      received.at(-1) !== expected.get(topic)?.at(-1);
    const behind = () => this.#received().filter(([, received]) => [...received].some(lacksLast));
    const describe = () => `every client has its last messages: ${JSON.stringify(behind().map(([name]) => name))}`;
    await until(
      () => behind().length === 0,
      describe,
      timeoutMs,
      () => this.received,
    );
    const different = this.#received().flatMap(([name, received]) =>
      [...received].flatMap(([topic, sequences]) => {
        const [got, wanted] = [sequences, expected.get(topic)].map((list) => JSON.stringify(list));
        return got === wanted ? [] : [`${name}, ${topic}: ${got} instead of ${wanted}`];
      }),
    );
    return [...different, ...this.#clients.flatMap(({ complaints }) => complaints), ...this.#receiver.problems];
  }

  async stop(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.stop()));
    await this.#receiver.close().catch(() => undefined);
  }

  get #channels(): readonly string[] {
    return this.#topics.filter((topic) => !topic.includes("/"));
  }

  #received(): [name: string, received: Received][] {
    return [
      ...this.#clients.map((client): [string, Received] => [client.constructor.name, client.received]),
      ["webhook", this.#delivered()],
    ];
  }

  /** What the webhook received: what was sent again, with the id of the first time, counts once. */
  #delivered(): Received {
    const seen = new Set<string>();
    const delivered = new Map<string, number[]>(this.#channels.map((topic) => [topic, []]));
    for (const { id, type, sequence } of this.#receiver.received) {
      if (seen.has(id)) continue;
      seen.add(id);
      delivered.get(type)?.push(sequence ?? 0);
    }
    return delivered;
  }

  /** The events of each topic, from the table of events. */
  async #expected(writer: EventWriter): Promise<Received> {
    const events = new Map<string, number[]>(this.#topics.map((topic) => [topic, []]));
    const rows = await writer.query("SELECT sequence::int4, channel, addresses FROM events ORDER BY events.sequence");
    for (const { sequence, channel, addresses } of rows) {
      const texts = (addresses as Buffer[]).map((address) => `${channel}/${encodeAddress(address)}`);
      for (const topic of [String(channel), ...texts]) events.get(topic)?.push(Number(sequence));
    }
    return events;
  }
}
