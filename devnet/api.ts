import type { Logger } from "pino";
import type { NetworkIdentity } from "../catapult/entity/model.js";
import type { ChainEntry } from "./chain/chain.js";
import type { FinalizedRound } from "./chain/finalization-proof.js";
import type { DevnetRules, FinalizationRules } from "./network/settings.js";
import type { AnnouncePartialResult, AnnounceResult } from "./pool/announcer.js";
import type { DevnetEvents } from "./pool/events.js";
import type { Rejection } from "./pool/rejection.js";
import type { PacketHandler } from "./protocol/packet-server.js";

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

/** A running development node. */
export interface Devnet {
  readonly host: string;
  readonly port: number;
  /** Endpoint of the ZeroMQ publisher, such as `tcp://127.0.0.1:7902`; undefined if there is none. */
  readonly zmqEndpoint: string | undefined;
  /** Number of topics that clients of it subscribe to, each as often as there are such clients. */
  readonly zmqSubscriptions: number;
  /** Main public key of the node, 32 bytes. */
  readonly publicKey: Buffer;
  readonly network: NetworkIdentity;
  readonly generationHashSeed: Buffer;
  readonly rules: DevnetRules;
  readonly currencyMosaicId: bigint;
  /** Folder of the `config-*.properties` that describe the network and the node. */
  readonly resourcesDirectory: string;
  /** Funded accounts, the harvester last. */
  readonly accounts: readonly DevnetAccount[];
  readonly height: number;
  readonly finalized: FinalizedRound;
  /** Number of unconfirmed transactions. */
  readonly unconfirmedCount: number;
  /** Number of partial aggregates. */
  readonly partialCount: number;
  /** The last rejections, the oldest first. */
  readonly rejections: readonly Rejection[];
  readonly events: DevnetEvents;
  /** Handlers by packet type; a test may replace them. */
  readonly handlers: Map<number, PacketHandler>;
  /** The block at a height; throws RangeError if there is none. */
  block(height: number): ChainEntry;
  /** Atomic units that an address owns, of the currency or another mosaic. */
  balanceOf(address: Buffer, mosaicId?: bigint): bigint;
  /** Whether a transaction is unconfirmed. */
  isUnconfirmed(hash: Buffer): boolean;
  /** Whether a bonded aggregate is partial. */
  isPartial(hash: Buffer): boolean;
  /** Whether a transaction is in a block; reliable only until its deadline has passed. */
  isConfirmed(hash: Buffer): boolean;
  /** Creates blocks (default 1) immediately, with the unconfirmed transactions. */
  harvest(count?: number): Promise<ChainEntry[]>;
  /** Processes a transaction as if a peer had pushed it. Throws `EntityError` for bytes that are not a transaction. */
  announce(payload: Buffer): AnnounceResult;
  /**
   * Processes a bonded aggregate as if a peer had pushed it as partial. Throws `EntityError` for bytes that are not a
   * transaction.
   */
  announcePartial(payload: Buffer): AnnouncePartialResult;
  /** Processes a detached cosignature (136 bytes) as if a peer had pushed it. */
  announceCosignature(payload: Buffer): void;
  /**
   * Switches to a new branch immediately. Throws RangeError if that is not possible, `BlockExecutionError` for
   * invalid transactions.
   */
  fork(options: ForkOptions): ChainEntry[];
  /**
   * Finalizes all blocks up to a height. Throws RangeError if there is no such block, `FinalizationProofError` if other
   * accounts have too many votes for those of the harvester to be enough.
   */
  finalize(height: number): void;
  /** Closes all connections; new ones are accepted. */
  closeConnections(): void;
  /** Stops harvesting and listening, and closes the files. */
  stop(): Promise<void>;
}
