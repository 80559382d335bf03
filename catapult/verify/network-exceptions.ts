import { hex } from "../entity/hex.js";
import { MAIN_NETWORK_FACTS } from "../network/main-network.js";
import type { Properties } from "../network/properties.js";

/**
 * Exceptions to today's rules that single networks accepted.
 *
 * The other historical exceptions of the main network need no entry: the transactions of its treasury reissuance
 * (height 689,761) have valid signatures of the nemesis account, and the lifted checks of secret locks (from height
 * 3,191,538) concern the state only.
 */
interface NetworkExceptions {
  /**
   * The value in the header by the aggregate's hash, both upper-case hex: it does not match the embedded
   * transactions.
   */
  readonly corruptAggregateHashes: ReadonlyMap<string, string>;
}

const NO_EXCEPTIONS: NetworkExceptions = { corruptAggregateHashes: new Map() };

/** Networks by their generation hash seed, upper-case hex. */
const EXCEPTIONS: Readonly<Record<string, NetworkExceptions>> = {
  [MAIN_NETWORK_FACTS.generationHashSeed]: {
    corruptAggregateHashes: new Map(Object.entries(MAIN_NETWORK_FACTS.corruptAggregateHashes ?? {})),
  },
};

/** The exceptions of a network, by its generation hash seed (32 bytes). */
export function exceptionsOf(generationHashSeed: Buffer): NetworkExceptions {
  return EXCEPTIONS[hex(generationHashSeed)] ?? NO_EXCEPTIONS;
}

/**
 * The hashes in headers by the aggregates' hashes (both upper-case hex) that a node's configuration lists as corrupt.
 */
export function corruptAggregateHashes(network: Properties): ReadonlyMap<string, string> {
  const section = network.find("corrupt_aggregate_transaction_hashes");
  return new Map(section?.names().map((name) => [name.toUpperCase(), section.text(name).toUpperCase()]));
}
