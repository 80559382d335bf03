import { describe, expect, test } from "@jest/globals";
import type { Json } from "../../cli/compare/json.js";
import { compareAnswers } from "../../cli/compare/judge.js";
import { Names } from "../../cli/compare/names.js";
import { firstRequests } from "../../cli/compare/plan.js";
import { type CompareRequest, OPERATIONS } from "../../cli/compare/requests.js";
import { publishedApi } from "../support/openapi.js";

const answer = (body: Json, status = 200) => ({ status, mediaType: "application/json", body });

interface AskedFor extends Partial<Pick<CompareRequest, "shows">> {
  readonly operationId?: string;
  readonly path?: string;
}

/** Places that differ, each with the documented difference that explains it. */
function differences(
  { operationId = "getBlockByHeight", path = "/", shows }: AskedFor,
  ours: Json,
  theirs: Json,
  statuses = [200, 200],
): string[] {
  const [left, right] = [answer(ours, statuses[0]), answer(theirs, statuses[1])];
  const route = OPERATIONS.find((operation) => operation.operationId === operationId)!;
  return compareAnswers({ route, path, shows }, left, right).map(({ path, known }) =>
    known ? `${path}: ${known}` : path,
  );
}

/** A page of transactions, each given by its height and a letter: `5a`. */
function page(names: readonly string[], pageSize = 4): Json {
  const data = names.map((name, place) => ({
    id: String(place).padStart(24, "0"),
    meta: { merkleComponentHash: name, height: name.slice(0, -1) },
  }));
  return { data, pagination: { pageNumber: 1, pageSize } };
}

describe("differences of two answers", () => {
  test("are named by their places; ids of entries are none, other ids are", () => {
    const body = (id: string, amount: string) => ({ id, mosaic: { id: "0".repeat(16), amounts: [amount, "2"] } });
    expect(differences({}, body("A".repeat(24), "1"), body("B".repeat(24), "3"))).toEqual(["mosaic.amounts[0]"]);
    expect(differences({}, { mosaic: { id: "1".repeat(16) } }, { mosaic: { id: "2".repeat(16) } })).toEqual([
      "mosaic.id",
    ]);
    expect(differences({}, { a: 1, b: 2 }, { b: 2, c: null })).toEqual(["a", "c"]);
    expect(differences({}, { a: "1" }, { a: 1 })).toEqual(["a"]);
  });

  test("of mosaics depend on their order in a transaction, and not in an account", () => {
    const mosaics = [{ id: "1" }, { id: "2" }];
    const [ours, theirs] = [{ mosaics }, { mosaics: mosaics.toReversed() }];
    expect(differences({}, { account: ours }, { account: theirs })).toEqual([]);
    expect(differences({}, { transaction: ours }, { transaction: theirs })).toHaveLength(2);
  });

  test("in the order of a level of a multisig graph are documented, in its entries they are not", () => {
    const graph = (...addresses: readonly string[]) => [
      { level: 0, multisigEntries: addresses.map((accountAddress) => ({ multisig: { accountAddress } })) },
    ];
    const request = { operationId: "getAccountMultisigGraph" } as const;
    expect(differences(request, graph("a", "b"), graph("b", "a"))).toEqual([
      "[0].multisigEntries.order: multisigGraphOrder",
    ]);
    expect(differences(request, graph("a", "b"), graph("a", "c"))).toHaveLength(3);
  });

  test("of statuses are documented if the request is meant to show them, and for failures of catapult-rest", () => {
    const malformed = { shows: "malformedIsUnacceptable" } as const;
    expect(differences(malformed, {}, {}, [400, 409])).toEqual([": malformedIsUnacceptable"]);
    expect(differences(malformed, {}, {}, [409, 400])).toEqual([": malformedIsUnacceptable"]);
    expect(differences(malformed, {}, {}, [400, 200])).toEqual([""]);
    expect(differences({}, {}, {}, [400, 409])).toEqual([""]);
    expect(differences({}, {}, { code: "Internal" }, [409, 500])).toEqual([": referenceFailures"]);
    expect(differences({}, { code: "A", message: "x" }, { code: "A", message: "y" }, [404, 404])).toEqual([
      "message: usesReferenceMessages",
    ]);
    expect(differences({}, { code: "A" }, { code: "B" }, [404, 404])).toEqual(["code"]);
  });

  test("of the node's own answers concern only the form", () => {
    const request = { operationId: "getNodeInfo" } as const;
    expect(differences(request, { port: 1, host: "a" }, { port: 2, host: "b" })).toEqual([]);
    expect(differences(request, { port: 1, host: "a" }, { port: "1" })).toEqual(["port", "host"]);
  });
});

describe("differences of two pages", () => {
  const list = { operationId: "searchConfirmedTransactions" } as const;

  test.each([
    ["the same entries in another order within a block", ["5a", "5b", "6a"], ["5b", "5a", "6a"], []],
    ["other entries of the block at the end of a full page", ["5a", "6a", "6b", "6c"], ["5a", "6c", "6d", "6a"], []],
    ["another entry in the middle", ["4a", "5a", "5b", "6a"], ["4a", "5a", "5c", "6a"], ["data[5b]", "data[5c]"]],
    ["an entry less", ["5a", "6a"], ["5a"], ["data.length", "data[6a]"]],
    ["another height", ["5a", "6a"], ["5a", "7a"], ["data[1].height", "data[6a]", "data[7a]"]],
  ])("by height: %s", (_, ours, theirs, expected) => {
    expect(differences(list, page(ours), page(theirs))).toEqual(expected);
  });

  test("without an order: full pages may have other entries, others may not", () => {
    const state = { operationId: "searchAccounts" } as const;
    const accounts = (pageSize: number, ...entries: readonly string[]) => ({
      data: entries.map((entry) => ({ account: { address: entry[0]!, importance: entry[1]! } })),
      pagination: { pageNumber: 1, pageSize },
    });
    expect(differences(state, accounts(2, "a1", "b1"), accounts(2, "c1", "a1"))).toEqual([]);
    expect(differences(state, accounts(2, "a1", "b1"), accounts(2, "c1", "a2"))).toEqual([
      "data[a].account.importance",
    ]);
    expect(differences(state, accounts(3, "a1", "b1"), accounts(3, "c1", "a1"))).toEqual(["data[b]", "data[c]"]);
  });

  test("by balance: the amounts must be in the same order, accounts with the same amount need not be", () => {
    const byBalance = { operationId: "searchAccounts", path: "/accounts?mosaicId=M&orderBy=balance" } as const;
    const accounts = (...entries: readonly string[]) => ({
      data: entries.map((entry) => ({
        account: {
          address: entry[0]!,
          mosaics: [
            { id: "L", amount: "7" },
            { id: "M", amount: entry[1]! },
          ],
        },
      })),
      pagination: { pageNumber: 1, pageSize: 3 },
    });
    expect(differences(byBalance, accounts("a9", "b5", "c5"), accounts("a9", "d5", "b5"))).toEqual([]);
    expect(differences(byBalance, accounts("a9", "b5", "c5"), accounts("b5", "a9", "c5"))).toEqual(["data[0].balance"]);
  });

  test("by counts that one gateway does not have are documented", () => {
    const counted = { data: [], pagination: { pageNumber: 1, pageSize: 10, totalEntries: 0, totalPages: 0 } };
    const uncounted = { data: [], pagination: { pageNumber: 1, pageSize: 10 } };
    expect(differences(list, counted, uncounted)).toEqual([
      "pagination.totalEntries: totals",
      "pagination.totalPages: totals",
    ]);
    const other = { data: [], pagination: { ...counted.pagination, totalEntries: 1 } };
    expect(differences(list, counted, other)).toEqual(["pagination.totalEntries"]);
  });
});

describe("random samples", () => {
  const hashes = Array.from({ length: 100 }, (_, place) => place.toString(16).toUpperCase().padStart(64, "0"));

  test("of names are the same whatever the order, of the requested size, without repetition", () => {
    const kept = (all: readonly string[], seed: number) => {
      const names = new Names({ size: 10, seed, highest: 1 });
      names.collect([...all, ...all].map((hash) => ({ lock: { hash } })));
      return names.of("hashLock").toSorted();
    };
    expect(kept(hashes, 1)).toEqual(kept(hashes.toReversed(), 1));
    expect(new Set(kept(hashes, 1)).size).toBe(10);
    expect(kept(hashes, 1)).not.toEqual(kept(hashes, 2));
    expect(kept(hashes.slice(0, 3), 1)).toEqual(hashes.slice(0, 3));
  });

  test("of transactions have some of every type, and none above the highest compared block", () => {
    const names = new Names({ size: 10, seed: 1, highest: 5 });
    const entry = (hash: string | undefined, height: number, type: number) => ({
      meta: { hash: hash!, height },
      transaction: { type },
    });
    names.collect([...hashes.map((hash) => entry(hash, 3, 1)), entry("A", 4, 2), entry("B", 6, 3), entry("C", 0, 1)]);
    const found = names.of("transaction");
    expect(found.filter((name) => name.startsWith("3 "))).toHaveLength(2);
    expect(found).toContain("4 A A");
    expect(found).toHaveLength(3);
    expect(names.of("pending")).toEqual(["C"]);
  });

  test("of heights include both ends", () => {
    const heightsOf = (highest: number) =>
      [...firstRequests({ highest, epoch: 1, size: 10, below: (limit) => Math.floor(limit * Math.random()) })]
        .filter(({ route }) => route.operationId === "getBlockByHeight")
        .map(({ path }) => Number(String(path).replace("/blocks/", "")));
    const heights = heightsOf(1_000);
    expect(heights).toHaveLength(10);
    expect([heights[0], heights.at(-1)]).toEqual([1, 1_000]);
    expect(heights).toEqual([...new Set(heights)].sort((left, right) => left - right));
    expect(heightsOf(3)).toEqual([1, 2, 3]);
  });
});

describe("the table of operations", () => {
  const api = publishedApi();
  test("has every operation of the published description", () => {
    const paths = api.document.paths as unknown as Readonly<
      Record<string, Readonly<Record<string, { operationId: string }>>>
    >;
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      ["get", "post", "put"].flatMap((method) => {
        const operation = methods[method];
        return operation ? [`${operation.operationId} ${method.toUpperCase()} ${path}`] : [];
      }),
    );
    expect(OPERATIONS.map(({ operationId, method, path }) => `${operationId} ${method} ${path}`).sort()).toEqual(
      described.sort(),
    );
  });
});
