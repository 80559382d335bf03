import type { Logger } from "pino";
import type { NetworkIdentity } from "../catapult/model.js";
import type { AnnounceResult } from "./announcer.js";
import type { ChainEntry } from "./chain.js";
import type { DevnetEvents } from "./events.js";
import type { FinalizedRound } from "./finalization-proof.js";
import type { PacketHandler } from "./packet-server.js";
import type { Refusal } from "./refusal.js";
import type { DevnetRules, FinalizationRules } from "./settings.js";

/** How to run a devnet. */
export interface DevnetOptions {
  /** Folder of the chain and of the node's certificates; made if it is not there. */
  readonly dataDirectory: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Milliseconds between two blocks; default 5000. */
  readonly blockMs?: number;
  /** All keys and the nemesis block follow from it. */
  readonly seed?: string;
  readonly log: Logger;
  /** Whether blocks are made without being asked; default true. */
  readonly autoHarvest?: boolean;
  readonly finalization?: Partial<FinalizationRules>;
  readonly rules?: Partial<DevnetRules>;
  /** Milliseconds for which pushes of a peer are gathered before they are checked together: 0 by default, 500 at a real node. */
  readonly gatherMs?: number;
  /** The time in Unix milliseconds; default that of the system. */
  readonly clock?: () => number;
}

/** A funded account that anybody may use. */
export interface DevnetAccount {
  readonly name: string;
  /** 24 bytes. */
  readonly address: Buffer;
  readonly publicKey: Buffer;
  readonly privateKey: Buffer;
  /** What it owns now, in atomic units of the currency. */
  readonly balance: bigint;
}

/** Another branch for the chain of a devnet. */
export interface ForkOptions {
  /** Height of the last block that both branches share. */
  readonly from: number;
  /** Number of blocks of the new branch. */
  readonly blocks: number;
  /** Payloads of transactions for the first, second … block of the new branch. */
  readonly transactions?: readonly (readonly Buffer[])[];
  /** Puts the transactions of the dropped blocks into the last block of the new branch; else they go back to the pool. */
  readonly keepTransactions?: boolean;
}

/** A running development node. */
export interface Devnet {
  readonly host: string;
  readonly port: number;
  /** Main public key of the node, 32 bytes. */
  readonly publicKey: Buffer;
  readonly network: NetworkIdentity;
  readonly generationHashSeed: Buffer;
  readonly rules: DevnetRules;
  readonly currencyMosaicId: bigint;
  /** Funded accounts, the harvester last. */
  readonly accounts: readonly DevnetAccount[];
  readonly height: number;
  readonly finalized: FinalizedRound;
  /** Number of transactions that wait for a block. */
  readonly unconfirmedCount: number;
  /** The last refusals, the oldest first. */
  readonly refusals: readonly Refusal[];
  readonly events: DevnetEvents;
  /** Answers by packet type; a test may put others in their place. */
  readonly handlers: Map<number, PacketHandler>;
  /** The block at a height; throws RangeError if there is none. */
  block(height: number): ChainEntry;
  /** Atomic units of the currency that an address owns. */
  balanceOf(address: Buffer): bigint;
  /** Whether a transaction waits for a block. */
  isUnconfirmed(hash: Buffer): boolean;
  /** Makes blocks (default 1) at once, of the transactions that wait. */
  harvest(count?: number): Promise<ChainEntry[]>;
  /** Takes a transaction as if a peer had pushed it. Throws `EntityError` for bytes that are none. */
  announce(payload: Buffer): AnnounceResult;
  /** Changes the branch at once. Throws RangeError where that is not possible, `LedgerError` for wrong transactions. */
  fork(options: ForkOptions): ChainEntry[];
  /** Finalizes all blocks up to a height; throws RangeError if there is no such block. */
  finalize(height: number): void;
  /** Cuts all connections; new ones are taken. */
  closeConnections(): void;
  /** Stops harvesting and listening, and closes the files. */
  stop(): Promise<void>;
}
