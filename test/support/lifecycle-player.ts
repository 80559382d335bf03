import { sql } from "kysely";
import { StatusCode } from "../../catapult/announcement/status-code.js";
import {
  type BlockMessage,
  BROKER_TOPIC,
  type BrokerMessage,
  decodeBrokerMessage,
} from "../../catapult/wire/zmq-message.js";
import type { Db } from "../../database/database.js";
import { BranchNode, type ServedBlock } from "./branch-node.js";
import { IndexedDatabase } from "./indexer-fixture.js";
import { pendingHashes } from "./lifecycle-scene.js";
import type { RecordedMessage } from "./recorded-chain.js";
import { type Lives, PoolModel, writtenLives } from "./recorded-lifecycle.js";
import type { RecordedNode } from "./recorded-node.js";
import { TestBroker } from "./test-broker.js";
import { until } from "./until.js";

/** Hash of a transaction that is rejected at the end of what is played: its status is written after all the rest. */
const LAST = Buffer.alloc(32, 0xee);
const LAST_HASH = LAST.toString("hex").toUpperCase();
/** Its code in a message. */
const REJECTED = Buffer.alloc(4);
REJECTED.writeUInt32LE(StatusCode.Failure_Core_Past_Deadline);

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
    const node = await BranchNode.start(recording);
    return new LifePlayer(node, await TestBroker.bind(), index ?? (await IndexedDatabase.create()));
  }

  get db(): Db {
    return this.index.db;
  }

  /** Lets the indexer follow a chain to its end. */
  async begin(blocks: readonly ServedBlock[], hears = true): Promise<void> {
    this.node.switchTo(blocks);
    const source = hears ? { zmqUrl: this.broker.url } : { limits: { pollMs: 5, poolPollMs: 5 } };
    // A broker reports nothing to accounts that have only cosigned.
    await this.index.follow(this.node.address, { limits: { poolPollMs: 40 }, ...source, tellsCosigners: false });
    const { eventSequence } = await this.index.waitFor((head) => head.height === blocks.length);
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
  async written(): Promise<Lives> {
    const lives = await writtenLives(this.db, this.#start);
    lives.delete(LAST_HASH);
    return lives;
  }

  /** Waits until all published messages are written, the pool is compared and no outcome is awaited any more. */
  async settle(): Promise<Lives> {
    await this.broker.publish([
      Buffer.concat([BROKER_TOPIC.status, Buffer.alloc(24)]),
      Buffer.concat([LAST, Buffer.alloc(8), REJECTED]),
    ]);
    const last = this.db.selectFrom("events").select("sequence").where("data", "like", `%${LAST_HASH}%`).limit(1);
    const isWritten = async () => (await last.execute()).length > 0;
    await until(isWritten, "the last message is written");
    const looks = this.node.looksIntoPool;
    await until(() => this.node.looksIntoPool > looks + 3, "the indexer has compared the pool");
    await until(async () => !(await this.#isUnsettled()), "every removal has its outcome");
    return this.written();
  }

  /** Whether the reason of a removal may still become a status. */
  async #isUnsettled(): Promise<boolean> {
    const { rows } = await sql`
      select from awaited_transactions join transaction_statuses using (hash) limit 1`.execute(this.db);
    return rows.length > 0;
  }

  /** Hashes in a table of pending transactions, as upper-case hex digits. */
  async waiting(group: "unconfirmed" | "partial"): Promise<string[]> {
    return (await pendingHashes(this.db, group)).map((hash) => hash.toUpperCase());
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
