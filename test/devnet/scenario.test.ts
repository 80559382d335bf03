import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { models } from "symbol-sdk/symbol";
import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import { describeRecorded } from "../support/describe-chains.js";
import { DevnetFixture, signedAggregate } from "../support/devnet.js";
import { playScenario } from "../support/devnet-scenario.js";
import { sdkName } from "../support/sdk-oracle.js";
import type { ScenarioResult, ScenarioStage } from "./scenario.js";
import { SCENARIO_RULES, scenarioStages } from "./scenario-stages.js";

let fixture: DevnetFixture;
let stages: readonly ScenarioStage[];
let results: readonly ScenarioResult[];

beforeAll(async () => {
  fixture = await DevnetFixture.start({ zmqPort: 0, rules: { ...SCENARIO_RULES } });
  stages = scenarioStages(fixture.devnet);
  results = await playScenario(fixture);
});

afterAll(() => fixture?.stop());

describe("a devnet, observed by packets and ZeroMQ", () => {
  test("does with every step of the scenario what a real node does", () => {
    const expected = stages.flatMap(({ steps }) => steps).map(({ name, expected }) => ({ name, outcome: expected }));
    expect(results).toEqual(expected);
    expect(new Set(results.map(({ name }) => name)).size).toBe(results.length);
    const rejected = results.filter(({ outcome }) => outcome.startsWith("Failure_")).length;
    process.stderr.write(`devnet scenario: ${results.length} steps as expected, ${rejected} of them rejected\n`);
  });

  test("confirmed every transaction type and every receipt, in valid blocks", async () => {
    const types = new Set<string>();
    const receipts = new Set<number>();
    for (const { transactions, statement } of (await fixture.verified()).slice(1)) {
      for (const { entity, embedded } of transactions)
        for (const content of [entity, ...embedded.map((one) => one.entity)]) types.add(sdkName(content));
      for (const { receipts: found } of statement.transactionStatements)
        for (const { type } of found) receipts.add(type);
    }
    const all = Object.keys(models).filter((name) => /^(?!Embedded|NonVerifiable).+TransactionV\d$/.test(name));
    expect([...types].sort()).toEqual(all.sort());
    expect([...receipts].sort()).toEqual(Object.values(RECEIPT_TYPE).sort());
  });
});

test("a devnet without the fork of aggregates of version 3 rejects that version, as nodes without it do", async () => {
  const older = await DevnetFixture.start({ rules: { uniqueAggregateTransactionHash: undefined } });
  try {
    const { devnet } = older;
    const [alice] = devnet.accounts;
    const swap = (version: 2 | 3) =>
      signedAggregate(devnet, alice!, { version, embedded: [{ signer: alice!, fields: {} }] });
    expect(devnet.announce(swap(3)).rejection).toBe("Failure_Core_Invalid_Version");
    expect(devnet.announce(swap(2)).isUnconfirmed).toBe(true);
  } finally {
    await older.stop();
  }
});

describeRecorded("the recorded chain's announcements", (recorded) => {
  test("have the same code for the same cause", () => {
    const announced = recorded.lines<{ name: string; code?: string }>("announced.jsonl.gz");
    const rejections = new Map(
      announced.filter(({ code }) => code?.startsWith("Failure_")).map((one) => [one.name, one.code]),
    );
    const outcomes = new Map(results.map(({ name, outcome }) => [name, outcome]));
    expect(rejections.size).toBeGreaterThan(30);
    expect([...rejections.keys()].map((name) => [name, outcomes.get(name)])).toEqual([...rejections]);
  });

  test("are all tried, including those that were confirmed", () => {
    const announced = recorded.lines<{ name: string; height?: number }>("announced.jsonl.gz");
    const confirmed = new Set(announced.filter(({ height }) => height).map(({ name }) => name));
    const tried = new Set(results.map(({ name }) => name.replace(/^fund .*/, "fund")));
    expect([...confirmed].filter((name) => !tried.has(name))).toEqual([]);
  });
});
