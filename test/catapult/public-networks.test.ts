import { describe, expect, test } from "@jest/globals";
import { decodeAddress } from "../../catapult/entity/address.js";
import { renderNetworkProperties } from "../../catapult/json/network-properties.js";
import { inflationStepAt, inflationSteps } from "../../catapult/network/inflation.js";
import { Properties } from "../../catapult/network/properties.js";
import { publicNetwork } from "../../catapult/network/public-networks.js";
import { transactionRules } from "../../catapult/network/transaction-rules.js";
import { knownCorruptHashes } from "../../catapult/verify/network-exceptions.js";
import { findRentalFeeSinks, transactionRulesAt } from "../../ledger/config/network-config.js";
import { mapKey } from "../../ledger/trees/state-table.js";
import { describeMainNetwork } from "../support/describe-chains.js";
import { MAIN_NETWORK, publicConfig, TEST_NETWORK } from "../support/main-network.js";

const main = publicNetwork(MAIN_NETWORK)!;
const testNetwork = publicNetwork(TEST_NETWORK)!;

describe("public networks", () => {
  test("are identified by seed and identifier together", () => {
    expect(main.description).toBe("Symbol public main network");
    expect(testNetwork.description).toBe("Symbol public test network");
    expect(publicNetwork({ ...MAIN_NETWORK, identifier: 152 })).toBeUndefined();
    expect(publicNetwork({ ...MAIN_NETWORK, generationHashSeed: Buffer.alloc(32) })).toBeUndefined();
  });

  test("allow one version of aggregates at each height", () => {
    const versionAt = (network: Properties, height: number) => {
      const rules = transactionRules(network, height);
      const identity = network === main.network ? MAIN_NETWORK : TEST_NETWORK;
      expect(transactionRulesAt(publicConfig(identity), height)).toEqual(rules);
      return rules.aggregate;
    };
    const only = (version: number) => ({ maxKnownVersion: 3, minVersion: version, maxVersion: version });
    expect(versionAt(main.network, 1_690_499)).toMatchObject(only(1));
    expect(versionAt(main.network, 1_690_500)).toMatchObject(only(2));
    expect(versionAt(main.network, 4_759_099)).toMatchObject(only(2));
    expect(versionAt(main.network, 4_759_100)).toMatchObject(only(3));
    expect(versionAt(testNetwork.network, 2_741_999)).toMatchObject(only(2));
    expect(versionAt(testNetwork.network, 2_742_000)).toMatchObject(only(3));
  });

  test("have their fork heights in the state engine's configuration", () => {
    expect(publicConfig(MAIN_NETWORK).forkHeights).toEqual({
      totalVotingBalanceCalculationFix: 528_000,
      treasuryReissuance: 689_761,
      strictAggregateTransactionHash: 1_690_500,
      skipSecretLockUniquenessChecks: new Set([3_191_538]),
      skipSecretLockExpirations: new Set([3_197_860, 3_197_866]),
      forceSecretLockExpirations: new Set([3_197_458, 3_197_781]),
      uniqueAggregateTransactionHash: 4_759_100,
      strictVrfPublicKeyCheck: 5_952_255,
    });
    expect(publicConfig(TEST_NETWORK).forkHeights).toMatchObject({
      uniqueAggregateTransactionHash: 2_742_000,
      strictVrfPublicKeyCheck: 3_888_648,
    });
    expect(publicConfig(MAIN_NETWORK).treasuryReissuanceSignatures.size).toBe(7);
    expect(publicConfig(MAIN_NETWORK).aggregate.corruptHashes).toEqual(
      knownCorruptHashes(MAIN_NETWORK.generationHashSeed),
    );
    expect(publicConfig(TEST_NETWORK).aggregate.corruptHashes.size).toBe(0);
  });

  test("have their voters in the state engine's configuration: some of the main network's no longer vote", () => {
    const { ineligibleVoters, ...shares } = publicConfig(MAIN_NETWORK).finalization;
    expect(shares).toEqual({ size: 10_000n, threshold: 6_700n, treasuryReissuanceEpoch: 481 });
    expect(ineligibleVoters.size).toBe(62);
    for (const voter of ["ND6667LJBJJ6UMJSZKN2BLHQCS3WNZ3W4UGCFKI", "NCFH35TMUJ5QJL6LTBYRBO7ERMM4NIBH7TL6TFY"])
      expect(ineligibleVoters).toContain(mapKey(decodeAddress(voter, MAIN_NETWORK.identifier)));
    expect(publicConfig(TEST_NETWORK).finalization).toEqual({
      ...shares,
      treasuryReissuanceEpoch: 0,
      ineligibleVoters: new Set(),
    });
  });

  test("name the recipients of rental fees, which changed with the treasury reissuance", () => {
    const old = {
      mosaic: "NC733XE7DF46Q7QYLIIZBBSCJN2BEEP5FQ6PAYA",
      namespace: "NBDTBUD6R32ZYJWDEWLJM4YMOX3OOILHGDUMTSA",
    };
    const sinksAt = findRentalFeeSinks(publicConfig(MAIN_NETWORK));
    const sinks = { mosaic: decodeAddress(old.mosaic), namespace: decodeAddress(old.namespace) };
    expect(sinksAt(689_760)).toEqual(sinks);
    expect(sinksAt(689_761)).not.toEqual(sinks);
  });

  test("have an inflation that ends", () => {
    const steps = inflationSteps(testNetwork.inflation);
    expect(inflationStepAt(steps, 1)).toBeUndefined();
    expect(inflationStepAt(steps, 5_759)?.amount).toBe(0n);
    expect(inflationStepAt(steps, 5_952_255)).toEqual({ height: 5_947_799, amount: 70_071_038n });
    expect(steps.at(-1)).toEqual({ height: 110_422_799, amount: 0n });
  });
});

test("values known only to newer nodes are passed through as REST body, and stop nothing", () => {
  const network = new Properties({
    ...Object.fromEntries(
      main.network.titles().map((title) => {
        const section = main.network.section(title);
        return [title, Object.fromEntries(section.names().map((name) => [name, section.text(name)]))];
      }),
    ),
    new_section: { first: "1'000", second: "true" },
    "plugin:catapult.plugins.newer": { maxThings: "5" },
    fork_heights: { treasuryReissuance: "0", strictAggregateTransactionHash: "0", later: "6'000'000, 7" },
  });
  const body = JSON.parse(renderNetworkProperties(network));
  expect(body.newSection).toEqual({ first: "1'000", second: true });
  expect(body.plugins.newer).toEqual({ maxThings: "5" });
  expect(body.forkHeights.later).toBe("6'000'000, 7");
  expect(network.section("network").hex("generationHashSeed")).toEqual(MAIN_NETWORK.generationHashSeed);
  expect(transactionRules(network, 1).transfer.maxMessageSize).toBe(1024);
  const steps = inflationSteps(new Properties({ inflation: { "starting-at-height-2": "5", newer: "x" } }));
  expect(steps).toEqual([{ height: 2, amount: 5n }]);
});

describeMainNetwork("the main network's files", (files) => {
  test("equal the built-in ones, property by property", () => {
    for (const name of ["network", "inflation"] as const) {
      const file = new Properties(files.file(`resources/config-${name}.properties`).toString("utf8"));
      const builtIn = main[name];
      expect(builtIn.titles()).toEqual(file.titles());
      for (const title of file.titles()) {
        const [ours, theirs] = [builtIn.section(title), file.section(title)];
        expect([title, ours.names()]).toEqual([title, theirs.names()]);
        for (const property of theirs.names())
          expect([property, ours.text(property)]).toEqual([property, theirs.text(property)]);
      }
    }
  });
});
