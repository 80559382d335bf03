import { statusCodeName } from "../../catapult/announcement/status-code.js";
import { BrokerSubscriber } from "../../catapult/wire/zmq.js";
import type { BrokerMessage } from "../../catapult/wire/zmq-message.js";
import type { Devnet } from "../../devnet/devnet.js";
import { silentLog } from "./connection-fixtures.js";
import { pause, until } from "./until.js";

/** Everything that a devnet publishes over ZeroMQ, from a moment on. */
export class BrokerRecord {
  readonly messages: BrokerMessage[] = [];
  readonly #subscriber: BrokerSubscriber;

  /** Subscribes; creates blocks until the first message arrives, since a subscription takes a moment. */
  static async open(devnet: Devnet): Promise<BrokerRecord> {
    const record = new BrokerRecord(devnet.zmqEndpoint ?? "");
    try {
      await until(() => record.#subscriber.isConnected, "the subscriber is connected");
      while (record.messages.length === 0) {
        await devnet.harvest(1);
        await pause(10);
      }
      await record.untilBlock(devnet.height);
    } catch (error) {
      await record.close();
      throw error;
    }
    record.messages.length = 0;
    return record;
  }

  private constructor(url: string) {
    this.#subscriber = new BrokerSubscriber({
      url,
      log: silentLog,
      onMessage: (message) => {
        this.messages.push(message);
      },
    });
  }

  /** Waits until a message has come. */
  async untilReceived(isIt: (message: BrokerMessage) => boolean, words: string): Promise<void> {
    await until(() => this.messages.some(isIt), words);
  }

  /** Waits until the block at a height was published, and with it all earlier messages. */
  async untilBlock(height: number): Promise<void> {
    await this.untilReceived(
      (message) => message.kind === "block" && message.height === height,
      `block ${height} is published`,
    );
  }

  /** Waits until a message of a kind about a transaction has come for that many addresses: each gets one of its own. */
  async untilReceivedForAll(kind: BrokerMessage["kind"], hash: Buffer, addresses: number): Promise<void> {
    await until(
      () => this.addressesOf(kind, hash).size === addresses,
      `${kind} is published for ${addresses} addresses`,
    );
  }

  /** Messages about a transaction, in order: a kind of message, or the name of a rejection; once for all addresses. */
  fateOf(hash: Buffer): string[] {
    const words = this.messages.flatMap((message) => {
      if (message.kind === "cosignature")
        return message.parentHash.equals(hash) ? [`cosignature ${message.signerPublicKey.toString("hex", 0, 4)}`] : [];
      if (message.kind === "block" || !("address" in message) || !message.hash.equals(hash)) return [];
      return [message.kind === "status" ? statusCodeName(message.code) : message.kind];
    });
    return words.filter((word, index) => word !== words[index - 1]);
  }

  /** Addresses (hex) to which messages of a kind about a transaction were sent. */
  addressesOf(kind: BrokerMessage["kind"], hash: Buffer): Set<string> {
    const isIt = (message: BrokerMessage) =>
      message.kind === kind && (("hash" in message && message.hash.equals(hash)) || isCosignatureOf(message, hash));
    return new Set(
      this.messages.filter(isIt).flatMap((message) => ("address" in message ? [message.address.toString("hex")] : [])),
    );
  }

  close(): Promise<void> {
    return this.#subscriber.close();
  }
}

function isCosignatureOf(message: BrokerMessage, hash: Buffer): boolean {
  return message.kind === "cosignature" && message.parentHash.equals(hash);
}
