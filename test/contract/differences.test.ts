import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { firstValueFrom, take, toArray } from "rxjs";
import type { RepositoryFactoryHttp } from "symbol-sdk-v2";
import sdk from "symbol-sdk-v2";
import { encodeAddress } from "../../catapult/entity/address.js";
import { type Behaviour, type CompatibilityMode, DIFFERENCES } from "../../gateway/compatibility/compatibility.js";
import { namespaceIdOf } from "../support/namespace-ids.js";
import { Scene } from "./scene.js";

const MODES: readonly CompatibilityMode[] = ["spec", "catapult-rest"];
const BLOCKS = 30;
/** Relative to the folder of compiled tests. */
const PAGE = new URL("../../../docs/from-catapult-rest.md", import.meta.url);
const [BEGIN, END] = [
  "<!-- differences: written from gateway/compatibility/compatibility.ts -->",
  "<!-- end of differences -->",
];

// biome-ignore lint/suspicious/noExplicitAny: bodies are of every form.
type Body = any;

interface Answer {
  readonly status: number;
  readonly body: Body;
}

/** A request that shows a difference, and the relevant part of its response. */
interface Shown {
  readonly path: string | ((scene: Scene) => string);
  readonly put?: (scene: Scene) => unknown;
  readonly post?: unknown;
  readonly read: (answer: Answer) => unknown;
  readonly spec: unknown;
  readonly catapultRest: unknown;
}

const statusAndCode = ({ status, body }: Answer) => `${status} ${body.code ?? ""}`.trim();
const heightsOf = ({ body }: Answer) => body.data.map(({ block }: Body) => Number(block.height));
const lengthOf = ({ status, body }: Answer) => (status === 200 ? body.data.length : statusAndCode({ status, body }));
const firstHeight = (answer: Answer) => (answer.status === 200 ? heightsOf(answer)[0] : statusAndCode(answer));

const shown: { readonly [Id in keyof Behaviour]: Shown } = {
  defaultOrder: {
    path: "/blocks",
    read: (answer) => heightsOf(answer)[0] < heightsOf(answer)[1],
    spec: false,
    catapultRest: true,
  },
  defaultPageSize: {
    path: "/blocks",
    read: ({ body }) => [body.data.length, body.pagination.pageSize],
    spec: [10, 10],
    catapultRest: [20, 20],
  },
  clampsPageSize: { path: "/blocks?pageSize=5", read: lengthOf, spec: "409 InvalidArgument", catapultRest: 10 },
  takesPageZero: {
    path: "/blocks?pageNumber=0",
    read: firstHeight,
    spec: "409 InvalidArgument",
    catapultRest: 1,
  },
  takesUnknownOrder: { path: "/blocks?order=foo", read: firstHeight, spec: "409 InvalidArgument", catapultRest: 1 },
  malformedIsUnacceptable: {
    path: "/mosaics/zz",
    read: ({ status, body }) => ({ status, ...body }),
    spec: { status: 400, code: "InvalidContent", message: "mosaicId must be an id of 16 hex digits" },
    catapultRest: { status: 409, code: "InvalidArgument", message: "mosaicId has an invalid format" },
  },
  findsNothingOutOfRange: {
    path: "/namespaces?aliasType=9",
    read: lengthOf,
    spec: "409 InvalidArgument",
    catapultRest: 0,
  },
  findsNothingBetweenCrossedBounds: {
    path: "/transactions/confirmed?fromHeight=5&toHeight=2",
    read: lengthOf,
    spec: "409 InvalidArgument",
    catapultRest: 0,
  },
  takesUncheckedAddresses: {
    path: `/accounts/${"A".repeat(39)}`,
    read: statusAndCode,
    spec: "400 InvalidContent",
    catapultRest: "404 ResourceNotFound",
  },
  ignoresUnknownParameters: {
    path: "/blocks?pagesize=50",
    read: lengthOf,
    spec: "409 InvalidArgument",
    catapultRest: 20,
  },
  takesTextForList: {
    path: "/transactionStatus",
    post: { hashes: "0".repeat(64) },
    read: ({ status, body }) => (status === 200 ? body : statusAndCode({ status, body })),
    spec: "400 InvalidContent",
    catapultRest: [],
  },
  usesReferenceMessages: {
    path: "/nosuch",
    read: ({ body }) => body.message,
    spec: "there is no path /nosuch: see /docs",
    catapultRest: "/nosuch does not exist",
  },
  hidesInterfaces: { path: "/", read: statusAndCode, spec: "200", catapultRest: "404 ResourceNotFound" },
  rejectsAfterAccepting: {
    path: "/transactions",
    put: ({ make, state: { alice } }) => {
      const transfer = make.transaction(
        alice,
        { type: "transfer_transaction_v1", recipientAddress: new Uint8Array(alice.address) },
        { deadlineSeconds: -60 },
      );
      return { payload: transfer.toString("hex") };
    },
    read: statusAndCode,
    spec: "409 InvalidArgument",
    catapultRest: "202",
  },
  findsWrittenMosaicsOnly: {
    path: ({ names }) => `/transactions/confirmed?transferMosaicId=${names.mosaicId}`,
    read: ({ body }) => [body.data.length, body.pagination.totalEntries],
    spec: [1, 1],
    catapultRest: [0, 0],
  },
};

let scene: Scene;
const urls = new Map<CompatibilityMode, string>();

beforeAll(async () => {
  scene = await Scene.start();
  const { devnet } = scene.node;
  await devnet.harvest(BLOCKS);
  await scene.index.waitForHash(devnet.block(devnet.height).hash);
  urls.set("spec", scene.url);
  urls.set("catapult-rest", await scene.startGateway({ COMPATIBILITY: "catapult-rest" }));
});

afterAll(() => scene?.stop());

async function ask(mode: CompatibilityMode, path: string, body?: unknown, method = "PUT"): Promise<Answer> {
  const init =
    body === undefined ? {} : { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await fetch(`${urls.get(mode)}${path}`, init);
  return { status: response.status, body: await response.json() };
}

describe("every row of the table of differences is demonstrated", () => {
  test.each(DIFFERENCES)("$id: $subject", async ({ id }) => {
    const { path, put, post, read, spec, catapultRest } = shown[id];
    const answers = await Promise.all(
      MODES.map((mode) =>
        ask(mode, typeof path === "string" ? path : path(scene), post ?? put?.(scene), post ? "POST" : "PUT"),
      ),
    );
    expect(answers.map(read)).toEqual([spec, catapultRest]);
  });

  test("docs/from-catapult-rest.md has the table (UPDATE_DOCS=1 rewrites it)", () => {
    const rows = DIFFERENCES.map(({ subject, spec, catapultRest, why }) => [subject, spec, catapultRest, why]);
    const table = [
      ["", "`spec`", "`catapult-rest`", "why the default differs"],
      ["---", "---", "---", "---"],
      ...rows,
    ].map((cells) => `| ${cells.join(" | ")} |`);
    const page = readFileSync(PAGE, "utf8");
    const [before = "", rest = ""] = page.split(BEGIN);
    const written = `${before}${BEGIN}\n\n${table.join("\n")}\n\n${END}${rest.split(END)[1] ?? ""}`;
    if (process.env.UPDATE_DOCS === "1") writeFileSync(PAGE, written);
    expect(readFileSync(PAGE, "utf8")).toBe(written);
  });
});

test("times in ISO 8601 bound a list of blocks, and are unknown to catapult-rest", async () => {
  const { block } = (await ask("spec", "/blocks/5")).body;
  const time = new Date(scene.node.devnet.rules.epochAdjustment * 1_000 + Number(block.timestamp)).toISOString();
  expect(heightsOf(await ask("spec", `/blocks?fromTime=${time}&order=asc`)).slice(0, 2)).toEqual([5, 6]);
  expect(heightsOf(await ask("spec", `/blocks?toTime=${time}`))).toEqual([4, 3, 2, 1]);
  const transactions = async (query: string) =>
    (await ask("spec", `/transactions/confirmed?pageSize=100&order=asc${query}`)).body.data;
  const all = await transactions("");
  const before = all.filter(({ meta }: Body) => Number(meta.height) < 5);
  expect(before.length).toBeGreaterThan(0);
  expect(await transactions(`&toTime=${time}`)).toEqual(before);
  expect(await transactions(`&fromTime=${time}`)).toEqual(all.slice(before.length));
  const answers = await Promise.all(
    ["/blocks", `/blocks?fromTime=junk&toTime=${time}`].map((path) => ask("catapult-rest", path)),
  );
  expect(answers[1]).toEqual(answers[0]);
  const { paths } = (await ask("catapult-rest", "/openapi.json")).body;
  const names = paths["/blocks"].get.parameters.map(({ name }: { name: string }) => name);
  expect([names.includes("fromTimestamp"), names.includes("fromTime")]).toEqual([true, false]);
});

test("blocks arrive between two pages: page numbers repeat entries, an offset does not", async () => {
  const path = "/blocks?pageSize=10";
  const first = (await ask("spec", path)).body.data;
  await scene.harvest();
  const height = scene.node.devnet.height;
  const byNumber = await ask("spec", `${path}&pageNumber=2`);
  const byOffset = await ask("spec", `${path}&offset=${first.at(-1).id}`);
  expect(heightsOf(byNumber)[0]).toBe(height - 10);
  expect(Number(first.at(-1).block.height)).toBe(height - 10);
  expect(heightsOf(byOffset)).toEqual(Array.from({ length: 10 }, (_, index) => height - 11 - index));
});

describe.each(MODES)("clients, with COMPATIBILITY=%s", (mode) => {
  const isReference = mode === "catapult-rest";
  let factory: RepositoryFactoryHttp;

  beforeAll(() => {
    const { devnet } = scene.node;
    factory = new sdk.RepositoryFactoryHttp(urls.get(mode) as string, {
      networkType: sdk.NetworkType.TEST_NET,
      generationHash: devnet.generationHashSeed.toString("hex").toUpperCase(),
      epochAdjustment: devnet.rules.epochAdjustment,
      nodePublicKey: devnet.publicKey.toString("hex").toUpperCase(),
    });
  });

  test("symbol-sdk 2: pages without criteria have the defaults of the mode", async () => {
    const { devnet } = scene.node;
    const page = await firstValueFrom(factory.createBlockRepository().search({}));
    const expected = isReference
      ? Array.from({ length: 20 }, (_, index) => index + 1)
      : Array.from({ length: 10 }, (_, index) => devnet.height - index);
    expect(page.pageSize).toBe(isReference ? 20 : 10);
    expect(page.data.map(({ height }) => height.compact())).toEqual(expected);
    const transactions = factory.createTransactionRepository();
    const { data } = await firstValueFrom(transactions.search({ group: sdk.TransactionGroup.Confirmed }));
    const ids = data.map(({ transactionInfo }) => transactionInfo?.id ?? "");
    expect(ids).toHaveLength(isReference ? 20 : 10);
    expect(ids).toEqual(isReference ? ids.toSorted() : ids.toSorted().reverse());
  });

  test("symbol-sdk 2: streamers read a whole list once, as its own tests compare them with pages", async () => {
    const { devnet } = scene.node;
    const blocks = factory.createBlockRepository();
    const heights = (await firstValueFrom(blocks.streamer().search({ pageSize: 20 }).pipe(toArray()))).map(
      ({ height }) => height.compact(),
    );
    const ascending = Array.from({ length: devnet.height }, (_, index) => index + 1);
    expect(heights).toEqual(isReference ? ascending : ascending.toReversed());
    for (const [repository, criteria] of [
      [factory.createAccountRepository(), {}],
      [factory.createMosaicRepository(), {}],
      [factory.createNamespaceRepository(), {}],
      [factory.createMetadataRepository(), {}],
      [factory.createTransactionRepository(), { group: sdk.TransactionGroup.Confirmed }],
      [factory.createHashLockRepository(), {}],
      [factory.createSecretLockRepository(), {}],
    ] as const) {
      // biome-ignore lint/suspicious/noExplicitAny: repositories of the SDK share this much of their form.
      const { search, streamer } = repository as any;
      const page = await firstValueFrom<Body>(search.call(repository, { ...criteria, pageSize: 20 }));
      const streamed = await firstValueFrom<Body>(
        streamer
          .call(repository)
          .search({ ...criteria, pageSize: 20 })
          .pipe(take(20), toArray()),
      );
      expect(page.data.length).toBeGreaterThan(0);
      expect(JSON.stringify(streamed)).toBe(JSON.stringify(page.data));
    }
  });

  test("the explorer: lists of transactions with an empty list of types", async () => {
    const page = await firstValueFrom(
      factory.createTransactionRepository().search({
        group: sdk.TransactionGroup.Confirmed,
        pageNumber: 1,
        pageSize: 10,
        order: sdk.Order.Desc,
        type: [],
      }),
    );
    expect(page.data).toHaveLength(10);
    const address = sdk.Address.createFromRawAddress(encodeAddress(scene.state.alice.address));
    const { Partial: group } = sdk.TransactionGroup;
    const partial = factory.createTransactionRepository().search({ group, type: [], address, order: sdk.Order.Desc });
    expect((await firstValueFrom(partial)).data).toHaveLength(1);
    // Its own wording, as SDK 2 prints it.
    const { status, body } = await ask(mode, "/transactions/confirmed?pageSize=10&pageNumber=1&order=desc&type=");
    expect({ status, entries: body.data.length }).toEqual({ status: 200, entries: 10 });
  });

  test("the explorer: the end of a namespace that never ends, at height 0", async () => {
    const id = sdk.NamespaceId.createFromEncoded(namespaceIdOf("symbol").toString(16).toUpperCase().padStart(16, "0"));
    const namespace = await firstValueFrom(factory.createNamespaceRepository().getNamespace(id));
    expect(namespace.startHeight.compact()).toBe(1);
    const receipts = await firstValueFrom(
      factory.createReceiptRepository().searchReceipts({
        height: sdk.UInt64.fromUint(0),
        receiptTypes: [sdk.ReceiptType.Namespace_Expired, sdk.ReceiptType.Namespace_Deleted],
      }),
    );
    expect(receipts.data).toEqual([]);
    const repository = factory.createReceiptRepository();
    const criteria = { height: sdk.UInt64.fromUint(0) };
    expect((await firstValueFrom(repository.searchAddressResolutionStatements(criteria))).data).toEqual([]);
    expect((await firstValueFrom(repository.searchMosaicResolutionStatements(criteria))).data).toEqual([]);
  });

  test("the mobile wallet: harvested blocks from page 0 on", async () => {
    const { devnet } = scene.node;
    const harvester = devnet.accounts.at(-1) as { address: Buffer };
    const search = factory.createReceiptRepository().searchReceipts({
      targetAddress: sdk.Address.createFromRawAddress(encodeAddress(harvester.address)),
      receiptTypes: [sdk.ReceiptType.Harvest_Fee],
      pageNumber: 0,
      pageSize: 25,
      order: sdk.Order.Desc,
    });
    if (isReference) {
      const page = await firstValueFrom(search);
      expect({ pageNumber: page.pageNumber, entries: page.data.length }).toEqual({ pageNumber: 1, entries: 25 });
      expect(page.data[0]?.height.compact()).toBe(devnet.height);
    } else {
      await expect(firstValueFrom(search)).rejects.toThrow(/409/);
    }
  });
});
