import type { TransactionEventBody } from "../../catapult/structs/message.js";
import type { Db } from "../../database/database.js";
import { findTransactionStatuses, type TransactionStatus } from "../../database/mempool/transaction-statuses.js";
import type { EventChannel } from "../../database/tables/events.js";
import type { Gateway, GatewayOptions } from "../../gateway/server.js";
import type { IndexerOptions } from "../../indexer/indexer.js";
import { hashLock } from "../devnet/state-descriptors.js";
import { DevnetFixture } from "./devnet.js";
import { devnetConfig } from "./devnet-execution.js";
import { IndexedDatabase } from "./indexer-fixture.js";
import { startTestGateway } from "./test-gateway.js";
import { type Descriptor, type Party, TransactionMaker } from "./transaction-maker.js";
import { transferOf } from "./transfers.js";
import { until } from "./until.js";

/** A message about a transaction, as in the table of events. */
export interface ReportedEvent {
  readonly channel: EventChannel;
  /** What distinguishes it from others of its channel: a status code, a cosigner's public key. */
  readonly detail: string;
  /** Hex digits, ascending. */
  readonly addresses: readonly string[];
}

/** The indexer's source of pending transactions. */
export type Source = "broker" | "pool";

/** Creates the options of an indexer, given the endpoint of the devnet's broker. */
type OptionsFor = (zmqEndpoint: string) => Promise<Partial<IndexerOptions>>;

/** A devnet that creates blocks on request, and an indexer that follows it and its pending transactions. */
export class LifeScene {
  readonly fixture: DevnetFixture;
  readonly index: IndexedDatabase;
  readonly make: TransactionMaker;
  readonly #clock: { ahead: number };
  /** Sequence of the last event that was read. */
  #read = 0;

  private constructor(fixture: DevnetFixture, index: IndexedDatabase, clock: { ahead: number }) {
    this.fixture = fixture;
    this.index = index;
    this.#clock = clock;
    this.make = new TransactionMaker(fixture.devnet, () => Date.now() + clock.ahead);
  }

  static async start(source: Source | OptionsFor): Promise<LifeScene> {
    const clock = { ahead: 0 };
    const fixture = await DevnetFixture.start({ zmqPort: 0, clock: () => Date.now() + clock.ahead });
    const index = await IndexedDatabase.create();
    const scene = new LifeScene(fixture, index, clock);
    await scene.follow(source);
    return scene;
  }

  /** Starts the indexer, and waits until it receives pending transactions. */
  async follow(source: Source | OptionsFor): Promise<void> {
    const { devnet } = this.fixture;
    const endpoint = devnet.zmqEndpoint ?? "";
    const options =
      typeof source === "function" ? await source(endpoint) : { zmqUrl: source === "broker" ? endpoint : undefined };
    // The node's clock may be far ahead of that of this machine.
    const config = { ...(await devnetConfig(devnet)), maxBlockFutureTime: Number.MAX_SAFE_INTEGER };
    await this.index.follow(devnet, {
      execution: { configOf: () => config },
      limits: { poolPollMs: 40, brokerReconnectMs: { first: 20, longest: 100 } },
      ...options,
    });
    await this.index.waitForHash(devnet.block(devnet.height).hash);
    if (source === "broker") await this.fixture.hasSubscriber();
    await this.harvest();
  }

  /** Moves the node's clock forward. */
  pass(ms: number): void {
    this.#clock.ahead += ms;
  }

  /** The network's time, in ms since its epoch. */
  now(): number {
    return Date.now() + this.#clock.ahead - this.fixture.devnet.rules.epochAdjustment * 1_000;
  }

  /** Creates a block, and waits until it is written with its state. @returns its height */
  async harvest(): Promise<number> {
    const [block] = await this.fixture.devnet.harvest(1);
    await this.index.waitForHash(block!.hash);
    return this.fixture.devnet.height;
  }

  /** Pushes a transaction, and waits until it is pending at the node. */
  async push(payload: Buffer): Promise<Buffer> {
    const hash = this.make.hashOf(payload);
    await this.fixture.client.pushTransactions([payload]);
    await until(() => this.fixture.devnet.isUnconfirmed(hash), "the node has it");
    return hash;
  }

  /** Pushes a transaction, waits until it was reported, and confirms it. */
  async confirm(payload: Buffer): Promise<Buffer> {
    const hash = await this.push(payload);
    await this.untilReported(hash, "unconfirmedAdded");
    await this.harvest();
    return hash;
  }

  /** Locks funds for a bonded aggregate in a block, and announces the aggregate. */
  async bond(signer: Party, payload: Buffer): Promise<Buffer> {
    const hash = this.make.hashOf(payload);
    await this.confirm(this.make.transaction(signer, this.hashLock(hash)));
    await this.fixture.client.pushPartialTransactions([payload]);
    await until(() => this.fixture.devnet.isPartial(hash), "the aggregate is pending");
    await this.untilReported(hash, "partialAdded");
    return hash;
  }

  hashLock(hash: Buffer): Descriptor {
    return { ...hashLock({ mosaicId: this.fixture.devnet.currencyMosaicId }), hash: new Uint8Array(hash) };
  }

  transfer(to: Buffer, amount: bigint): Descriptor {
    return transferOf(this.fixture.devnet, to, amount);
  }

  /** Events of a transaction up to now, in order. */
  async life(hash: Buffer): Promise<ReportedEvent[]> {
    const text = hash.toString("hex").toUpperCase();
    return (await this.#events(0, undefined, text))
      .filter((one) => one.hash === text)
      .map(({ hash: _, ...event }) => event);
  }

  /** Channels of a transaction's events, in order, statuses with their codes. */
  async channels(hash: Buffer): Promise<string[]> {
    return (await this.life(hash)).map(({ channel, detail }) => (channel === "status" ? `status ${detail}` : channel));
  }

  /** Waits for an event of a transaction. */
  async untilReported(hash: Buffer, channel: EventChannel, times = 1): Promise<void> {
    const isTold = async () => (await this.life(hash)).filter((one) => one.channel === channel).length >= times;
    await until(isTold, `${channel} is reported of ${hash.toString("hex")}`);
  }

  /** All events of transactions since the last call, by hash. */
  async news(): Promise<(ReportedEvent & { readonly hash: string })[]> {
    const { eventSequence } = await this.index.waitFor(() => true);
    // Not those that are written meanwhile: they would be returned twice.
    const events = await this.#events(this.#read, eventSequence);
    this.#read = eventSequence;
    return events;
  }

  /** The status of a transaction, as in REST. */
  async status(hash: Buffer): Promise<TransactionStatus | undefined> {
    return (await findTransactionStatuses(this.index.db, [hash]))[0];
  }

  /** Hashes in one of the tables of pending transactions, as hex digits. */
  waiting(group: "unconfirmed" | "partial"): Promise<string[]> {
    return pendingHashes(this.index.db, group);
  }

  /** A gateway of the index. */
  serve(options: Partial<GatewayOptions> = {}): Promise<Gateway> {
    const { devnet } = this.fixture;
    const { resourcesDirectory } = devnet;
    return startTestGateway({ databaseUrl: this.index.url, nodes: [devnet], resourcesDirectory, ...options });
  }

  async stop(): Promise<void> {
    await this.index.drop();
    await this.fixture.stop();
  }

  /** @param text that the data contain: of all events, they would be read again and again */
  async #events(
    after: number,
    upTo = Number.MAX_SAFE_INTEGER,
    text = "",
  ): Promise<(ReportedEvent & { readonly hash: string })[]> {
    const rows = await this.index.db
      .selectFrom("events")
      .select(["channel", "addresses", "data"])
      .where("channel", "not in", ["block", "finalizedBlock", "droppedBlocks"])
      .where("sequence", ">", after)
      .where("sequence", "<=", upTo)
      .where("data", "like", `%${text}%`)
      .orderBy("sequence")
      .execute();
    return rows.map(({ channel, addresses, data }) => {
      const { hash, meta, parentHash, signerPublicKey = "", code } = JSON.parse(data) as TransactionEventBody;
      return {
        hash: hash ?? meta?.hash ?? parentHash ?? "",
        channel,
        detail: code ?? signerPublicKey,
        addresses: hexOf(addresses),
      };
    });
  }
}

/** Hashes in one of the tables of pending transactions, as hex digits, ascending. */
export async function pendingHashes(db: Db, group: "unconfirmed" | "partial"): Promise<string[]> {
  const rows = await db.selectFrom("pending_transactions").where("group", "=", group).select("hash").execute();
  return hexOf(rows.flatMap(({ hash }) => hash ?? []));
}

/** Addresses as hex digits, ascending. */
export function hexOf(addresses: readonly Buffer[]): string[] {
  return addresses.map((address) => address.toString("hex")).sort();
}
