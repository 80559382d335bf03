import type { GatewayForm } from "./attacked-gateway.js";
import type { Hostile } from "./hostile.js";

/** What an attacker knows of the gateway: public information. */
export interface Target {
  readonly port: number;
  readonly isTls: boolean;
  /** Gives access to `/graphql`. */
  readonly graphqlToken: string;
  /** The database, as a user of the role symbol_reader. */
  readonly readerUrl: string;
  /** An address on the chain in hex, and many others as text. */
  readonly addressHex: string;
  readonly addresses: readonly string[];
  /** Addresses of accounts that are on the chain, those with the most transactions first. */
  readonly accounts: readonly string[];
  /** Hashes of transactions with large documents. */
  readonly largeHashes: readonly string[];
  /** Sequence of the newest event when the attack begins. */
  readonly sequence: number;
  readonly height: number;
  /** Signed transactions for the network that can never be valid, in hex. */
  readonly payloads: readonly string[];
  /** Signed aggregates of the largest size, that would succeed, in hex. */
  readonly aggregates: readonly string[];
  /** A signed aggregate of an account at the top of a dense graph of multisig accounts, in hex. */
  readonly multisigAggregate: string;
  /** Signed aggregates that are the most work for a ledger, of an account that cannot pay for them, in hex. */
  readonly costly: readonly string[];
  /** Small aggregates to 100 other accounts each, of accounts that cannot pay for them, in hex. */
  readonly unfunded: readonly string[];
  /** Bodies of cosignatures of unknown aggregates. */
  readonly cosignatures: readonly string[];
}

/** Events that happen while an attack runs, or before it. */
export interface AttackEvents {
  readonly count: number;
  /** Of the data of each. */
  readonly bytes: number;
  /** Maximum number in one transaction; default all. */
  readonly together?: number;
  /** Concerned addresses: the one of the target (default), or 200 each. */
  readonly concern?: "one" | "many";
}

/** One attack on a gateway. It runs in its own process. */
export interface Attack {
  /** Its name on the command line. */
  readonly name: string;
  /** A sentence that describes the attack. */
  readonly about: string;
  /** Events written before it. */
  readonly before?: AttackEvents;
  /** Events written repeatedly while it runs. */
  readonly during?: AttackEvents;
  /** The gateway that it attacks; by default one process that serves HTTP. */
  readonly gateway?: GatewayForm;
  /** Whether the well-behaved client also simulates transfers. */
  readonly isBesideSimulations?: boolean;
  /** Bytes by which the database may grow while it runs; default no limit. */
  readonly storedBytes?: number;
  /** Whether it ends by itself, when it has done what it says; others are ended after some seconds. */
  readonly ends?: boolean;
  /** Attacks until the signal is aborted; any reaction of the gateway to its connections is expected. */
  run(target: Target, hostile: Hostile): Promise<void>;
}
