import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { IndexerMetrics } from "../../indexer/metrics/metrics.js";
import { type MetricsServer, startMetricsServer } from "../../indexer/metrics/metrics-server.js";
import { silentLog } from "../support/connection-fixtures.js";
import { DevnetFixture } from "../support/devnet.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { readSeries, seriesNames } from "../support/prometheus.js";
import { GatewayFixture } from "./gateway-fixture.js";

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const file = new URL("../../../deploy/grafana/operations.json", import.meta.url);
const { panels } = JSON.parse(readFileSync(file, "utf8")) as { panels: readonly Panel[] };

let devnet: DevnetFixture;
let index: IndexedDatabase;
let server: MetricsServer;
const gateway = GatewayFixture.use(12);

beforeAll(async () => {
  devnet = await DevnetFixture.start();
  await devnet.devnet.harvest(3);
  index = await IndexedDatabase.create();
  const metrics = new IndexerMetrics("1.2.3");
  server = await startMetricsServer({ metrics, host: "127.0.0.1", port: 0, log: silentLog });
  await index.follow(devnet.devnet, { metrics });
  await index.waitForHash(devnet.devnet.block(devnet.devnet.height).hash);
});

afterAll(async () => {
  await index?.drop();
  await server?.stop();
  await devnet?.stop();
});

async function scrape(url: string): Promise<Map<string, number>> {
  return readSeries(await (await fetch(url)).text());
}

const scrapeIndexer = () => scrape(`http://127.0.0.1:${server.port}/metrics`);

interface Rules {
  readonly groups: readonly [
    { readonly rules: readonly { readonly expr: string; readonly annotations: { readonly summary: string } }[] },
  ];
}

const alerts = parse(readFileSync(new URL("../../../deploy/prometheus/rules.yaml", import.meta.url), "utf8")) as Rules;
/** The alerts, but for those of other programs' metrics. */
const alarms = alerts.groups[0].rules
  .map(({ expr, annotations }) => ({ title: annotations.summary, expr }))
  .filter(({ expr }) => expr.includes("symbol_"));

describe("the Grafana dashboard and the alerts", () => {
  test("use only metrics that a gateway or an indexer exports", async () => {
    await gateway.get("/blocks/3");
    const given = new Set([
      ...seriesNames(await scrape(`${gateway.url}/metrics`)),
      ...seriesNames(await scrapeIndexer()),
    ]);
    const expressions = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
    expect(expressions.length).toBeGreaterThan(20);
    expect(alarms.length).toBeGreaterThan(8);
    for (const { title, expr } of [...expressions, ...alarms]) {
      const names = expr.match(/\b(symbol|process|nodejs)_\w+/g) ?? [];
      expect({ title, names: names.length > 0, absent: names.filter((name) => !given.has(name)) }).toEqual({
        title,
        names: true,
        absent: [],
      });
    }
  });
});

describe("the indexer's metrics", () => {
  test("report written blocks and the node's height", async () => {
    const { height } = devnet.devnet;
    const figures = Object.fromEntries(await scrapeIndexer());
    expect(figures).toMatchObject({
      symbol_indexer_writing: 1,
      symbol_indexer_database_up: 1,
      symbol_indexer_height: height,
      symbol_indexer_node_height: height,
      symbol_indexer_blocks_total: height,
      symbol_indexer_roll_backs_total: 0,
      symbol_indexer_errors_total: 0,
      'symbol_indexer_info{version="1.2.3"}': 1,
    });
    expect(figures.symbol_indexer_transactions_total).toBeGreaterThan(0);
    expect(figures.symbol_indexer_step_seconds_count).toBeGreaterThan(0);
  });

  test("count a switch of branch, and are removed when writing ends", async () => {
    devnet.devnet.fork({ from: devnet.devnet.height - 2, blocks: 3 });
    await index.waitForHash(devnet.devnet.block(devnet.devnet.height).hash);
    await index.stop();
    expect(Object.fromEntries(await scrapeIndexer())).toMatchObject({
      symbol_indexer_roll_backs_total: 1,
      symbol_indexer_dropped_blocks_total: 2,
      symbol_indexer_writing: 0,
      symbol_indexer_database_up: 0,
    });
  });

  test("are complete", async () => {
    expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${server.port}/metrics`, { method: "POST" })).status).toBe(404);
  });
});
