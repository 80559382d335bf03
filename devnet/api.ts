import type { Logger } from "pino";
import type { NetworkIdentity } from "../catapult/entity/model.js";
import type { ChainEntry } from "./chain/chain.js";
import type { FinalizedRound } from "./chain/finalization-proof.js";
import type { DevnetRules, FinalizationRules } from "./network/settings.js";
import type { AnnouncePartialResult, AnnounceResult } from "./pool/announcer.js";
import type { DevnetEvents } from "./pool/events.js";
import type { Refusal } from "./pool/refusal.js";
import type { PacketHandler } from "./protocol/packet-server.js";

/** How to run a devnet. */
export interface DevnetOptions {
  /** Folder of the chain, of the node's certificates and `resources`; made if it is not there. */
  readonly dataDirectory: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Port of the ZeroMQ publisher: 0 takes a free one; by default nothing is published. */
  readonly zmqPort?: number;
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
  /** Milliseconds for which pushes of a peer are gathered before they are checked together; default 500, as at a real node. */
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
  /** Where the ZeroMQ publisher listens, such as `tcp://127.0.0.1:7902`; undefined if there is none. */
  readonly zmqEndpoint: string | undefined;
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
  /** Number of transactions that wait for a block. */
  readonly unconfirmedCount: number;
  /** Number of bonded aggregates that wait for cosignatures. */
  readonly partialCount: number;
  /** The last refusals, the oldest first. */
  readonly refusals: readonly Refusal[];
  readonly events: DevnetEvents;
  /** Answers by packet type; a test may put others in their place. */
  readonly handlers: Map<number, PacketHandler>;
  /** The block at a height; throws RangeError if there is none. */
  block(height: number): ChainEntry;
  /** Atomic units that an address owns, of the currency or another mosaic. */
  balanceOf(address: Buffer, mosaicId?: bigint): bigint;
  /** Whether a transaction waits for a block. */
  isUnconfirmed(hash: Buffer): boolean;
  /** Whether a bonded aggregate waits for cosignatures. */
  isPartial(hash: Buffer): boolean;
  /** Whether a transaction stands in a block; certain only until its deadline has passed. */
  isConfirmed(hash: Buffer): boolean;
  /** Makes blocks (default 1) at once, of the transactions that wait. */
  harvest(count?: number): Promise<ChainEntry[]>;
  /** Takes a transaction as if a peer had pushed it. Throws `EntityError` for bytes that are none. */
  announce(payload: Buffer): AnnounceResult;
  /** Takes a bonded aggregate as if a peer had pushed it to wait. Throws `EntityError` for bytes that are no transaction. */
  announcePartial(payload: Buffer): AnnouncePartialResult;
  /** Takes a detached cosignature (136 bytes) as if a peer had pushed it. */
  announceCosignature(payload: Buffer): void;
  /** Changes the branch at once. Throws RangeError where that is not possible, `BlockExecutionError` for wrong transactions. */
  fork(options: ForkOptions): ChainEntry[];
  /** Finalizes all blocks up to a height; throws RangeError if there is no such block. */
  finalize(height: number): void;
  /** Cuts all connections; new ones are taken. */
  closeConnections(): void;
  /** Stops harvesting and listening, and closes the files. */
  stop(): Promise<void>;
}
