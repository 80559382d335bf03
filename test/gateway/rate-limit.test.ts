import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { clientAddress, TrustedProxies, toClientKey } from "../../gateway/clients/addresses.js";
import { RateLimit } from "../../schema/limits/rate-limit.js";
import { GatewayFixture } from "./gateway-fixture.js";

/** The parts of a request that the limit uses. */
function from(remoteAddress: string, forwardedFor?: string): IncomingMessage {
  const headers = forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor };
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

describe("the address of a client", () => {
  const proxies = new TrustedProxies(["10.0.0.0/8", "192.0.2.7", "fd00::/16"]);

  test.each([
    ["203.0.113.9", undefined, "203.0.113.9"],
    ["::ffff:203.0.113.9", undefined, "203.0.113.9"],
    ["203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["10.1.2.3", "198.51.100.1", "198.51.100.1"],
    ["10.1.2.3", "1.1.1.1, 198.51.100.1", "198.51.100.1"],
    ["10.1.2.3", "1.1.1.1, 198.51.100.1, 192.0.2.7", "198.51.100.1"],
    ["10.1.2.3", "10.9.9.9", "10.9.9.9"],
    ["fd00::1", "2001:db8::5", "2001:db8::5"],
    ["10.1.2.3", "nonsense", "10.1.2.3"],
    ["10.1.2.3", "198.51.100.1, nonsense", "10.1.2.3"],
    ["10.1.2.3", "", "10.1.2.3"],
    ["192.0.2.8", "198.51.100.1", "192.0.2.8"],
    ["10.1.2.3", "198.51.100.1:4711", "198.51.100.1"],
    ["10.1.2.3", "198.51.100.1:4711, 10.0.0.9:443", "198.51.100.1"],
    ["10.1.2.3", "[2001:db8::5]:4711", "2001:db8::5"],
    ["10.1.2.3", '"[2001:db8::5]"', "10.1.2.3"],
    ["::ffff:10.1.2.3", "::ffff:198.51.100.1", "198.51.100.1"],
    ["10.1.2.3", "::ffff:c633:6401", "198.51.100.1"],
    ["::ffff:a01:203", "2001:DB8::05", "2001:db8::5"],
    ["10.1.2.3", `${"198.51.100.2,".repeat(1_000)}198.51.100.1`, "198.51.100.1"],
    ["10.1.2.3", `198.51.100.1,${"10.0.0.9,".repeat(1_000)}10.0.0.8`, "10.0.0.9"],
    ["10.1.2.3", "x".repeat(15_000), "10.1.2.3"],
  ])("socket %s, X-Forwarded-For %s: %s", (socket, forwardedFor, expected) => {
    expect(clientAddress(from(socket, forwardedFor), proxies)).toBe(expected);
  });

  test.each(["10.0.0.0/33", "fd00::/129", "host.example", "", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/-1", "10.1"])(
    "%j is no proxy",
    (entry) => {
      expect(() => new TrustedProxies([entry])).toThrow(RangeError);
    },
  );
});

describe("the bucket of a client", () => {
  const start = (options: { perSecond: number; burst: number }) => {
    const clock = { now: 0 };
    return { clock, limit: new RateLimit(options, () => clock.now) };
  };

  test("is drained by requests and refilled by time, up to the burst", () => {
    const { clock, limit } = start({ perSecond: 2, burst: 3 });
    const client = "203.0.113.9";
    const take = (times: number) => Array.from({ length: times }, () => limit.take(client));
    expect(take(4)).toEqual([undefined, undefined, undefined, 1]);
    clock.now = 499;
    expect(take(1)).toEqual([1]);
    clock.now = 500;
    expect(take(2)).toEqual([undefined, 1]);
    clock.now = 60_000;
    expect(take(4)).toEqual([undefined, undefined, undefined, 1]);
    expect(limit.rejected).toBe(4);
  });

  test("is independent: other addresses have their own, an IPv6 /64 network has one", () => {
    const { limit } = start({ perSecond: 1, burst: 1 });
    const isAllowed = (address: string) => limit.take(toClientKey(address)) === undefined;
    expect(isAllowed("203.0.113.9")).toBe(true);
    expect(isAllowed("203.0.113.9")).toBe(false);
    expect(isAllowed("203.0.113.10")).toBe(true);
    expect(isAllowed("2001:db8:1:2::1")).toBe(true);
    expect(isAllowed("2001:db8:1:2:ffff::9")).toBe(false);
    expect(isAllowed("2001:db8:1:3::1")).toBe(true);
    expect(isAllowed("::1")).toBe(true);
    expect(isAllowed("::2")).toBe(false);
  });
});

describe("a gateway with a limit", () => {
  const rateLimit = { perSecond: 0.001, burst: 2 };
  const gateway = GatewayFixture.use(3, { rateLimit, trustedProxies: ["127.0.0.1"] });

  const getAs = (client: string, path: string, headers: Record<string, string> = {}) =>
    gateway.get(path, { headers: { "x-forwarded-for": client, ...headers } });

  test("answers 429 with Retry-After, in the common error format, readable for pages of other origins", async () => {
    const client = "203.0.113.1";
    expect((await getAs(client, "/blocks/1")).status).toBe(200);
    expect((await getAs(client, "/nothing")).status).toBe(404);
    const { status, headers, body } = await getAs(client, "/blocks/1", { origin: "https://explorer.example" });
    expect({ status, body }).toEqual({
      status: 429,
      body: { code: "TooManyRequests", message: expect.stringMatching(/^too many requests from your address: try/) },
    });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("x-request-id")).not.toBeNull();
    expect((await getAs("203.0.113.2", "/blocks/1")).status).toBe(200);
  });

  test("counts /graphql and connections to /ws too", async () => {
    const client = "203.0.113.3";
    expect((await getAs(client, "/graphql?query={__typename}")).status).toBe(403);
    const headers = { "x-forwarded-for": client };
    const first = new WebSocket(`${gateway.socketUrl}/ws`, { headers });
    await once(first, "open");
    first.close();
    const second = new WebSocket(`${gateway.socketUrl}/ws`, { headers });
    const [error] = (await once(second, "error")) as [Error];
    expect(error.message).toContain("429");
    expect((await getAs(client, "/graphql?query={__typename}")).status).toBe(429);
  });
});
