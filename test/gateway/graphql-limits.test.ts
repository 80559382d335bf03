import { afterEach, describe, expect, test } from "@jest/globals";
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

describe("rejections", () => {
  const aliases = (count: number, field: string, name = "a") =>
    Array.from({ length: count }, (_, index) => `${name}${index}: ${field}`).join(" ");
  const cases: [name: string, query: string, code: string | undefined, words: string][] = [
    ["page size", "{ blocks(page: { pageSize: 5 }) { data { id } } }", "InvalidArgument", "pageSize"],
    ["page number", "{ blocks(page: { pageNumber: 0 }) { data { id } } }", "InvalidArgument", "pageNumber"],
    ["contradiction", "{ transactions(fromHeight: 3, toHeight: 2) { data { id } } }", "InvalidArgument", "fromHeight"],
    [
      "amount alone",
      '{ transactions(fromTransferAmount: "3") { data { id } } }',
      "InvalidArgument",
      "transferMosaicId",
    ],
    ["proof of nothing", "{ finalizationProof { height } }", "InvalidArgument", "epoch or height"],
    ["no address", '{ transactions(address: "abc") { data { id } } }', undefined, "address"],
    ["no field", "{ blocks { nothing } }", undefined, "nothing"],
    ["no GraphQL", "{ blocks", undefined, "Syntax Error"],
    [
      "too deep",
      `{ blocks { data { transactions { data { ${"embedded { ".repeat(12)} id ${"} ".repeat(12)} } } } } }`,
      "InvalidArgument",
      "depth limit of 10",
    ],
    ["too many aliases", `{ chain { ${aliases(101, "height")} } }`, "InvalidArgument", "Aliases limit of 100"],
    [
      "introspection again and again",
      `{ ${"__schema { description } ".repeat(6)} }`,
      "InvalidArgument",
      "5 fields __schema",
    ],
    [
      "aliases in introspection",
      `{ __schema { types { ...T } } } fragment T on __Type { ${aliases(2, "name")} }`,
      "InvalidArgument",
      "no aliases inside",
    ],
    [
      "too many directives",
      `{ ${"chain @include(if: true) { height } ".repeat(51)} }`,
      "InvalidArgument",
      "Directives limit of 50",
    ],
    ["too many fields", `{ chain { ${"height ".repeat(1_000)} } }`, undefined, "tokens"],
    ["too long", `{ ${"chain { height } ".repeat(600)} }`, undefined, "tokens"],
    ["a fragment in itself", "{ ...f } fragment f on Query { ...f }", undefined, "f"],
  ];
  test.each(cases)("%s", async (_name, query, code, words) => {
    const { errors } = await ask(query);
    expect(errors?.length).toBeGreaterThan(0);
    if (code) expect(errors?.map(({ extensions }) => extensions?.code)).toContain(code);
    for (const { extensions } of errors ?? []) expect(Object.keys(errorCodes)).toContain(extensions?.code);
    expect(errors?.map(({ message }) => message).join("\n")).toContain(words);
  });

  test("100 blocks with their receipts are answered", async () => {
    const { errors, data } = await ask(`{ blocks(first: 100) { data {
      height time harvester { address } statements { data { source { primaryId } receipts { type amount mosaicId target { address } } } }
    } } }`);
    expect(errors).toBeUndefined();
    expect(data?.blocks.data.at(-1).statements.data[0].receipts.length).toBeGreaterThan(0);
  });

  test.each([
    [
      "a variable of another type",
      { query: "query ($n: Int) { blocks(first: $n) { data { id } } }", variables: { n: "x" } },
      "InvalidContent",
      "$n",
    ],
    [
      "a variable that is missing",
      { query: "query ($n: SafeInt!) { block(height: $n) { id } }" },
      "InvalidContent",
      "$n",
    ],
    [
      "an unknown operation",
      { query: "query A { chain { height } }", operationName: "B" },
      "InvalidArgument",
      "operation",
    ],
    [
      "which of several operations",
      { query: "query A { chain { height } } query B { chain { height } }" },
      "InvalidArgument",
      "operation",
    ],
    [
      "a list that is too long",
      {
        query: "{ transactionsByIds(hashes: $h) { id } }".replace("{", "query ($h: [Hash256!]) {"),
        variables: { h: Array.from({ length: 1_001 }, () => "0".repeat(64)) },
      },
      "InvalidArgument",
      "hashes",
    ],
  ] as const)("%s, with a code of the table", async (_name, body, code, words) => {
    const { errors } = (await gateway.post("/graphql", body, { accept: "application/json" })).body as GraphqlAnswer;
    expect(errors?.map(({ extensions }) => extensions)).toEqual([expect.objectContaining({ code })]);
    expect(errors?.[0]?.message).toContain(words);
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

  test("an invalid variable is named, with the error code of REST", async () => {
    const { errors } = await ask("query ($a: Address) { transactions(address: $a) { data { id } } }", { a: "abc" });
    expect(errors?.[0]?.message).toContain("$a");
    expect(errors?.[0]?.extensions?.code).toBe("InvalidContent");
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
  let limited: GatewayFixture;

  afterEach(() => limited?.close());

  test("statements and rows: nothing runs any more after one too many", async () => {
    limited = await GatewayFixture.start(chain);
    const { db } = limited;
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
    limited = await GatewayFixture.start(chain);
    await limited.query("alter table transactions rename to something_else");
    const { body, headers } = await limited.post("/graphql", { query }, { accept: "application/json" });
    const requestId = headers.get("x-request-id");
    expect((body as GraphqlAnswer).errors?.[0]).toMatchObject({
      message: `the gateway failed: request ${requestId}`,
      extensions: { code: "InternalServiceError" },
    });
    expect(limited.log.lines).toContainEqual(
      expect.objectContaining({ level: 50, requestId, msg: "GraphQL operation failed" }),
    );
  });
});
