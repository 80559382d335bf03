import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { routes } from "../../gateway/rest/routes/table.js";
import { errorCodes } from "../../schema/services/errors.js";
import { publishedApi } from "../support/openapi.js";
import { SeededRandom } from "../support/seeded-random.js";
import { syntheticAccounts } from "../support/synthetic-chain.js";
import { GatewayFixture, type TestAnswer } from "./gateway-fixture.js";

const REQUESTS = 600;
const chain = { blocks: 40, seed: 21 };
const accounts = syntheticAccounts(chain.seed);
const random = new SeededRandom();
const published = publishedApi();

let gateway: GatewayFixture;
/** Texts of every kind that an argument may have, valid and invalid. */
let texts: readonly string[];

beforeAll(async () => {
  gateway = await GatewayFixture.start(chain);
  const transactions = gateway.blocks.flatMap(({ transactions: inBlock }) => inBlock).map(({ row }) => row);
  texts = [
    ...accounts.map(({ address }) => encodeAddress(address)),
    ...accounts.map(({ address }) => address.toString("hex")),
    ...accounts.map(({ publicKey }) => publicKey.toString("hex")),
    ...transactions.slice(0, 9).map(({ id }) => id.toString("hex")),
    ...transactions.slice(0, 9).flatMap(({ hash }) => hash?.toString("hex").toUpperCase() ?? []),
    ...gateway.blocks.slice(0, 9).flatMap(({ statements }) => statements.map(({ row }) => row.hash.toString("hex"))),
    ..."0 1 2 7 10 39 40 41 100 101 -1 16724 16705 8515 65536 2147483647 2147483648 9007199254740993".split(" "),
    ..."18446744073709551615 18446744073709551616 true false asc desc id height balance 72C0212E67A08BCE".split(" "),
    ...["", " ", "abc", "NaN", "1e3", "0x1", "'; drop table blocks; --", "\u0000", "💥", "%", "..", "a".repeat(300)],
  ];
});

afterAll(() => gateway?.close());

function pick<T>(from: readonly T[]): T {
  return from[random.below(from.length)] as T;
}

/** An index may be further behind than requested, and this gateway has no resources of a node for simulations. */
function isNotReady({ status, text }: TestAnswer): boolean {
  return status === 503 && /behind the node|set CATAPULT_RESOURCES/.test(text);
}

/** A request to any route with random valid or invalid arguments, some repeated, some unknown. */
function anyRequest(): { method: string; path: string; body?: string } {
  const route = pick(routes);
  const names = Object.entries(route.arguments);
  const path = route.path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(pick(texts)));
  const query = names
    .filter(([, { place }]) => place === "query" && random.below(4) === 0)
    .flatMap(([name]) =>
      Array.from({ length: random.below(12) === 0 ? 2 : 1 }, () => [name, pick(texts)] as [string, string]),
    );
  if (random.below(10) === 0) query.push([pick(texts), pick(texts)]);
  const url = query.length === 0 ? path : `${path}?${new URLSearchParams(query)}`;
  if (route.method === "GET") return { method: pick(["GET", "GET", "GET", "HEAD", "DELETE"]), path: url };
  const values: unknown[] = [
    Array.from({ length: random.below(5) }, () => pick(texts)),
    pick(texts),
    7,
    null,
    { a: 1 },
  ];
  const bodies = [...names.map(([name]) => JSON.stringify({ [name]: pick(values) })), pick(texts), "[]", "{"];
  return { method: route.method, path: url, body: pick(bodies) };
}

test(`${REQUESTS} random requests are answered as described, and none breaks anything`, async () => {
  const statuses = new Map<number, number>();
  for (let count = 0; count < REQUESTS; count += 1) {
    const { method, path: written, body } = anyRequest();
    // Clients resolve `..` before they send.
    const { pathname, search } = new URL(written, gateway.url);
    const path = `${pathname}${search}`;
    const init = body === undefined ? { method } : { method, body, headers: { "content-type": "application/json" } };
    const answer = await gateway.get(path, init);
    const { status } = answer;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const shown = { method, path, body, status, text: status >= 500 && !isNotReady(answer) ? answer.text : "" };
    expect(shown).toEqual({ ...shown, status: expect.any(Number), text: "" });
    if (method === "HEAD") continue;
    if (status >= 400) {
      const { code, message } = answer.body;
      expect({ ...shown, status: errorCodes[code as keyof typeof errorCodes]?.status }).toEqual(shown);
      expect(message.length).toBeLessThan(400);
    } else if (published.pathOf(pathname)) {
      expect({ ...shown, errors: published.validateResponse(method, path, status, answer.body) }).toEqual({
        ...shown,
        errors: [],
      });
    }
  }
  for (const status of [200, 400, 404, 405, 409])
    expect({ status, seen: statuses.has(status) }).toEqual({ status, seen: true });
  expect((await gateway.get("/blocks/1")).text).toBe(gateway.blocks[0]?.row.document);
});
