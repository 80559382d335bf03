import { expect, test } from "@jest/globals";
import { parse } from "graphql";
import { encodeAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import { CompiledQueries } from "../../gateway/graphql/compiled-queries.js";
import { schema } from "../../schema/schema.js";
import { executableAccount } from "../support/executable-chain.js";
import { CHAIN_SEED } from "../support/served-chain.js";
import { GatewayFixture } from "./gateway-fixture.js";

const chain = 60;
const busy = executableAccount(CHAIN_SEED, 0);
const address = encodeAddress(busy.address);
const publicKey = hex(busy.signer.publicKey);

const gateway = GatewayFixture.use(chain);

/** Documents and variables; the first ones have no errors. */
const QUERIES: Readonly<Record<string, readonly [query: string, variables?: object]>> = {
  "a number": ["{ block(height: 2) { height hash time } }"],
  "a public key": [
    `{ blocks(first: 3, signerPublicKey: "${publicKey}") { data { height } pagination { totalEntries } } }`,
  ],
  "an address, beside a variable": [
    `query ($first: Int!) { transactions(first: $first, address: "${address}") { data { id type } } }`,
    { first: 4 },
  ],
  "an object with an id": [
    '{ transactions(page: { pageSize: 10, order: asc, offset: "000000000200000000000000" }) { data { id } } }',
  ],
  "fragments, aliases, directives": [
    `query ($all: Boolean = true) { a: block(height: 3) { ...B } b: block(height: 4) { ...B hash @include(if: $all) } }
     fragment B on Block { transactions(first: 2, type: [16724]) { data { hash } } }`,
  ],
  "a list in each entry": [
    "{ blocks(first: 10) { data { height transactions(first: 2, order: asc) { data { hash content { __typename } } } } } }",
  ],
  "nothing found": ["{ block(height: 99999) { hash } }"],
  types: ["{ __schema { queryType { name } } __typename }"],
  "an argument out of range": ["{ blocks(first: 101) { data { hash } } }"],
  "a variable of another type": ["query ($height: SafeInt!) { block(height: $height) { hash } }", { height: "high" }],
  "a missing variable": ["query ($height: SafeInt!) { block(height: $height) { hash } }"],
  "an unknown field": ["{ block(height: 2) { hasch } }"],
  "two operations, one of them named": ["query A { __typename } query B { block(height: 2) { hash } }"],
};

test.each(Object.entries(QUERIES))(
  "%s: the answer is the same when the query is compiled",
  async (_, [query, variables]) => {
    const operationName = query.startsWith("query A") ? "B" : undefined;
    const seen = new Set<string>();
    for (let time = 0; time < 4; ++time) {
      const { status, headers, text } = await gateway.post("/graphql", { query, variables, operationName });
      const type = headers.get("content-type");
      seen.add(JSON.stringify({ status, type, text: text.replaceAll(/request [0-9a-f-]+/g, "request") }));
    }
    expect([...seen]).toHaveLength(1);
  },
);

test("a query is compiled when it is executed for the second time; a mutation never is", async () => {
  const queries = new CompiledQueries(schema);
  const run = async (query: string) => {
    const asked = { query, operationName: undefined, variables: undefined };
    const result = await queries.run(
      asked,
      () => ({}) as never,
      async () => undefined,
    );
    expect(queries.findDocument(asked) !== undefined).toBe(result !== undefined);
    return result?.data;
  };
  const texts = ["{ __typename }", "mutation { __typename }"];
  const found: unknown[] = [];
  for (let time = 0; time < 3; ++time) {
    found.push(await Promise.all(texts.map(run)));
    for (const text of texts) queries.note(parse(text), undefined);
  }
  expect(found).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    [{ __typename: "Query" }, undefined],
  ]);
});
