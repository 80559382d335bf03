import { describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { limitResult } from "../../gateway/graphql/protection.js";
import { errorCodes } from "../../schema/errors/errors.js";
import { operationContext, operationLimits, type Services } from "../../schema/graph/context.js";
import { JsonText } from "../../schema/graph/scalars.js";
import { GatewayFixture } from "./gateway-fixture.js";

const chain = 60;

const gateway = GatewayFixture.use(chain);

interface GraphqlAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: tests read data of every form.
  readonly data?: any;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

async function ask(query: string, variables: object = {}): Promise<GraphqlAnswer> {
  return gateway.ask(query, variables);
}

/** What the language itself rejects, with any code of the table. */
const OF_ANY_CODE = new Set([
  "no address",
  "no field",
  "no GraphQL",
  "too many fields",
  "too long",
  "a fragment in itself",
]);

describe("rejections", () => {
  const aliases = (count: number, field: string) =>
    Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(" ");
  const embedded = `${"embedded { ".repeat(12)} id ${"} ".repeat(12)}`;
  test.each([
    ["page size", "pageSize", "{ blocks(page: { pageSize: 5 }) { data { id } } }"],
    ["page number", "pageNumber", "{ blocks(page: { pageNumber: 0 }) { data { id } } }"],
    ["contradiction", "fromHeight", "{ transactions(fromHeight: 3, toHeight: 2) { data { id } } }"],
    ["amount alone", "transferMosaicId", '{ transactions(fromTransferAmount: "3") { data { id } } }'],
    ["proof of nothing", "epoch or height", "{ finalizationProof { height } }"],
    ["too deep", "depth limit of 10", `{ blocks { data { transactions { data { ${embedded} } } } } }`],
    ["too many aliases", "Aliases limit of 100", `{ chain { ${aliases(101, "height")} } }`],
    ["introspection again and again", "5 fields __schema", `{ ${"__schema { description } ".repeat(6)} }`],
    [
      "aliases in introspection",
      "no aliases inside",
      `{ __schema { types { ...T } } } fragment T on __Type { ${aliases(2, "name")} }`,
    ],
    ["too many directives", "Directives limit of 50", `{ ${"chain @include(if: true) { height } ".repeat(51)} }`],
    ["no address", "address", '{ transactions(address: "abc") { data { id } } }'],
    ["no field", "nothing", "{ blocks { nothing } }"],
    ["no GraphQL", "Syntax Error", "{ blocks"],
    ["too many fields", "tokens", `{ chain { ${"height ".repeat(1_000)} } }`],
    ["too long", "tokens", `{ ${"chain { height } ".repeat(600)} }`],
    ["a fragment in itself", "f", "{ ...f } fragment f on Query { ...f }"],
  ])("%s", async (name, words, query) => {
    const { errors = [] } = await ask(query);
    const codes = errors.map(({ extensions }) => extensions?.code ?? "");
    expect(Object.keys(errorCodes)).toEqual(expect.arrayContaining(codes));
    if (!OF_ANY_CODE.has(name)) expect(codes).toContain("InvalidArgument");
    expect(errors.map(({ message }) => message).join("\n")).toContain(words);
  });

  test("100 blocks with their receipts are answered", async () => {
    const { errors, data } = await ask(`{ blocks(first: 100) { data {
      height time harvester { address } statements { data { source { primaryId } receipts { type amount mosaicId target { address } } } }
    } } }`);
    expect(errors).toBeUndefined();
    expect(data?.blocks.data.at(-1).statements.data[0].receipts.length).toBeGreaterThan(0);
  });

  test.each<[name: string, words: string, query: string, variables?: object]>([
    ["a variable of another type", "$n", "query ($n: Int) { blocks(first: $n) { data { id } } }", { n: "x" }],
    ["a variable that is missing", "$n", "query ($n: SafeInt!) { block(height: $n) { id } }"],
    ["an invalid variable", "$a", "query ($a: Address) { transactions(address: $a) { data { id } } }", { a: "abc" }],
    ["an unknown operation", "operation", "query A { chain { height } }"],
    ["which of several operations", "operation", "query A { chain { height } } query C { chain { height } }"],
    [
      "a list that is too long",
      "hashes",
      "query ($h: [Hash256!]) { transactionsByIds(hashes: $h) { id } }",
      { h: Array.from({ length: 1_001 }, () => "0".repeat(64)) },
    ],
  ])("%s, with a code of the table", async (name, words, query, variables = {}) => {
    const operationName = name === "an unknown operation" ? "B" : undefined;
    const { errors } = (
      await gateway.post("/graphql", { query, variables, operationName }, { accept: "application/json" })
    ).body;
    const code = words.startsWith("$") ? "InvalidContent" : "InvalidArgument";
    expect(errors).toMatchObject([{ message: expect.stringContaining(words), extensions: { code } }]);
  });

  test("several operations in one request, and requests without an operation", async () => {
    for (const [body, code] of [
      [[{ query: "{ __typename }" }, { query: "{ __typename }" }], "InvalidArgument"],
      [{}, "InvalidContent"],
      [{ query: 7 }, "InvalidContent"],
    ] as const) {
      const { status, body: answer } = await gateway.post("/graphql", body, { accept: "application/json" });
      expect({ status, code: answer.code }).toEqual({ status: errorCodes[code].status, code });
    }
    const mutation = encodeURIComponent('mutation { announceTransaction(payload: "00") }');
    const { status, body } = await gateway.get(`/graphql?query=${mutation}`, {
      headers: { accept: "application/json" },
    });
    expect({ status, code: body.errors[0].extensions.code }).toEqual({ status: 405, code: "MethodNotAllowed" });
  });
});

test("the length of a result, before it is made a text", async () => {
  const result = { data: { a: { text: "x".repeat(9_000_000) } as object, errors: [1, null] } };
  expect(limitResult(result)).toBe(result);
  const { a } = result.data;
  for (const long of [{ a, b: a }, { c: [a, [a]] }, { body: new JsonText(() => ["y".repeat(17_000_000)]) }]) {
    expect(limitResult({ data: long as never })).toMatchObject({
      errors: [{ message: "the operation needs more than 16777216 characters for its result: request less at once" }],
    });
  }
});

describe("limits on the work for an operation", () => {
  const query = "{ blocks(first: 50) { data { transactions(first: 10) { data { id } } } } }";
  const broken = GatewayFixture.use(chain);

  test("statements and rows: nothing runs any more after one too many", async () => {
    const { db } = gateway;
    const ended: Error[] = [];
    const end = (reason: Error) => void ended.push(reason);
    const contextOf = (limits: object) => operationContext({ db, end } as Services, { ...operationLimits, ...limits });
    const few = contextOf({ rows: 3 });
    await sql`select generate_series(1, 3)`.execute(few.db);
    await expect(sql`select 1`.execute(few.db)).rejects.toMatchObject({
      code: "InvalidArgument",
      message: expect.stringContaining("more than 3 database rows"),
    });
    const two = contextOf({ statements: 2 });
    for (let n = 0; n < 2; n++) await sql`select 1`.execute(two.db);
    await expect(sql`select 1`.execute(two.db)).rejects.toMatchObject({
      code: "InvalidArgument",
      message: "the operation needs more than 2 database statements: request less at once",
    });
    expect(ended).toHaveLength(2);
  });

  test("a failure is logged under the request id, which is in the answer", async () => {
    await broken.query("alter table transactions rename to something_else");
    const { body, headers } = await broken.post("/graphql", { query }, { accept: "application/json" });
    const requestId = headers.get("x-request-id");
    expect((body as GraphqlAnswer).errors?.[0]).toMatchObject({
      message: `the gateway failed: request ${requestId}`,
      extensions: { code: "InternalServiceError" },
    });
    expect(broken.log.lines).toContainEqual(
      expect.objectContaining({ level: 50, requestId, msg: "GraphQL operation failed" }),
    );
  });
});
