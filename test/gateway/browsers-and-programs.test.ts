import { describe, expect, test } from "@jest/globals";
import { makeExtensions } from "../../cli/parts/extensions.js";
import { until } from "../support/until.js";
import { GatewayFixture } from "./gateway-fixture.js";
import { whileLocked } from "./table-lock.js";

const chain = 3;
const BURST = 3;
/** What has no answer while its table is locked: as many as one client may have in work and waiting. */
const WAITING = 204;
const PREFLIGHT = {
  method: "OPTIONS",
  headers: { origin: "https://wallet.example", "access-control-request-method": "PUT" },
};

const gateway = GatewayFixture.use(chain, { extensions: makeExtensions({ EXPLORER: "public" }) });

describe("a browser's question what a page may send", () => {
  const limited = GatewayFixture.use(chain, { rateLimit: { perSecond: 1e-6, burst: BURST } });

  test("is not counted by the rate limit, nor rejected by it", async () => {
    const statuses = async (count: number, init?: RequestInit) => {
      const found: number[] = [];
      for (let n = 0; n < count; ++n) found.push((await limited.get("/transactions", init)).status);
      return found;
    };
    expect(new Set(await statuses(2 * BURST, PREFLIGHT))).toEqual(new Set([204]));
    expect(await statuses(BURST + 1)).toEqual([...Array(BURST).fill(405), 429]);
    expect(new Set(await statuses(BURST, PREFLIGHT))).toEqual(new Set([204]));
  });

  test("needs no place", async () => {
    const waiting = await whileLocked(gateway.database.url, ["blocks"], async () => {
      const asked = Array.from({ length: WAITING }, () => gateway.get("/blocks"));
      await until(async () => (await gateway.get("/blocks/1")).status === 429, "the client has no place left");
      expect((await gateway.get("/transactions", PREFLIGHT)).status).toBe(204);
      return { asked };
    });
    await Promise.all(waiting.asked);
  });
});

describe("paths that there are not, and pages for people", () => {
  test.each([
    ["Java", "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"],
    ["jQuery", "text/html, */*; q=0.01"],
    ["curl", "*/*"],
    ["a program that wants JSON", "application/json, text/html;q=0.9"],
  ])("are JSON for %s", async (_, accept) => {
    const { status, body } = await gateway.get("/nothing", { headers: { accept } });
    expect([status, body?.code]).toEqual([404, "ResourceNotFound"]);
    const root = await gateway.get("/", { headers: { accept }, redirect: "manual" });
    expect([root.status, root.body?.name]).toEqual([200, "symbol-gateway"]);
    const query = await gateway.get("/graphql?query={__typename}", {
      headers: { accept: `${accept}, application/json` },
    });
    expect(query.headers.get("content-type")).toContain("json");
    const page = await gateway.get("/explorer/nothing", { headers: { accept } });
    expect(page.headers.get("content-type")).toContain("json");
  });

  test.each([
    ["Firefox", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"],
    ["Chrome", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8"],
    ["Internet Explorer", "text/html, application/xhtml+xml, image/jxr, */*"],
    ["Lynx", "text/html, text/plain, text/sgml, text/css, application/xhtml+xml, */*;q=0.01"],
    ["a client of HTML alone", "text/html"],
  ])("are HTML for %s", async (_, accept) => {
    const { status, headers } = await gateway.get("/nothing", { headers: { accept } });
    expect([status, headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect((await gateway.get("/", { headers: { accept }, redirect: "manual" })).status).toBe(302);
  });
});
