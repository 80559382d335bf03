import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { encodeEntityId } from "../../catapult/json/entity-id.js";
import { GatewayFixture } from "../gateway/gateway-fixture.js";

const BLOCKS = 60;
let gateway: GatewayFixture;

beforeAll(async () => {
  gateway = await GatewayFixture.start(BLOCKS);
});

afterAll(async () => {
  await gateway?.close();
});

async function ask(query: string) {
  const { body } = await gateway.post("/graphql", { query });
  return body;
}

const fields = `edges { cursor node { id height } } data { height }
  pageInfo { startCursor endCursor hasNextPage hasPreviousPage } pagination { pageSize totalEntries totalPages }`;

describe("a list by cursors", () => {
  test.each([
    ["desc", 10],
    ["asc", 10],
    ["asc", 19],
    ["desc", 60],
    ["desc", 100],
    ["asc", 1],
  ])("%s, %i at a time, returns every entry once and reports its end", async (order, first) => {
    const heights: number[] = [];
    let after: string | undefined;
    for (let page = 0; ; page++) {
      const behind = after === undefined ? "" : `, after: "${after}"`;
      const { data } = await ask(`{ blocks(order: ${order}, first: ${first}${behind}) { ${fields} } }`);
      const { edges, pageInfo, pagination } = data.blocks;
      heights.push(...edges.map((edge: { node: { height: number } }) => edge.node.height));
      expect(edges.map((edge: { node: object }) => edge.node)).toEqual(
        edges.map((edge: { cursor: string; node: { height: number } }) => ({
          id: edge.cursor,
          height: edge.node.height,
        })),
      );
      expect(pagination).toEqual({ pageSize: first, totalEntries: BLOCKS, totalPages: Math.ceil(BLOCKS / first) });
      expect(pageInfo).toEqual({
        startCursor: edges[0].cursor,
        endCursor: edges.at(-1).cursor,
        hasNextPage: heights.length < BLOCKS,
        hasPreviousPage: page > 0,
      });
      after = pageInfo.endCursor;
      if (!pageInfo.hasNextPage) break;
    }
    const ascending = Array.from({ length: BLOCKS }, (_, i) => i + 1);
    expect(heights).toEqual(order === "asc" ? ascending : ascending.toReversed());
  });

  test("of a range of heights, by time and signer too", async () => {
    const { data } = await ask(
      "{ blocks(fromHeight: 11, toHeight: 17, order: asc, first: 100) { data { height timestamp signerPublicKey } pagination { totalEntries } } }",
    );
    const { data: found, pagination } = data.blocks;
    expect({ heights: found.map(({ height }: { height: number }) => height), pagination }).toEqual({
      heights: [11, 12, 13, 14, 15, 16, 17],
      pagination: { totalEntries: 7 },
    });
    const { timestamp, signerPublicKey } = found[3];
    const both = await ask(
      `{ blocks(fromHeight: 11, toHeight: 17, fromTimestamp: ${timestamp}, signerPublicKey: "${signerPublicKey}", order: asc, first: 100) { data { height } } }`,
    );
    expect(both.data.blocks.data).toEqual(
      found
        .filter(
          (block: { height: number; signerPublicKey: string }) =>
            block.height >= 14 && block.signerPublicKey === signerPublicKey,
        )
        .map(({ height }: { height: number }) => ({ height })),
    );
    const { errors } = await ask("{ blocks(fromHeight: 3, toHeight: 2) { data { height } } }");
    expect(errors[0].message).toContain("fromHeight");
  });

  test("works with filters, and is empty after the last one", async () => {
    const height = gateway.blocks.findIndex(({ transactions }) => transactions.length > 3) + 1;
    const { data } = await ask(`{ transactions(height: ${height}, first: 2) { ${fields} } }`);
    expect(data.transactions.edges).toHaveLength(2);
    const last = encodeEntityId(1).toString("hex");
    const empty = await ask(`{ blocks(first: 3, after: "${last}") { ${fields} } }`);
    expect(empty.data.blocks).toMatchObject({
      edges: [],
      pageInfo: { startCursor: null, endCursor: null, hasNextPage: false, hasPreviousPage: true },
    });
  });

  test("continues after a page by number", async () => {
    const { data } = await ask(
      "{ blocks(page: { pageNumber: 2, pageSize: 20 }) { pageInfo { endCursor hasNextPage hasPreviousPage } data { height } } }",
    );
    expect(data.blocks.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    const next = await ask(`{ blocks(first: 1, after: "${data.blocks.pageInfo.endCursor}") { data { height } } }`);
    expect(next.data.blocks.data[0].height).toBe(data.blocks.data.at(-1).height - 1);
  });

  test.each([
    ["first: 0", "first must be from 1 to 100, not 0"],
    ["first: 101", "first must be from 1 to 100, not 101"],
    ["first: 5, page: {}", "page must not be given together with first or after"],
    ["order: asc", "order is for first and after only"],
    ['after: "xyz"', "24 hex digits"],
  ])("is rejected with %s", async (args, message) => {
    const { errors } = await ask(`{ blocks(${args}) { data { height } } }`);
    expect(errors[0].message).toContain(message);
  });
});
