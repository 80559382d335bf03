import type { BrokerMessage } from "../../catapult/wire/zmq-message.js";

/** Copies of one message of the broker for several addresses. */
export interface MessageGroup {
  readonly message: TransactionalMessage;
  /** The addresses of all copies of the message (24 bytes each). */
  readonly addresses: Buffer[];
}

/** A message of the broker about one transaction. */
export type TransactionalMessage = Extract<BrokerMessage, { readonly address: Buffer }>;

/** The hash of a message's transaction. */
export function hashOf(message: TransactionalMessage): Buffer {
  return message.kind === "cosignature" ? message.parentHash : message.hash;
}

/** Combines what the broker sends separately: consecutive copies of each message, one per address that it concerns. */
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
   * @param exceptLast keeps the newest, because more copies of it may arrive
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
