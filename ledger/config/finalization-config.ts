import { decodeAddress } from "../../catapult/entity/address.js";
import { Properties, PropertyError } from "../../catapult/network/properties.js";
import { mapKey } from "../trees/state-table.js";

/** The rules of a network's finalization, as in catapult's `config-finalization` properties. */
export interface FinalizationConfig {
  /** Votes of `threshold` of `size` parts of the weight make a block final. */
  readonly threshold: bigint;
  readonly size: bigint;
  /** From this epoch on, `ineligibleVoters` do not vote. */
  readonly treasuryReissuanceEpoch: number;
  /** Map keys of their addresses. */
  readonly ineligibleVoters: ReadonlySet<string>;
}

const INELIGIBLE_VOTERS = "treasury_reissuance_epoch_ineligible_voter_addresses";

/** Source: `resources/config-finalization.properties` of catapult. */
const NODE_DEFAULTS = new Properties({ finalization: { size: "10'000", threshold: "6'700" } });

/**
 * Parses `config-finalization.properties`; undefined = the defaults of a node. Older nodes have no epoch of a treasury
 * reissuance. Source: `FinalizationConfiguration` of catapult's `extensions/finalization`.
 *
 * @throws PropertyError naming the property that is missing or malformed
 */
export function parseFinalizationConfig(properties: Properties | undefined): FinalizationConfig {
  const file = properties ?? NODE_DEFAULTS;
  const section = file.section("finalization");
  const size = section.bigint("size");
  if (size === 0n) throw new PropertyError("[finalization] size: expected a positive integer, not 0");
  return {
    threshold: section.bigint("threshold"),
    size,
    treasuryReissuanceEpoch: section.has("treasuryReissuanceEpoch") ? section.number("treasuryReissuanceEpoch") : 0,
    ineligibleVoters: new Set(
      file
        .find(INELIGIBLE_VOTERS)
        ?.enabledNames()
        .map((name) => mapKey(addressOf(name))),
    ),
  };
}

function addressOf(text: string): Buffer {
  try {
    return decodeAddress(text);
  } catch {
    throw new PropertyError(`[${INELIGIBLE_VOTERS}] ${text}: expected an address of 39 base32 characters`);
  }
}

/** The last block of a finalization epoch (catapult `model::CalculateVotingSetEndHeight`). */
export function epochEnd(epoch: number, votingSetGrouping: number): number {
  return epoch <= 1 ? 1 : (epoch - 1) * votingSetGrouping;
}

/** The finalization epoch of block `height` (catapult `model::CalculateFinalizationEpochForHeight`). */
export function computeEpoch(height: number, votingSetGrouping: number): number {
  return height === 1 ? 1 : Math.floor((height - 1) / votingSetGrouping) + 2;
}
