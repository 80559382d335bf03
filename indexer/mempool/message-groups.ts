import type { BrokerMessage } from "../../catapult/wire/zmq-message.js";

/** Messages of the broker that say one thing to several addresses. */
export interface MessageGroup {
  readonly message: TransactionalMessage;
  /** Of all copies of the message (24 bytes each). */
  readonly addresses: Buffer[];
}

/** What the broker says of one transaction. */
export type TransactionalMessage = Extract<BrokerMessage, { readonly address: Buffer }>;

/** The hash of the transaction that a message is about. */
export function hashOf(message: TransactionalMessage): Buffer {
  return message.kind === "cosignature" ? message.parentHash : message.hash;
}

/**
 * Puts together what the broker sends apart: a copy of each message for each address that it concerns, one behind the
 * other.
 */
export class MessageGroups {
  #groups: MessageGroup[] = [];

  get size(): number {
    return this.#groups.length;
  }

  add(message: TransactionalMessage): void {
    const last = this.#groups.at(-1);
    if (last && saysTheSame(last.message, message) && !last.addresses.some((one) => one.equals(message.address))) {
      last.addresses.push(message.address);
    } else {
      this.#groups.push({ message, addresses: [message.address] });
    }
  }

  /**
   * Takes the groups out.
   * @param exceptLast keeps the newest back, because more copies of it may come
   */
  take(exceptLast: boolean): MessageGroup[] {
    const taken = this.#groups;
    this.#groups = exceptLast ? taken.splice(-1) : [];
    return taken;
  }
}

function saysTheSame(one: TransactionalMessage, other: TransactionalMessage): boolean {
  if (one.kind !== other.kind || !hashOf(one).equals(hashOf(other))) return false;
  if (one.kind === "cosignature" && other.kind === "cosignature") {
    return one.signerPublicKey.equals(other.signerPublicKey);
  }
  return one.kind !== "status" || other.kind !== "status" || one.code === other.code;
}
