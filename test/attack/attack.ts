import type { Hostile } from "./hostile.js";

/** What an attacker knows of the gateway: what anyone can find out. */
export interface Target {
  readonly port: number;
  /** Opens `/graphql`. */
  readonly graphqlToken: string;
  /** An address on the chain in hex, and many others as text. */
  readonly addressHex: string;
  readonly addresses: readonly string[];
  /** Hashes of transactions with large documents. */
  readonly largeHashes: readonly string[];
  /** Sequence of the newest event when the attack begins. */
  readonly sequence: number;
  readonly height: number;
  /** Hex of transactions for the network that are signed, but can never be valid. */
  readonly payloads: readonly string[];
}

/** Events that happen while an attack runs, or before it. */
export interface AttackEvents {
  readonly count: number;
  /** Of the data of each. */
  readonly bytes: number;
  /** At most so many in one transaction; default all. */
  readonly together?: number;
  /** Whom they concern: the one address of the target (default), or 200 addresses each. */
  readonly concern?: "one" | "many";
}

/** One way to hurt a gateway. It runs in a process of its own. */
export interface Attack {
  /** Its word on the command line. */
  readonly name: string;
  /** What the attacker does, a sentence. */
  readonly about: string;
  /** Events that are there before. */
  readonly before?: AttackEvents;
  /** Events that are written again and again while it runs. */
  readonly during?: AttackEvents;
  /** Attacks until the signal is aborted; whatever the gateway does to its connections is expected. */
  run(target: Target, hostile: Hostile): Promise<void>;
}
