import { hex } from "../entity/hex.js";
import { MAIN_NETWORK_FACTS } from "../network/main-network.js";
import type { Properties } from "../network/properties.js";

/*
 * The corrupt aggregates of single networks are the only historical exception that needs a list here. The transactions
 * of the main network's treasury reissuance (height 689,761) have valid signatures of the nemesis account, and its lifted
 * checks of secret locks (from height 3,191,538) concern the state only.
 */

const OF_MAIN_NETWORK = new Map(Object.entries(MAIN_NETWORK_FACTS.corruptAggregateHashes ?? {}));
const NONE = new Map<string, string>();

/**
 * The values in headers that do not match the embedded transactions though a network accepted them, by the aggregates'
 * hashes (both upper-case hex).
 * @param generationHashSeed of the network, 32 bytes
 */
export function knownCorruptHashes(generationHashSeed: Buffer): ReadonlyMap<string, string> {
  return hex(generationHashSeed) === MAIN_NETWORK_FACTS.generationHashSeed ? OF_MAIN_NETWORK : NONE;
}

/** The same as a node's configuration lists them. */
export function corruptAggregateHashes(network: Properties): ReadonlyMap<string, string> {
  const section = network.find("corrupt_aggregate_transaction_hashes");
  return new Map(section?.names().map((name) => [name.toUpperCase(), section.text(name).toUpperCase()]));
}
