import { sql } from "kysely";
import { type BlockMessage, type BrokerMessage, decodeBrokerMessage } from "../../catapult/wire/zmq-message.js";
import type { Db } from "../../database/database.js";
import { BranchNode, type ServedBlock } from "./branch-node.js";
import { serverCredentials, silentLog } from "./connection-fixtures.js";
import { IndexedDatabase } from "./indexer-fixture.js";
import type { RecordedMessage } from "./recorded-chain.js";
import { type Lives, linesOf, PoolModel, writtenLives } from "./recorded-lifecycle.js";
import type { RecordedNode } from "./recorded-node.js";
import { TestBroker } from "./test-broker.js";
import { until } from "./until.js";

/** A node, its broker and an indexer that recorded messages are played to. */
export class LifePlayer {
  readonly node: BranchNode;
  readonly broker: TestBroker;
  readonly index: IndexedDatabase;
  readonly #pool = new PoolModel();
  /** Sequence of the last event before the start. */
  #start = 0;

  private constructor(node: BranchNode, broker: TestBroker, index: IndexedDatabase) {
    this.node = node;
    this.broker = broker;
    this.index = index;
  }

  /** @param index to continue, closed with the player; by default a new one */
  static async start(recording: RecordedNode, index?: IndexedDatabase): Promise<LifePlayer> {
    const node = await BranchNode.start({ ...recording, credentials: serverCredentials, log: silentLog });
    return new LifePlayer(node, await TestBroker.bind(), index ?? (await IndexedDatabase.create()));
  }

  get db(): Db {
    return this.index.db;
  }

  /** Lets the indexer follow a chain to its end. */
  async begin(blocks: readonly ServedBlock[], hears = true): Promise<void> {
    this.node.switchTo(blocks);
    await this.index.follow(this.node.address, hears ? { zmqUrl: this.broker.url } : { pollMs: 5 });
    const { eventSequence } = await this.index.waitFor((head) => head.height === blocks.length, 60_000);
    this.#start = eventSequence;
    if (hears) await until(() => this.broker.subscribers === 1, "the indexer listens to the broker");
    const looks = this.node.looksIntoPool;
    await until(() => this.node.looksIntoPool > looks, "the indexer follows pending transactions");
  }

  /** Adds a message's transaction to the node's pool, and publishes the message. */
  async publish({ frames }: RecordedMessage): Promise<void> {
    this.#pool.take(decodeBrokerMessage(frames));
    this.#pool.showOn(this.node);
    await this.broker.publish(frames);
  }

  /** Events written since the start. */
  written(): Promise<Lives> {
    return writtenLives(this.db, this.#start);
  }

  /** Waits until the expected number of events is written, or their number does not change for a while. */
  async settle(expected: Lives): Promise<Lives> {
    const wanted = sizeOf(expected);
    let before = -1;
    for (;;) {
      // Asked first: what settles between the two queries would be missing.
      const isSettled = !(await this.#isUnsettled());
      const lives = await this.written();
      const size = sizeOf(lives);
      if (size >= wanted || (size === before && isSettled)) return lives;
      before = size;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }

  /** Whether the reason of a removal may still become a status. */
  async #isUnsettled(): Promise<boolean> {
    const { rows } = await sql`
      select from awaited_transactions join transaction_statuses using (hash) limit 1`.execute(this.db);
    return rows.length > 0;
  }

  /** Hashes in a table of pending transactions, as upper-case hex digits. */
  async waiting(group: "unconfirmed" | "partial"): Promise<string[]> {
    const rows = await this.db
      .selectFrom(`${group}_transactions`)
      .select("hash")
      .where("hash", "is not", null)
      .execute();
    return rows.map(({ hash }) => hash?.toString("hex").toUpperCase() ?? "").sort();
  }

  async close(): Promise<void> {
    await this.index.drop();
    this.broker.close();
    await this.node.close();
  }
}

/** A message with its content. */
export interface DecodedMessage extends RecordedMessage {
  readonly message: BrokerMessage;
}

export function decoded(messages: readonly RecordedMessage[]): DecodedMessage[] {
  return messages.map((one) => ({ ...one, message: decodeBrokerMessage(one.frames) }));
}

/** The blocks in messages, in order. */
export function blockMessages(messages: readonly RecordedMessage[]): BlockMessage[] {
  return decoded(messages).flatMap(({ message }) => (message.kind === "block" ? [message] : []));
}

function sizeOf(lives: Lives): number {
  return [...linesOf(lives).values()].reduce((sum, lines) => sum + lines.length, 0);
}
