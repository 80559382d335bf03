import { describe, expect, test } from "@jest/globals";
import { type NamedToken, Sessions } from "../../gateway/access/session.js";
import { readSeries } from "../support/prometheus.js";
import { postToken, signIn } from "../support/sign-in.js";
import { GatewayFixture } from "./gateway-fixture.js";

const TOKEN = "a-token-of-some-length";
const ADAS = "the-token-of-ada";
/** As a proxy on the same machine names its clients; the limit of attempts is per client. */
const from = (client: string) => ({ "x-forwarded-for": client });

const gateway = GatewayFixture.use(3, {
  graphqlTokens: [
    { name: "default", token: TOKEN },
    { name: "ada", token: ADAS },
    { name: "bob", token: "the-unused-token-of-bob" },
  ],
  trustedProxies: ["127.0.0.1"],
  internalPort: { host: "127.0.0.1", port: 0 },
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.internalUrl}${path}`, { headers, redirect: "manual" });

describe("a session", () => {
  const cookieOf = (sessions: Sessions) => sessions.begin("default", false).split(";", 1)[0] ?? "";
  const isOpen = (sessions: Sessions, cookie: string) =>
    sessions.nameOf({ headers: { cookie } } as never) === "default";
  const sessionsOf = (token: string, clock?: () => number) => new Sessions([{ name: "default", token }], clock);

  test("is accepted by every gateway with the token, until it expires, and by none with another token", () => {
    const clock = { now: 1_800_000_000_000 };
    const sessions = sessionsOf(TOKEN, () => clock.now);
    const cookie = cookieOf(sessions);
    const other = sessionsOf(TOKEN, () => clock.now);
    expect(isOpen(other, `theme=dark; ${cookie}`)).toBe(true);
    expect(
      isOpen(
        sessionsOf(`${TOKEN}2`, () => clock.now),
        cookie,
      ),
    ).toBe(false);
    clock.now += 12 * 3_600_000 - 1_000;
    expect(isOpen(other, cookie)).toBe(true);
    clock.now += 2_000;
    expect(isOpen(other, cookie)).toBe(false);
  });

  test("cannot be forged or prolonged", () => {
    const sessions = sessionsOf(TOKEN);
    const [name = "", value = ""] = cookieOf(sessions).split("=", 2);
    const [end = "", nonce = "", signature = ""] = value.split(".");
    const longer = `${(Number.parseInt(end, 36) + 1).toString(36)}.${nonce}.${signature}`;
    for (const made of [
      longer,
      `${end}.${nonce}.`,
      `${end}.${nonce}.${"A".repeat(43)}`,
      `${value}A`,
      "",
      TOKEN,
      "...",
    ]) {
      expect({ made, isOpen: isOpen(sessions, `${name}=${made}`) }).toEqual({ made, isOpen: false });
    }
    expect(value).not.toContain(TOKEN);
  });
});

describe("several tokens", () => {
  test("open sessions of their own, which end with their token", () => {
    const ada = { name: "ada", token: ADAS };
    const bob = { name: "bob", token: TOKEN };
    const [cookie = ""] = new Sessions([ada, bob]).begin("bob", false).split(";", 1);
    const nameOf = (tokens: readonly NamedToken[]) => new Sessions(tokens).nameOf({ headers: { cookie } } as never);
    expect(nameOf([ada, bob])).toBe("bob");
    expect(nameOf([ada])).toBeUndefined();
    expect(nameOf([{ ...bob, name: "ada" }])).toBe("ada");
    expect(() => new Sessions([ada]).begin("bob", false)).toThrow("there is no token bob");
  });

  test("each give access, and the metrics show when they were used last", async () => {
    const uses = async () => readSeries(await (await get("/metrics")).text());
    const lastUse = async (name: string) => (await uses()).get(`symbol_gateway_token_last_use_seconds{name="${name}"}`);
    for (const token of [TOKEN, ADAS]) {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const body = '{"query":"{ gateway { version } }"}';
      const response = await fetch(`${gateway.internalUrl}/graphql`, { method: "POST", headers, body });
      expect({ token, status: response.status }).toEqual({ token, status: 200 });
    }
    expect(await lastUse("ada")).toBeGreaterThan(Date.now() / 1_000 - 60);
    expect(await lastUse("bob")).toBe(0);
  });
});

describe("signing in", () => {
  test("unauthorized browsers get its page, with 403; scripts and programs get the error", async () => {
    for (const path of ["/graphql", "/explorer", "/explorer/block/2", "/explorer/blocks?page=2"]) {
      const page = await get(path, { accept: "text/html" });
      expect({ path, status: page.status, type: page.headers.get("content-type") }).toMatchObject({
        status: 403,
        type: "text/html; charset=utf-8",
      });
      const text = await page.text();
      expect(text).toMatch(/^(?![\s\S]*Forbidden)[\s\S]*name="token"/);
      const [, action = ""] = /<form method="post" action="([^"]*)"/.exec(text) ?? [];
      expect({ path, action: new URL(action, page.url).pathname }).toEqual({ path, action: "/sign-in" });
      expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(page.headers.get("cache-control")).toBe("no-store");
      expect(await (await get(path)).json()).toMatchObject({ code: "Forbidden" });
    }
  });

  test("sets a cookie that scripts cannot read and other sites do not send; Secure if the client uses TLS", async () => {
    const first = await postToken(gateway.internalUrl, TOKEN, { to: "graphql", ...from("203.0.113.1") });
    expect({ status: first.status, location: first.headers.get("location") }).toEqual({
      status: 303,
      location: "graphql",
    });
    expect(first.headers.get("set-cookie")).toMatch(/; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    const overTls = { ...from("203.0.113.1"), "x-forwarded-proto": "https", to: "//evil.example" };
    const second = await postToken(gateway.internalUrl, TOKEN, overTls);
    expect(second.headers.get("set-cookie")).toMatch(/; Secure$/);
    expect(second.headers.get("location")).toBe("explorer");
  });

  test("opens both paths, and signing out revokes it in the browser", async () => {
    const cookie = await signIn(gateway.internalUrl, TOKEN);
    expect((await get("/explorer", { cookie })).status).toBe(200);
    expect((await get("/graphql?query={__typename}", { cookie })).status).toBe(200);
    expect((await get("/graphql?query={__typename}", { cookie, origin: "https://evil.example" })).status).toBe(403);
    expect(await (await get("/sign-in", { cookie })).text()).toContain("You are signed in");
    const out = await fetch(`${gateway.internalUrl}/sign-out`, {
      method: "POST",
      redirect: "manual",
      headers: { cookie },
    });
    expect({ status: out.status, location: out.headers.get("location") }).toEqual({ status: 303, location: "sign-in" });
    expect(out.headers.get("set-cookie")).toMatch(/^symbol-gateway-session=; Path=\/; Max-Age=0;/);
  });

  test("is rejected from a page of another origin", async () => {
    const evil = { origin: "https://evil.example", ...from("203.0.113.2") };
    expect((await postToken(gateway.internalUrl, TOKEN, evil)).status).toBe(403);
  });

  test("attempts are limited per client, but not with the right token", async () => {
    const client = from("203.0.113.3");
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect((await postToken(gateway.internalUrl, "guess", client)).status).toBe(403);
    }
    const limited = await postToken(gateway.internalUrl, "guess", client);
    expect({ status: limited.status, cookie: limited.headers.get("set-cookie") }).toEqual({
      status: 429,
      cookie: null,
    });
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await limited.json()).toMatchObject({ code: "TooManyRequests" });
    for (const one of [client, from("203.0.113.4")])
      expect((await postToken(gateway.internalUrl, TOKEN, one)).status).toBe(303);
  });
});

test("the paths for operators are only on their own port, the others on both", async () => {
  const authorization = `Bearer ${TOKEN}`;
  for (const path of ["/metrics", "/ready", "/graphql?query={__typename}", "/explorer", "/sign-in"]) {
    const outside = await gateway.get(path, { headers: { authorization } });
    expect({ path, status: outside.status }).toEqual({ path, status: 404 });
    expect({ path, status: (await get(path, { authorization })).status }).toEqual({ path, status: 200 });
  }
  expect((await gateway.get("/blocks/1")).status).toBe(200);
  expect((await get("/blocks/1")).status).toBe(200);
  expect((await gateway.get("/")).body).not.toHaveProperty("graphql");
  const { paths } = (await gateway.get("/openapi.json")).body;
  expect(Object.keys(paths)).not.toEqual(expect.arrayContaining(["/metrics"]));
});
