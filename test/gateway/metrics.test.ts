import { once } from "node:events";
import { METHODS, request } from "node:http";
import { expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { readSeries } from "../support/prometheus.js";
import { until } from "../support/until.js";
import { GatewayFixture, NODE_AHEAD } from "./gateway-fixture.js";

const BLOCKS = 20;
const REJECTIONS = 3;

const gateway = GatewayFixture.use(BLOCKS, {
  rateLimit: { perSecond: 1, burst: 2 },
  trustedProxies: ["127.0.0.1"],
  unhandledRejections: () => REJECTIONS,
});

/** The metrics; each time as another client, because the gateway limits them. */
let scrapes = 0;
async function scrape(): Promise<Map<string, number>> {
  const { text } = await gateway.get("/metrics", { headers: { "x-forwarded-for": `203.0.113.${++scrapes}` } });
  return readSeries(text);
}

test("cover the index, the node, the database, the clients, and rejections", async () => {
  const socket = new WebSocket(`${gateway.socketUrl}/ws`);
  const [greeting] = (await once(socket, "message")) as [Buffer];
  const { uid } = JSON.parse(greeting.toString()) as { uid: string };
  socket.send(JSON.stringify({ uid, subscribe: "block" }));
  const headers = { "x-forwarded-for": "198.51.100.1" };
  const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.get("/chain/info", { headers })));
  const rejected = answers.filter(({ status }) => status === 429).length;
  expect(rejected).toBeGreaterThan(0);

  const answered = 'symbol_gateway_http_requests_total{method="GET",route="/chain/info",status="200"}';
  let figures = await scrape();
  // Requests are counted when their answers were sent, and the client subscribes meanwhile.
  await until(async () => {
    figures = await scrape();
    return figures.get(answered) === 20 - rejected && figures.get("symbol_gateway_websocket_subscriptions") === 1;
  }, "all requests are counted");
  expect(Object.fromEntries(figures)).toMatchObject({
    symbol_gateway_database_up: 1,
    symbol_gateway_node_up: 1,
    symbol_gateway_index_height: BLOCKS,
    symbol_gateway_node_height: BLOCKS + NODE_AHEAD,
    symbol_gateway_index_blocks_behind: NODE_AHEAD,
    symbol_gateway_websocket_connections: 1,
    symbol_gateway_websocket_subscriptions: 1,
    symbol_gateway_graphql_connections: 0,
    symbol_gateway_requests_limited_total: rejected,
    symbol_gateway_database_failures_total: 0,
    symbol_gateway_unhandled_rejections_total: REJECTIONS,
    symbol_gateway_webhooks_failing: 0,
    // The certificate of node connections is valid for twenty years.
    'symbol_gateway_certificate_expires_seconds{use="node"}': expect.closeTo(Date.now() / 1_000 + 7_300 * 86_400, -6),
    'symbol_gateway_database_connections{state="waiting"}': 0,
  });
  expect(figures.get("symbol_gateway_index_seconds_behind")).toBeGreaterThan(0);
  expect([...figures.keys()].filter((name) => name.startsWith("symbol_gateway_info{version="))).toHaveLength(1);
  socket.terminate();
});

test("a route has one line, and one for each method and status", async () => {
  for (const height of [1, 2, 3]) {
    for (const path of [`/blocks/${height}`, "/blocks/9999", "/blocks/x"])
      await gateway.get(path, { headers: { "x-forwarded-for": `192.0.2.${height}${path.length}` } });
  }
  const all = await scrape();
  const ofRoute = [...all.keys()].filter((name) => name.includes('route="/blocks/{height}"'));
  expect(ofRoute.sort()).toEqual([
    'symbol_gateway_http_requests_total{method="GET",route="/blocks/{height}",status="200"}',
    'symbol_gateway_http_requests_total{method="GET",route="/blocks/{height}",status="400"}',
    'symbol_gateway_http_requests_total{method="GET",route="/blocks/{height}",status="404"}',
    'symbol_gateway_http_route_seconds_total{route="/blocks/{height}"}',
  ]);
});

test("methods that no route has are one line of each route", async () => {
  const methods = METHODS.filter((method) => method !== "CONNECT");
  const paths = ["/blocks", "/graphql", "/explorer", "/nothing", "/node/info"];
  let client = 0;
  for (const path of paths) {
    for (const method of methods) {
      client += 1;
      const headers = { "x-forwarded-for": `192.0.2.${client % 250}` };
      await new Promise<void>((resolve, reject) => {
        request(`${gateway.url}${path}`, { method, headers, agent: false }, (answer) => {
          answer.resume().on("end", resolve);
        })
          .on("error", reject)
          .end();
      });
    }
  }
  const names = [...(await scrape()).keys()].filter((name) => name.startsWith("symbol_gateway_http_requests_total{"));
  const used = new Set(names.map((name) => /method="([^"]*)"/.exec(name)?.[1]));
  expect([...used].sort()).toEqual(["GET", "HEAD", "OPTIONS", "POST", "PUT", "other"]);
  // By route, not by path.
  expect(names.filter((name) => name.includes("nothing"))).toEqual([]);
  expect(names).toContain('symbol_gateway_http_requests_total{method="GET",route="(none)",status="404"}');
});

test("unknown values are left out", async () => {
  await gateway.node.close();
  const figures = await scrape();
  expect(Object.fromEntries(figures)).toMatchObject({
    symbol_gateway_database_up: 1,
    symbol_gateway_node_up: 0,
    symbol_gateway_index_height: BLOCKS,
  });
  for (const name of ["node_height", "index_blocks_behind", "index_seconds_behind"]) {
    expect(figures.has(`symbol_gateway_${name}`)).toBe(false);
  }
});
