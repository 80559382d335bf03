import type { NetworkIdentity } from "../entity/model.js";
import type { Properties, Section } from "../network/properties.js";
import { type TransactionRules, transactionRules } from "../network/transaction-rules.js";

/** A network's rules about state changes. */
export interface StateRules {
  readonly generationHashSeed: Buffer;
  readonly rentalFeeSinks: NonNullable<NetworkIdentity["rentalFeeSinks"]>;
  /** When the network's time begins, ms since 1970. */
  readonly epochAdjustment: number;
  /** The rules about single transactions in the block at a height. */
  readonly transactionRules: (height: number) => TransactionRules;
}

/**
 * The rules in the text of `config-network.properties`. Before the treasury reissuance, if a network had one, fees
 * went to other accounts (`…V1`).
 * @throws PropertyError naming the property that is missing or malformed
 */
export function stateRules(network: Properties): StateRules {
  const reissuance = network.find("fork_heights")?.number("treasuryReissuance") ?? 0;
  const mosaic = sinkOf(network.section("plugin:catapult.plugins.mosaic"), "mosaicRentalFeeSinkAddress", reissuance);
  const namespaces = network.section("plugin:catapult.plugins.namespace");
  const namespace = sinkOf(namespaces, "namespaceRentalFeeSinkAddress", reissuance);
  return {
    generationHashSeed: network.section("network").hex("generationHashSeed"),
    rentalFeeSinks: (height) => ({ mosaic: mosaic(height), namespace: namespace(height) }),
    epochAdjustment: network.section("network").milliseconds("epochAdjustment"),
    transactionRules: (height) => transactionRules(network, height),
  };
}

/** The account (24 bytes) of a property by height; `changedAt` is 0 if it never changed. */
function sinkOf(section: Section, name: string, changedAt: number): (height: number) => Buffer {
  const address = section.address(name);
  const before = changedAt > 0 ? section.address(`${name}V1`) : address;
  return (height) => (height < changedAt ? before : address);
}
