import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { hex } from "../../catapult/entity/hex.js";
import { decodeDetachedCosignature } from "../../catapult/wire/zmq-message.js";
import type { Gateway } from "../../gateway/server.js";
import { runScenario, type ScenarioResult, type ScenarioStage, type ScenarioStep } from "../devnet/scenario.js";
import { SCENARIO_RULES, scenarioStages } from "../devnet/scenario-stages.js";
import { TestClient } from "../gateway/websocket-fixture.js";
import { DevnetFixture } from "../support/devnet.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { sendJson } from "../support/rest-client.js";
import { startTestGateway } from "../support/test-gateway.js";
import { until } from "../support/until.js";

/** Names of outcomes by the topics that report them. */
const WORD_OF_TOPIC: Readonly<Record<string, string>> = {
  unconfirmedAdded: "unconfirmed",
  unconfirmedRemoved: "unconfirmedRemoved",
  confirmedAdded: "confirmed",
  partialAdded: "partial",
  partialRemoved: "partialRemoved",
};

/** The parts of transaction messages used here. */
interface TransactionNews {
  readonly hash?: string;
  readonly meta?: { readonly hash?: string };
  readonly parentHash?: string;
  readonly signerPublicKey?: string;
  readonly code?: string;
}

interface Status {
  readonly hash: string;
  readonly group: string;
  readonly code: string;
}

describe("the scenario through REST, its outcomes read from /ws and REST", () => {
  let fixture: DevnetFixture;
  let index: IndexedDatabase;
  let gateway: Gateway;
  let client: TestClient;
  let stages: readonly ScenarioStage[];
  let results: readonly ScenarioResult[];
  /** Outcomes by hash, of the messages that were read. */
  const fates = new Map<string, string[]>();
  let read = 0;
  const steps = () => stages.flatMap((stage) => stage.steps);
  const url = () => `http://127.0.0.1:${gateway.port}`;

  beforeAll(async () => {
    fixture = await DevnetFixture.start({ zmqPort: 0, rules: { ...SCENARIO_RULES } });
    const { devnet } = fixture;
    stages = scenarioStages(devnet);
    index = await IndexedDatabase.create();
    await index.follow(devnet, {
      zmqUrl: devnet.zmqEndpoint,
      limits: { brokerReconnectMs: { first: 20, longest: 100 } },
    });
    gateway = await startTestGateway({
      databaseUrl: index.url,
      nodes: [devnet],
      resourcesDirectory: devnet.resourcesDirectory,
    });
    client = await TestClient.connect(`ws://127.0.0.1:${gateway.port}/ws`);
    client.subscribe("block", ...Object.keys(WORD_OF_TOPIC), "cosignature", "status");
    // subscriptions are not confirmed: wait for a block
    await fixture.hasSubscriber();
    await mine(1);
    results = await runScenario(stages, {
      announcer: {
        transaction: (payload) => announce("/transactions", { payload: hex(payload) }),
        partial: (payload) => announce("/transactions/partial", { payload: hex(payload) }),
        cosignature: (bytes) => {
          const { version, signerPublicKey, signature, parentHash } = decodeDetachedCosignature(bytes);
          return announce("/transactions/cosignature", {
            version: String(version),
            signerPublicKey: hex(signerPublicKey),
            signature: hex(signature),
            parentHash: hex(parentHash),
          });
        },
      },
      fateOf,
      height: async () => Number(((await (await fetch(`${url()}/chain/info`)).json()) as { height: string }).height),
      mine,
    });
  });

  afterAll(async () => {
    await client?.close();
    await gateway?.stop();
    await index?.drop();
    await fixture?.stop();
  });

  async function mine(blocks: number): Promise<void> {
    if (blocks <= 0) return;
    await fixture.devnet.harvest(blocks);
    const height = String(fixture.devnet.height);
    const isTold = () => client.messages.some(({ topic, data }) => topic === "block" && data.block?.height === height);
    await until(isTold, `block ${height} is reported`);
  }

  /** It is asked every few ms: each message is read once. */
  function fateOf({ hash }: ScenarioStep): string[] {
    for (const { topic, data } of client.messages.slice(read)) {
      const { hash, meta, parentHash, signerPublicKey, code = "" } = data as TransactionNews;
      const of = hash ?? meta?.hash ?? parentHash ?? "";
      const words: Readonly<Record<string, string>> = {
        ...WORD_OF_TOPIC,
        cosignature: `cosignature ${signerPublicKey?.slice(0, 8).toLowerCase()}`,
        status: code,
      };
      fates.set(of, [...(fates.get(of) ?? []), words[topic] ?? topic]);
    }
    read = client.messages.length;
    return fates.get(hex(hash)) ?? [];
  }

  /** Why a gateway rejects a transaction; it answers `{message}` alone when it accepts it. */
  async function announce(path: string, body: unknown): Promise<string | undefined> {
    const { code, message } = (await sendJson("PUT", url() + path, body)).body;
    return code === undefined ? undefined : `${code}: ${message}`;
  }

  test("every step ends as at a real node, or is rejected by the gateway itself with the same code", () => {
    const outcomes = results.map(({ name, outcome, rejection }) => {
      // a rejection that needs no state is immediate: pushed to the node, it would affect others
      const [, code] = /^InvalidArgument: .*\((Failure_\w+)\)$/.exec(rejection ?? "") ?? [];
      return { name, outcome: rejection === undefined ? outcome : (code ?? rejection) };
    });
    expect(outcomes).toEqual(steps().map(({ name, expected }) => ({ name, outcome: expected })));
    const rejected = results.filter(({ rejection }) => rejection !== undefined).length;
    process.stderr.write(
      `scenario over REST and /ws: ${results.length} steps as expected, ${rejected} rejected by the gateway\n`,
    );
  });

  test("REST reports the same for each: confirmed, or failed with its code", async () => {
    const known = new Map<string, Status>();
    const hashes = steps().map(({ hash }) => hex(hash));
    for (let first = 0; first < hashes.length; first += 50) {
      const found = await sendJson("POST", `${url()}/transactionStatus`, { hashes: hashes.slice(first, first + 50) });
      for (const status of found.body as Status[]) known.set(status.hash, status);
    }
    const outcomes = new Map(results.map((result) => [result.name, result]));
    const differences = steps().flatMap(({ name, hash, expected }) => {
      if (expected === "ignored" || outcomes.get(name)?.rejection !== undefined) return [];
      const status = known.get(hex(hash));
      const said = status?.group === "failed" ? status.code : status?.group;
      return said === expected ? [] : [{ name, expected, said }];
    });
    expect(differences).toEqual([]);
  });
});
