import type { Logger } from "pino";
import type { DevnetRules, FinalizationRules } from "./network/settings.js";

/** Options of a devnet. */
export interface DevnetOptions {
  /** Folder of the chain, of the node's certificates and `resources`; created if missing. */
  readonly dataDirectory: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Port of the ZeroMQ publisher: 0 = any free port; by default nothing is published. */
  readonly zmqPort?: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Milliseconds between two blocks; default 5000. */
  readonly blockMs?: number;
  /** All keys and the nemesis block are derived from it. */
  readonly seed?: string;
  readonly log: Logger;
  /** Whether blocks are created automatically; default true. */
  readonly autoHarvest?: boolean;
  readonly finalization?: Partial<FinalizationRules>;
  readonly rules?: Partial<DevnetRules>;
  /**
   * Milliseconds for which pushes of a peer are collected before they are checked together; default 500, as on a real
   * node.
   */
  readonly gatherMs?: number;
  /** The time in Unix milliseconds; by default the system's. */
  readonly clock?: () => number;
}

/** A funded account with public keys. */
export interface DevnetAccount {
  readonly name: string;
  /** 24 bytes. */
  readonly address: Buffer;
  readonly publicKey: Buffer;
  readonly privateKey: Buffer;
  /** Its current balance, in atomic units of the currency. */
  readonly balance: bigint;
}

/** A new branch for the chain of a devnet. */
export interface ForkOptions {
  /** Height of the last block that both branches share. */
  readonly from: number;
  /** Number of blocks of the new branch. */
  readonly blocks: number;
  /** Payloads of transactions for the first, second … block of the new branch. */
  readonly transactions?: readonly (readonly Buffer[])[];
  /**
   * Puts the transactions of the dropped blocks into the last block of the new branch; otherwise they return to the
   * pool.
   */
  readonly keepTransactions?: boolean;
}
