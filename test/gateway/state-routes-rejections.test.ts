import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { formatMetalId } from "../../catapult/state/metal.js";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import type { Argument } from "../../gateway/rest/route/argument.js";
import * as types from "../../gateway/rest/route/argument-types.js";
import type { Route } from "../../gateway/rest/route/route.js";
import { routes } from "../../gateway/rest/routes/table.js";
import { errorCodes } from "../../schema/services/errors.js";
import { syntheticAccounts } from "../support/synthetic-chain.js";
import { GatewayFixture } from "./gateway-fixture.js";

const chain = { blocks: 3, seed: 3 };
const address = encodeAddress(syntheticAccounts(chain.seed)[0]?.address as Buffer);
const tags = [
  "Accounts",
  "Mosaics",
  "Namespaces",
  "Multisig",
  "Metadata",
  "Hash locks",
  "Secret locks",
  "Restrictions",
];
// Exports have a test of their own.
const stateRoutes = routes.filter(({ tag, path }) => tags.includes(tag) && !path.endsWith(".csv"));
const ofNode = (route: Route) => route.path.endsWith("/merkle");
const ofMetal = (route: Route) => route.operationId === "getMetadataMetal";

type Code = keyof typeof errorCodes;
/** A text, the code of its rejection, and words of the message. */
type Wrong = readonly [text: string, code: Code, ...words: string[]];

const anywhere = (right: string, expected: string): Wrong[] => [
  ["abc", "InvalidContent", expected],
  [right.slice(1), "InvalidContent", expected],
  [`${right}0`, "InvalidContent", expected],
  [`Z${right.slice(1)}`.toLowerCase(), "InvalidContent", expected],
  ["'; drop table accounts; --", "InvalidContent", expected],
  ["\u0000", "InvalidContent", expected],
  ["💥", "InvalidContent", expected],
];
const wrongAddress: Wrong[] = [
  ...anywhere(address, "base32"),
  [`${address.slice(0, 38)}${address.endsWith("A") ? "B" : "A"}`, "InvalidContent", "checksum"],
  ["0".repeat(48), "InvalidContent", "address"],
];

/** A valid text for each type of argument, and invalid ones. */
const texts = new Map<types.ArgumentType<unknown>, { readonly right: string; readonly wrong: readonly Wrong[] }>([
  [types.address, { right: address, wrong: [...wrongAddress, ["AB".repeat(32), "InvalidContent", "address"]] }],
  [types.accountId, { right: address, wrong: wrongAddress }],
  [types.artifactId, { right: "72C0212E67A08BCE", wrong: anywhere("72C0212E67A08BCE", "16 hex digits") }],
  [types.hash, { right: "AB".repeat(32), wrong: anywhere("AB".repeat(32), "64 hex digits") }],
  [types.publicKey, { right: "AB".repeat(32), wrong: anywhere("AB".repeat(32), "64 hex digits") }],
  [types.entityId, { right: "0".repeat(24), wrong: anywhere("0".repeat(24), "24 hex digits") }],
  [
    types.pageSize,
    {
      right: "10",
      wrong: [
        ["abc", "InvalidContent", "integer"],
        ["10.5", "InvalidContent"],
        ["5", "InvalidArgument", "10", "100"],
        ["101", "InvalidArgument", "10", "100"],
        ["-10", "InvalidArgument"],
      ],
    },
  ],
  [
    types.pageNumber,
    {
      right: "1",
      wrong: [
        ["x", "InvalidContent", "integer"],
        ["0", "InvalidArgument", "1"],
        ["2147483648", "InvalidArgument"],
      ],
    },
  ],
  [
    types.order,
    {
      right: "asc",
      wrong: [["ASC", "InvalidArgument", "desc", "asc"]],
    },
  ],
  [types.boolean, { right: "true", wrong: [["yes", "InvalidContent", "true", "false"]] }],
]);

/** Types for one route: numbers of kinds, words, and arguments of Metal. */
function textsOf(name: string, { type }: Argument<unknown>): { right: string; wrong: readonly Wrong[] } {
  const known = texts.get(type);
  if (known) return { right: known.right, wrong: known.wrong };
  const { maximum, enum: words } = type.schema as { maximum?: number; enum?: readonly string[] };
  if (maximum !== undefined) {
    return {
      right: "0",
      wrong: [
        ["x", "InvalidContent", "integer"],
        ["-1", "InvalidArgument", "0", `${maximum}`],
        [`${maximum + 1}`, "InvalidArgument", "0", `${maximum}`],
      ],
    };
  }
  if (words) return { right: words[0] ?? "", wrong: [["height", "InvalidArgument", ...words]] };
  const metal: Record<string, { right: string; wrong: readonly Wrong[] }> = {
    metalId: {
      right: formatMetalId(Buffer.alloc(32, 0xab)),
      wrong: [
        ["abc", "InvalidContent", "base58"],
        ["0".repeat(46), "InvalidContent", "base58"],
        [formatMetalId(Buffer.alloc(31, 0xab)), "InvalidContent", "base58"],
        ["z".repeat(1_900), "InvalidContent", "base58"],
      ],
    },
    mimeType: {
      right: "image/png",
      wrong: [
        ["png", "InvalidContent", "image/png"],
        ["text/html\r\nSet-Cookie: a=b", "InvalidContent"],
        ["text/plain; charset", "InvalidContent"],
        [`a/${"b".repeat(200)}`, "InvalidContent"],
      ],
    },
    fileName: {
      right: "a.txt",
      wrong: [
        ["a\r\nb", "InvalidContent"],
        ["a".repeat(256), "InvalidContent"],
      ],
    },
    offset: { right: "0".repeat(24), wrong: anywhere("0".repeat(24), "24 hex digits") },
  };
  const found = metal[name];
  if (!found) throw new Error(`no texts are known for the argument ${name}`);
  return found;
}

let gateway: GatewayFixture;

beforeAll(async () => {
  gateway = await GatewayFixture.start(chain);
});

afterAll(() => gateway?.close());

function expectRejection(
  answer: { status: number; body: { code: string; message: string } },
  code: Code,
  words: readonly string[],
) {
  expect(answer).toMatchObject({ status: errorCodes[code].status, body: { code } });
  expect(Object.keys(answer.body)).toEqual(["code", "message"]);
  for (const word of words) expect(answer.body.message).toContain(word);
  expect(answer.body.message.length).toBeLessThan(400);
}

/** The route's path with valid texts, except the given ones. */
function pathOf(route: Route, given: Record<string, string> = {}): string {
  return route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(given[name] ?? textsOf(name, route.arguments[name] as Argument<unknown>).right),
  );
}

describe.each(stateRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))("%s", (_name, route) => {
  const all = Object.entries(route.arguments);
  const inPath = all.filter(([, { place }]) => place === "path");
  const inQuery = all.filter(([, { place }]) => place === "query");
  const inBody = all.filter(([, { place }]) => place === "body");

  test("accepts valid arguments", async () => {
    const query = inQuery.filter(([name]) => name !== "orderBy").map(([name, one]) => [name, textsOf(name, one).right]);
    const body = inBody.slice(0, 1).map(([name, one]) => [name, [textsOf(name, one).right]]);
    const path = `${pathOf(route)}?${new URLSearchParams(query as [string, string][])}`;
    const answer =
      route.method === "POST" ? await gateway.post(path, Object.fromEntries(body)) : await gateway.get(path);
    // There is no state here.
    expect({ path, status: answer.status }).toEqual({ path, status: route.canMiss ? 404 : 200 });
  });

  for (const [name, argument] of inPath)
    test(`rejects invalid texts for ${name} in the path`, async () => {
      for (const [text, code, ...words] of textsOf(name, argument).wrong) {
        expectRejection(await gateway.get(pathOf(route, { [name]: text })), code, [name, ...words]);
      }
    });

  for (const [name, argument] of inQuery)
    test(`rejects invalid texts for ${name}`, async () => {
      const { right, wrong } = textsOf(name, argument);
      const ask = (...given: string[]) =>
        gateway.get(`${pathOf(route)}?${new URLSearchParams(given.map((text) => [name, text]))}`);
      for (const [text, code, ...words] of wrong) expectRejection(await ask(text), code, [name, ...words]);
      expectRejection(await ask(right, right), "InvalidArgument", [name, "once"]);
    });

  for (const [name, argument] of inBody)
    test(`rejects invalid bodies for ${name}`, async () => {
      const { right, wrong } = textsOf(name, argument);
      const max = argument.maxItems ?? 0;
      const cases: [body: unknown, code: Code, ...words: string[]][] = [
        ["{", "InvalidContent", "the body", "JSON"],
        ["null", "InvalidContent", "the body", "object"],
        [[right], "InvalidContent", "the body", "object"],
        [{}, "InvalidArgument", name, "missing"],
        [{ [name]: null }, "InvalidArgument", name, "missing"],
        [{ [name]: right }, "InvalidContent", name, "array"],
        [{ [name]: [right, 7] }, "InvalidContent", `${name}[1]`],
        [{ [name]: Array(max + 1).fill(right) }, "InvalidArgument", name, `${max}`],
        ...wrong.map(([text, code, ...words]): [unknown, Code, ...string[]] => [
          { [name]: [right, text] },
          code,
          `${name}[1]`,
          ...words,
        ]),
      ];
      for (const [body, code, ...words] of cases) expectRejection(await gateway.post(route.path, body), code, words);
      const answer = await gateway.post(route.path, "{}", { "content-type": "text/plain" });
      expectRejection(answer, "UnsupportedMediaType", ["application/json"]);
    });
});

test.each([
  ["/accounts?orderBy=balance", "InvalidArgument", "orderBy", "mosaicId"],
  ["/accounts?offset=123", "InvalidContent", "offset", "orderBy=balance"],
  ["/accounts?orderBy=balance&mosaicId=72C0212E67A08BCE&offset=18446744073709551616", "InvalidContent", "offset"],
  ["/accounts?orderBy=balance&mosaicId=72C0212E67A08BCE&offset=-1", "InvalidContent", "offset"],
] as const)("GET %s", async (path, code, ...words) => {
  expectRejection(await gateway.get(path), code, words);
});

test("POST /accounts takes addresses or public keys, but not both", async () => {
  const body = { addresses: [address], publicKeys: ["AB".repeat(32)] };
  expectRejection(await gateway.post("/accounts", body), "InvalidArgument", ["addresses", "publicKeys"]);
});

test.each(stateRoutes.filter(({ canMiss }) => canMiss).map((route) => [route.path, route] as const))(
  "%s names the missing entity as in the request",
  async (_path, route) => {
    const path = pathOf(route);
    const id = Object.entries(route.arguments)
      .filter(([, { place }]) => place === "path")
      .map(([name, argument]) => textsOf(name, argument).right)[0];
    const { status, body } = await gateway.get(path);
    const message = `no resource exists with id '${id}'`;
    expect({ status, body }).toEqual({ status: 404, body: { code: "ResourceNotFound", message } });
  },
);

describe("before the first block", () => {
  let unread: GatewayFixture;
  let db: Db;

  beforeAll(async () => {
    unread = await GatewayFixture.start(chain);
    db = openDatabase({ url: unread.database.url, poolSize: 1 });
    await db.updateTable("head").set({ height: 0 }).execute();
  });

  afterAll(async () => {
    await db?.destroy();
    await unread?.close();
  });

  test("all of it is unavailable, except state paths", async () => {
    for (const route of stateRoutes) {
      const [[name, argument] = []] = Object.entries(route.arguments).filter(([, { place }]) => place === "body");
      const answer =
        name && argument
          ? await unread.post(route.path, { [name]: [textsOf(name, argument).right] })
          : await unread.get(pathOf(route));
      const shown = { path: route.path, status: answer.status };
      expect(shown).toEqual({ ...shown, status: ofNode(route) ? 200 : 503 });
      if (!ofNode(route)) expectRejection(answer, "ServiceUnavailable", ["nothing is indexed yet", "try again"]);
    }
    expect((await unread.get("/blocks")).status).toBe(200);
  });

  test("afterwards it is available", async () => {
    await db.updateTable("head").set({ height: chain.blocks }).execute();
    expect((await unread.get("/accounts")).status).toBe(200);
  });
});

test("all routes of state are known here", () => {
  expect(stateRoutes.filter(ofMetal)).toHaveLength(1);
  expect(stateRoutes.filter(ofNode)).toHaveLength(9);
  expect(stateRoutes).toHaveLength(40);
});
