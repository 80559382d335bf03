import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { addressOfPublicKey, encodeAddress } from "../../catapult/entity/address.js";
import { Properties } from "../../catapult/network/properties.js";
import { stateRules } from "../../catapult/state/network-rules.js";
import { addressAt } from "../../ledger/config/network-config.js";
import { describeRecorded } from "../support/describe-chains.js";
import { recordedConfig } from "../support/known-networks.js";

const SINKS = [1, 2].map((byte) => encodeAddress(addressOfPublicKey(Buffer.alloc(32, byte), 152)));

/** A configuration whose sinks changed at height 100, if `isReissued`. */
function configuration(isReissued: boolean): string {
  const sink = (name: string) => `${name}V1 = ${SINKS[0]}\n${name} = ${SINKS[1]}`;
  return [
    "[network]\ngenerationHashSeed = AB\nepochAdjustment = 1s",
    `[chain]\nharvestingMosaicId = 0x10\nminHarvesterBalance = 1'000\n${sink("harvestNetworkFeeSinkAddress")}`,
    `[plugin:catapult.plugins.mosaic]\n${sink("mosaicRentalFeeSinkAddress")}`,
    `[plugin:catapult.plugins.namespace]\n${sink("namespaceRentalFeeSinkAddress")}`,
    ...(isReissued ? ["[fork_heights]\ntreasuryReissuance = 100"] : []),
  ].join("\n");
}

describe("state rules in a network's configuration", () => {
  test("fees go to other accounts from the treasury reissuance on", () => {
    const rules = stateRules(new Properties(configuration(true)));
    const now = stateRules(new Properties(configuration(false)));
    expect(rules.rentalFeeSinks(99)).not.toEqual(now.rentalFeeSinks(99));
    expect(rules.rentalFeeSinks(100)).toEqual(now.rentalFeeSinks(1));
    expect(rules.generationHashSeed).toEqual(Buffer.from("AB", "hex"));
  });

  test("a missing property is named", () => {
    const text = configuration(true).replace(/^mosaicRentalFeeSinkAddress = .*$/m, "");
    expect(() => stateRules(new Properties(text))).toThrow(
      "[plugin:catapult.plugins.mosaic] mosaicRentalFeeSinkAddress",
    );
  });

  describeRecorded("of the recorded network", (chain) => {
    test("equals its node's rules", () => {
      const config = recordedConfig(chain);
      const rules = stateRules(new Properties(readFileSync(chain.path("resources/config-network.properties"), "utf8")));
      expect(rules.generationHashSeed).toEqual(chain.network.generationHashSeed);
      for (const height of [1, 596, 1_000_000]) {
        expect(rules.rentalFeeSinks(height)).toEqual({
          mosaic: addressAt(config.mosaic.rentalFeeSink, height),
          namespace: addressAt(config.namespace.rentalFeeSink, height),
        });
      }
    });
  });
});
