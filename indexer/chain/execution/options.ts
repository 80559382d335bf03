import type { Logger } from "pino";
import type { NetworkIdentity } from "../../../catapult/entity/model.js";
import type { Db } from "../../../database/database.js";
import type { NetworkConfig } from "../../../ledger/config/network-config.js";
import { UnknownNetworkError } from "../step/errors.js";
import { Executor } from "./executor.js";

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
export function openLedger(options: ExecutionOptions, place: ExecutionPlace): Executor {
  return new Executor({ ...place, config: configOf(options, place.network), now: options.now });
}

/** The rules by which the network's blocks are executed. @throws UnknownNetworkError when they are unknown */
export function configOf(options: Pick<ExecutionOptions, "configOf">, network: NetworkIdentity): NetworkConfig {
  const config = options.configOf(network);
  if (!config) throw new UnknownNetworkError(network.generationHashSeed);
  return config;
}
