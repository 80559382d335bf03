import { statusCodeName } from "../../catapult/announcement/status-code.js";
import { encodeCosignature } from "../../catapult/entity/cosignature.js";
import { paddingSize } from "../../catapult/entity/entity-layout.js";
import { hex } from "../../catapult/entity/hex.js";
import type { TransactionEventBody } from "../../catapult/structs/message.js";
import { type BrokerMessage, decodeBrokerMessage } from "../../catapult/wire/zmq-message.js";
import type { Db } from "../../database/database.js";
import type { EventChannel } from "../../database/tables/events.js";
import type { BranchNode } from "./branch-node.js";
import type { RecordedMessage } from "./recorded-chain.js";

/** One message about a transaction, whatever the number of its copies. */
export interface Told {
  readonly channel: EventChannel;
  /** What distinguishes it from others of its channel: a cosigner's public key, a status code. */
  readonly detail: string;
  /** Hex digits. */
  readonly addresses: Set<string>;
}

/** The messages about each transaction, in order, by its hash as upper-case hex digits. */
export type Lives = Map<string, Told[]>;

const CHANNEL = {
  confirmed: "confirmedAdded",
  unconfirmed: "unconfirmedAdded",
  unconfirmedRemoved: "unconfirmedRemoved",
  partial: "partialAdded",
  partialRemoved: "partialRemoved",
  cosignature: "cosignature",
  status: "status",
} as const satisfies Partial<Record<BrokerMessage["kind"], EventChannel>>;

type TransactionMessage = Extract<BrokerMessage, { readonly address: Buffer }>;

export function isAboutTransaction(message: BrokerMessage): message is TransactionMessage {
  return "address" in message;
}

export function hashOfMessage(message: TransactionMessage): string {
  return hex("parentHash" in message ? message.parentHash : message.hash);
}

/**
 * The recorded messages in the order that this program promises: a transaction leaves before it is added
 * elsewhere, where the reference's broker may report it afterwards.
 */
export function recordedLives(messages: readonly RecordedMessage[]): Lives {
  const lives: Lives = new Map();
  /** Messages about each transaction since the last rollback. */
  let sinceDrop: Lives = new Map();
  const endPart = () => {
    for (const [hash, told] of sinceDrop) {
      putInOrder(told);
      lives.set(hash, [...(lives.get(hash) ?? []), ...told]);
    }
    sinceDrop = new Map();
  };
  for (const { frames } of messages) {
    const message = decodeBrokerMessage(frames);
    if (message.kind === "droppedBlocks") endPart();
    if (isAboutTransaction(message))
      tell(sinceDrop, hashOfMessage(message), CHANNEL[message.kind], detailOf(message), [hex(message.address)]);
  }
  endPart();
  for (const one of lives.values()) putInOrder(one, AT_LAST);
  return lives;
}

function detailOf(message: TransactionMessage): string {
  if (message.kind === "cosignature") return hex(message.signerPublicKey);
  return message.kind === "status" ? statusCodeName(message.code) : "";
}

/** Pairs that must not be in this order, where the broker has no fixed order. */
const LATER: readonly (readonly [EventChannel, EventChannel])[] = [
  ["confirmedAdded", "unconfirmedAdded"],
  ["confirmedAdded", "unconfirmedRemoved"],
  ["unconfirmedAdded", "cosignature"],
  ["unconfirmedAdded", "partialRemoved"],
];
/** A removed transaction fails after its removal, which the broker may report after a fork. */
const AT_LAST: typeof LATER = [
  ["status", "partialRemoved"],
  ["status", "unconfirmedRemoved"],
];

function putInOrder(told: Told[], pairs = LATER): void {
  const isWrong = (one: Told, next: Told) =>
    pairs.some(([later, sooner]) => one.channel === later && next.channel === sooner);
  for (let at = 0; at + 1 < told.length; ) {
    const [one, next] = [told[at], told[at + 1]];
    if (one && next && isWrong(one, next)) {
      told.splice(at, 2, next, one);
      at = 0;
    } else {
      at += 1;
    }
  }
}

/**
 * Hashes of transactions that the broker reported in the pool only after their block: it has no fixed
 * order. They may be reported as confirmed only.
 */
export function confirmedFirst(messages: readonly RecordedMessage[]): Set<string> {
  let confirmed = new Set<string>();
  const first = new Set<string>();
  for (const { frames } of messages) {
    const message = decodeBrokerMessage(frames);
    if (message.kind === "droppedBlocks") confirmed = new Set();
    if (!isAboutTransaction(message)) continue;
    const hash = hashOfMessage(message);
    if (message.kind === "confirmed") confirmed.add(hash);
    if (message.kind === "unconfirmed" && confirmed.has(hash)) first.add(hash);
  }
  return first;
}

/** Lifecycles as lines of text, for comparing. */
export function linesOf(lives: Lives): Map<string, string[]> {
  return new Map(
    [...lives].map(([hash, told]) => [hash, told.map(({ channel, detail }) => `${channel} ${detail}`.trim())]),
  );
}

/** Events of transactions, after a sequence. */
export async function writtenLives(db: Db, afterSequence = 0): Promise<Lives> {
  const events = await db
    .selectFrom("events")
    .select(["channel", "addresses", "data"])
    .where("channel", "in", Object.values(CHANNEL))
    .where("sequence", ">", afterSequence)
    .orderBy("sequence")
    .execute();
  const lives: Lives = new Map();
  for (const { channel, addresses, data } of events) {
    const { hash, meta, parentHash, signerPublicKey = "", code } = JSON.parse(data) as TransactionEventBody;
    tell(lives, hash ?? meta?.hash ?? parentHash ?? "", channel, code ?? signerPublicKey, addresses.map(hex));
  }
  return lives;
}

function tell(lives: Lives, hash: string, channel: EventChannel, detail: string, addresses: readonly string[]): void {
  const told = lives.get(hash) ?? [];
  lives.set(hash, told);
  const last = told.at(-1);
  const isCopy =
    last?.channel === channel && last.detail === detail && !addresses.some((one) => last.addresses.has(one));
  if (last && isCopy) for (const address of addresses) last.addresses.add(address);
  else told.push({ channel, detail, addresses: new Set(addresses) });
}

/** A node's pending transactions according to its broker: for a node to return on request. */
export class PoolModel {
  readonly #unconfirmed = new Map<string, Buffer>();
  readonly #partial = new Map<string, { aggregate: Buffer; cosignatures: Map<string, Buffer> }>();

  take(message: BrokerMessage): void {
    if (!isAboutTransaction(message)) return;
    const hash = hashOfMessage(message);
    if (message.kind === "unconfirmed") this.#unconfirmed.set(hash, message.transaction);
    if (message.kind === "unconfirmedRemoved") this.#unconfirmed.delete(hash);
    if (message.kind === "partial" && !this.#partial.has(hash))
      this.#partial.set(hash, { aggregate: message.transaction, cosignatures: new Map() });
    if (message.kind === "partialRemoved") this.#partial.delete(hash);
    if (message.kind === "cosignature") {
      this.#partial.get(hash)?.cosignatures.set(hex(message.signerPublicKey), encodeCosignature(message));
    }
  }

  showOn(node: BranchNode): void {
    node.showUnconfirmed([...this.#unconfirmed.values()]);
    node.showPartial(
      Buffer.concat(
        [...this.#partial.values()].map(({ aggregate, cosignatures }) => {
          const tag = Buffer.alloc(8);
          tag.writeUInt16LE(0x8000 | cosignatures.size);
          return Buffer.concat([tag, aggregate, Buffer.alloc(paddingSize(aggregate.length)), ...cosignatures.values()]);
        }),
      ),
    );
  }
}
