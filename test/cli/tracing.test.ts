import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { UsageError } from "../../cli/process/usage-error.js";
import { startTracing } from "../../cli/tracing/start-tracing.js";
import type { Tracing } from "../../cli/tracing/tracing.js";
import { statementChannel } from "../../database/binary/client.js";
import { operationChannel } from "../../gateway/graphql/operation.js";
import { GatewayFixture } from "../gateway/gateway-fixture.js";

interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

const spans: ReceivedSpan[] = [];
let collector: Server;
let gateway: GatewayFixture;

/** A collector of OpenTelemetry that keeps what it receives. */
beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { resourceSpans } = JSON.parse(Buffer.concat(parts).toString("utf8")) as {
      resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[];
    };
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    response.setHeader("Content-Type", "application/json").end("{}");
  });
  await once(collector.listen(0, "127.0.0.1"), "listening");
  gateway = await GatewayFixture.start({ blocks: 20, seed: 1 });
});

afterAll(async () => {
  await gateway?.close();
  collector.closeAllConnections();
  collector.close();
});

const endpoint = () => `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
const attribute = ({ attributes }: ReceivedSpan, key: string) =>
  Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0];

/** Spans of requests for a path, with all that is below each. */
function treeOf(path: string): { readonly root: ReceivedSpan; readonly names: string[] } {
  const root = spans.find((span) => attribute(span, "url.path") === path)!;
  const below = ({ spanId }: ReceivedSpan): ReceivedSpan[] =>
    spans.filter(({ parentSpanId }) => parentSpanId === spanId).flatMap((span) => [span, ...below(span)]);
  return { root, names: [root, ...below(root)].map(({ name }) => name) };
}

async function traced(trustedProxies: string[], work: (tracing: Tracing) => Promise<void>): Promise<void> {
  spans.length = 0;
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(), TRUSTED_PROXIES: trustedProxies };
  const tracing = await startTracing(settings);
  try {
    await work(tracing!);
  } finally {
    await tracing!.stop();
  }
}

test("a request has a trace of its operation and statements, with its id; nothing of it without a collector", async () => {
  expect(await startTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: undefined, TRUSTED_PROXIES: [] })).toBeUndefined();
  expect([statementChannel.hasSubscribers, operationChannel.hasSubscribers]).toEqual([false, false]);
  let requestId: string | null = null;
  await traced([], async ({ logFields }) => {
    const answers = await Promise.all([gateway.get("/blocks?pageSize=20"), gateway.get("/chain/info")]);
    requestId = answers[0].headers.get("x-request-id");
    await gateway.post("/graphql", { query: "{ chain { height } }" });
    await gateway.get("/blocks/nonsense");
    expect(logFields()).toEqual({});
  });
  const { root, names } = treeOf("/blocks");
  expect(names[0]).toBe("GET /blocks");
  const operation = spans.find(({ name, traceId }) => name === "graphql blocks" && traceId === root.traceId);
  expect(operation?.parentSpanId).toBe(root.spanId);
  const statements = spans.filter(({ parentSpanId }) => parentSpanId === operation?.spanId);
  expect(statements.map(({ name }) => name)).toContain("postgresql SELECT");
  expect(root.parentSpanId ?? "").toBe("");
  expect([attribute(root, "http.request.id"), attribute(root, "http.response.status_code")]).toEqual([requestId, 200]);
  expect(treeOf("/chain/info").root.traceId).not.toBe(root.traceId);
  expect(treeOf("/graphql").names).toEqual(expect.arrayContaining(["POST /graphql", "graphql /graphql"]));
  expect(treeOf("/blocks/nonsense").names).toEqual(["GET /blocks/{height}"]);
  expect([statementChannel.hasSubscribers, operationChannel.hasSubscribers]).toEqual([false, false]);
});

test("a trace is continued only if a trusted proxy sends it", async () => {
  const [traceId, spanId] = ["a".repeat(32), "b".repeat(16)];
  const headers = { traceparent: `00-${traceId}-${spanId}-01` };
  await traced([], async () => void (await gateway.get("/chain/info", { headers })));
  expect(treeOf("/chain/info").root.traceId).not.toBe(traceId);
  await traced(["127.0.0.1"], async () => void (await gateway.get("/chain/info", { headers })));
  expect(treeOf("/chain/info").root).toMatchObject({ traceId, parentSpanId: spanId });
});

test("a collector that is no URL is rejected", async () => {
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: "localhost", TRUSTED_PROXIES: [] };
  await expect(startTracing(settings)).rejects.toThrow(UsageError);
});
