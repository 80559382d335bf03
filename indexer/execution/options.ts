import type { Logger } from "pino";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";
import type { Db } from "../../database/database.js";
import type { NetworkConfig } from "../../ledger/state/network-config.js";
import { StoredStateError, UnknownNetworkError } from "./errors.js";
import { LedgerFollower } from "./ledger-follower.js";

/** Options of executing blocks. */
export interface ExecutionOptions {
  /** The rules of a network, if known. */
  readonly configOf: (network: NetworkIdentity) => NetworkConfig | undefined;
  /** The time that blocks must not be ahead of, ms since 1970; default that of this machine. */
  readonly now?: () => number;
}

/** What is executed, and on top of what. */
export interface ExecutionPlace {
  readonly db: Db;
  readonly network: NetworkIdentity;
  readonly log: Logger;
  /** Called when the state in memory is thrown away after a failure. */
  readonly onDiscarded?: (() => void) | undefined;
}

/** A follower that executes the network's blocks. @throws UnknownNetworkError */
export function openLedger(options: ExecutionOptions, place: ExecutionPlace): LedgerFollower {
  return new LedgerFollower({ ...place, config: configOf(options, place.network), now: options.now });
}

/** The rules by which the network's blocks are executed. @throws UnknownNetworkError when they are unknown */
export function configOf(options: Pick<ExecutionOptions, "configOf">, network: NetworkIdentity): NetworkConfig {
  const config = options.configOf(network);
  if (!config) throw new UnknownNetworkError(network.generationHashSeed);
  return config;
}

/** Whether an error means that execution failed here, or that the node's block is invalid: both look alike. */
export function isExecutionFailure(error: unknown): boolean {
  if (error instanceof BlockRejectedError) return EXECUTED_FIELDS.has(error.field);
  return error instanceof UnknownNetworkError || error instanceof StoredStateError;
}

/** Fields of a block that are verified against the result of executing it. */
const EXECUTED_FIELDS: ReadonlySet<string> = new Set(["transactions", "receiptsHash", "stateHash", "totalFee"]);
