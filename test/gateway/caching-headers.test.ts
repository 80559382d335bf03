import { describe, expect, test } from "@jest/globals";
import { makeExtensions } from "../../cli/parts/extensions.js";
import { selectBehaviour } from "../../gateway/compatibility/compatibility.js";
import { BODY_BYTES } from "../../gateway/http/json-body.js";
import type { Route } from "../../gateway/rest/route/route.js";
import { routesIn } from "../../gateway/rest/routes/table.js";
import { ABSENT } from "../contract/examples.js";
import { GatewayFixture } from "./gateway-fixture.js";

/** How long answers may be kept, and on what they depend: each route, each method, each error. */

const BLOCKS = 30;
const routes = routesIn(selectBehaviour("spec"));

const gateway = GatewayFixture.use(BLOCKS, { extensions: makeExtensions({ EXPLORER: "public" }) });

/** Values of paths that exist; others are absent. */
const PRESENT: Readonly<Record<string, string>> = { height: "2", fromHeight: "1" };

function pathOf({ path }: Route, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_mark, name: string) => values[name] ?? ABSENT[name] ?? "1");
}

interface Seen {
  readonly status: number;
  readonly cacheControl: string;
  readonly tag: string | null;
  readonly vary: readonly string[];
  /** All on which an answer may depend. */
  readonly content: string;
}

async function ask(path: string, init: RequestInit = {}, on = gateway): Promise<Seen> {
  const stop = new AbortController();
  const response = await fetch(`${on.url}${path}`, {
    ...init,
    redirect: "manual",
    signal: stop.signal,
    headers: { "accept-encoding": "identity", ...(init.headers as object) },
  });
  const { status, headers } = response;
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const body = isStream ? "" : await response.text();
  if (isStream) stop.abort();
  const content = [status, headers.get("content-type"), headers.get("content-encoding"), headers.get("location"), body];
  return {
    status,
    cacheControl: headers.get("cache-control") ?? "absent",
    tag: headers.get("etag"),
    vary: (headers.get("vary") ?? "").toLowerCase().split(/, */),
    content: JSON.stringify(content),
  };
}

const json = (method: string, body: string, type = "application/json"): RequestInit => ({
  method,
  body,
  headers: { "content-type": type },
});

/** Whether answers of a route follow the chain, and so have an entity tag. */
const followsChain = ({ work }: Route) => "followsChain" in work && work.followsChain;

function expectCaching(route: Route, seen: Seen, request: string): void {
  const isKept = seen.status === 200 && followsChain(route);
  const isStream = seen.status === 200 && "stream" in route.work;
  const cacheControl = isKept ? "no-cache" : isStream ? "no-cache, no-transform" : "no-store";
  expect({ request, status: seen.status, cacheControl: seen.cacheControl }).toEqual({
    request,
    status: seen.status,
    cacheControl,
  });
  if (isKept) expect({ request, hasTag: seen.tag !== null }).toEqual({ request, hasTag: true });
}

const LISTENING: Readonly<Record<string, string>> = { "/events": "?topic=block" };

test("every route says how long its answers may be kept: present, absent, invalid, and with other methods", async () => {
  expect(routes.length).toBeGreaterThan(90);
  const statuses = new Set<number>();
  for (const route of routes) {
    const init = route.method === "GET" ? {} : json(route.method, "{}");
    for (const path of [
      pathOf(route, PRESENT) + (LISTENING[route.path] ?? ""),
      pathOf(route, {}),
      `${pathOf(route, {})}?nonsense=1`,
    ]) {
      const seen = await ask(path, init);
      statuses.add(seen.status);
      expectCaching(route, seen, `${route.method} ${path}`);
    }
    if (route.method === "GET" && !("stream" in route.work)) {
      expectCaching(route, await ask(pathOf(route, PRESENT), { method: "HEAD" }), `HEAD ${route.path}`);
    }
    for (const method of ["DELETE", "PATCH"]) {
      const { status, cacheControl } = await ask(pathOf(route, PRESENT), { method });
      expect({ path: route.path, status, cacheControl }).toEqual({
        path: route.path,
        status: 405,
        cacheControl: "no-store",
      });
    }
    if (route.method === "GET") continue;
    for (const [status, wrong] of [
      [400, json(route.method, "{")],
      [413, json(route.method, JSON.stringify({ x: "y".repeat(BODY_BYTES) }))],
      [415, json(route.method, "{}", "text/plain")],
    ] as const) {
      const seen = await ask(pathOf(route, PRESENT), wrong);
      expect({ path: route.path, status: seen.status }).toEqual({ path: route.path, status });
      expectCaching(route, seen, `${route.method} ${route.path}`);
    }
  }
  expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 404, 409]));
});

/** Headers on which answers may depend, each with a value that may change them. */
const VARIATIONS: readonly (readonly [name: string, value: string])[] = [
  ["Accept", "text/html,application/xhtml+xml"],
  ["Accept-Encoding", "gzip"],
  ["Accept-Language", "ja"],
  ["Authorization", "Bearer nonsense"],
  ["Cookie", "symbol_gateway_session=nonsense"],
  ["Origin", "https://other.example"],
  ["Sec-Fetch-Site", "cross-site"],
];
/** Their content is another one each time. */
const CHANGING = new Set(["/metrics", "/node/time", "/ready", "/node/storage", "/events"]);
const PAGES = [
  "/",
  "/explorer",
  "/explorer/block/2",
  "/explorer/nothing",
  "/docs",
  "/nothing",
  "/sign-in",
  "/graphql",
  "/ws",
];

test("Vary names each header on which an answer depends", async () => {
  const dependent = new Set<string>();
  const paths = routes.filter(({ method, path }) => method === "GET" && !CHANGING.has(path));
  for (const path of [...new Set(paths.map((one) => pathOf(one, PRESENT))), ...PAGES]) {
    const base = await ask(path);
    for (const [name, value] of VARIATIONS) {
      const varied = await ask(path, { headers: { [name.toLowerCase()]: value } });
      if (varied.content === base.content) continue;
      dependent.add(name);
      for (const { vary } of [base, varied]) {
        expect({ path, name, isNamed: vary.includes(name.toLowerCase()) }).toEqual({ path, name, isNamed: true });
      }
    }
  }
  expect([...dependent]).toEqual(expect.arrayContaining(["Accept", "Accept-Encoding", "Accept-Language"]));
});

test("only files whose names contain a digest of them are immutable", async () => {
  const page = await (await fetch(`${gateway.url}/explorer`)).text();
  const files = [...page.matchAll(/(?:src|href)="([^"?#]+\.(?:js|css))"/g)].map(
    ([, file]) => new URL(String(file), `${gateway.url}/`),
  );
  expect(files.length).toBeGreaterThan(0);
  for (const { pathname } of files) {
    expect(pathname).toMatch(/[-.][\w-]{8,}\.(js|css)$/);
    expect((await ask(pathname)).cacheControl).toMatch(/immutable/);
  }
  expect((await ask("/explorer")).cacheControl).toBe("no-cache");
});

describe("errors of a gateway that cannot answer", () => {
  const limited = GatewayFixture.use(3, { rateLimit: { perSecond: 0.001, burst: 1 } });
  const broken = GatewayFixture.use(undefined);

  test("429 of the rate limit", async () => {
    expect(await ask("/chain/info", {}, limited)).toMatchObject({ status: 200 });
    expect(await ask("/chain/info", {}, limited)).toMatchObject({ status: 429, cacheControl: "no-store" });
  });

  test("500 of a broken database, and 503 of an empty one", async () => {
    expect(await ask("/ready", {}, broken)).toMatchObject({ status: 503, cacheControl: "no-store" });
    await broken.query("alter table blocks rename to something_else");
    expect(await ask("/blocks", {}, broken)).toMatchObject({ status: 500, cacheControl: "no-store" });
  });
});
