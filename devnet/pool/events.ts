import { EventEmitter } from "node:events";
import type { StoredBlock } from "../chain/chain.js";
import type { FinalizedRound } from "../chain/finalization-proof.js";
import type { DevnetTransaction } from "../chain/transaction.js";
import type { Rejection } from "./rejection.js";

/** Events of a devnet, in the order of a node's publisher. */
export interface DevnetEventMap {
  /** A block was added to the chain. */
  block: [block: StoredBlock, transactions: readonly DevnetTransaction[]];
  /** All blocks above a height were dropped. */
  dropBlocks: [height: number];
  finalizedBlock: [round: FinalizedRound];
  unconfirmedAdded: [transaction: DevnetTransaction];
  unconfirmedRemoved: [transaction: DevnetTransaction];
  /** A bonded aggregate became partial; it is passed without cosignatures. */
  partialAdded: [aggregate: DevnetTransaction];
  /** A partial aggregate got a cosignature of 104 bytes. */
  cosignatureAdded: [aggregate: DevnetTransaction, cosignature: Buffer];
  partialRemoved: [aggregate: DevnetTransaction];
  /** A transaction was rejected. */
  status: [rejection: Rejection];
}

export type DevnetEvents = EventEmitter<DevnetEventMap>;

/** Creates an emitter of a devnet's events. */
export function createDevnetEvents(): DevnetEvents {
  return new EventEmitter<DevnetEventMap>();
}
