import { createHash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { getIntrospectionQuery } from "graphql";
import { encodeAddress } from "../../catapult/entity/address.js";
import { idText } from "../../catapult/json/format.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { VARY_OF_PAGES } from "../../gateway/http/headers.js";
import { executableAccount } from "../support/executable-chain.js";
import { type Field, selection } from "../support/graphql-selection.js";
import { type RawAnswer, RawClient } from "../support/raw-client.js";
import { CHAIN_NETWORK, CHAIN_SEED } from "../support/served-chain.js";
import { until } from "../support/until.js";
import { GatewayFixture, PROOF } from "./gateway-fixture.js";

const chain = 60;
const { signer: busy, address: busyAddress } = executableAccount(CHAIN_SEED, 0);
const currency = idText(CHAIN_NETWORK.currencyMosaicId);
const token = "a-token-of-some-length";

const gateway = GatewayFixture.use(chain);
const [guarded, guessed] = [1, 2].map(() =>
  GatewayFixture.use(3, { graphqlTokens: [{ name: "default", token: token }] }),
) as [GatewayFixture, GatewayFixture];
const closed = GatewayFixture.use(3, { answersLocalCallers: false });
const listened = GatewayFixture.use(3);

async function data(query: string, variables: object = {}) {
  const answer = await gateway.ask(query, variables);
  expect(answer.errors).toBeUndefined();
  return answer.data;
}

/** An answer over a connection of its own, whose body is not decompressed. */
async function rawGet(base: string, path: string, headers: Record<string, string>): Promise<RawAnswer> {
  const { host, port } = new URL(base);
  const client = await RawClient.open({ port: Number(port) });
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`);
  client.write([`GET ${path} HTTP/1.1`, ...lines, "\r\n"].join("\r\n"));
  await until(() => client.answers.length > 0, `an answer to ${path}`);
  client.reset();
  return client.answers[0]!;
}

const statusOf = async (base: string, headers: Record<string, string>) =>
  (await rawGet(base, "/graphql?query={__typename}", headers)).status;

describe("access", () => {
  test("callers on this machine", async () => {
    expect(await statusOf(gateway.url, {})).toBe(200);
    expect(await statusOf(gateway.url.replace("127.0.0.1", "localhost"), {})).toBe(200);
  });

  test.each([
    ["behind a proxy", { "x-forwarded-for": "203.0.113.7" }],
    ["behind a proxy of another kind", { forwarded: "for=203.0.113.7" }],
    ["behind a proxy that names its client", { via: "1.1 proxy" }],
    ["with the name of another host", { host: "evil.example:3000" }],
    ["with a token where none is set", { "x-forwarded-for": "203.0.113.7", authorization: "Bearer undefined" }],
  ])("rejects callers %s", async (_name, headers) => {
    expect(await statusOf(gateway.url, headers as Record<string, string>)).toBe(403);
  });

  test("rejects HTTP/1.0 requests, as sent by proxies that do not name their client", async () => {
    const { port, host } = new URL(gateway.url);
    const client = await RawClient.open({ port: Number(port) });
    client.write(`GET /graphql?query={__typename} HTTP/1.0\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    await until(() => client.answers.length > 0, "an answer");
    expect(client.answers[0]?.status).toBe(403);
  });

  test("names the ways to authorize", async () => {
    const { status, body } = await gateway.get("/graphql", { headers: { via: "1.1 proxy" } });
    expect({ status, code: body.code }).toEqual({ status: 403, code: "Forbidden" });
    expect(body.message).toContain("GRAPHQL_TOKEN");
  });

  test("a page of another origin in a local browser, according to the browser's headers", async () => {
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin: gateway.url },
    ]) {
      expect({ headers, status: await statusOf(gateway.url, headers as Record<string, string>) }).toEqual({
        headers,
        status: 403,
      });
    }
    expect(await statusOf(gateway.url, { origin: gateway.url })).toBe(200);
    expect(await statusOf(gateway.url, { "sec-fetch-site": "same-origin", origin: "https://by.proxy" })).toBe(200);
  });

  test.each([
    ["the token", `Bearer ${token}`, 200],
    ["the token, the scheme in lower case", `bearer ${token}`, 200],
    ["another token", "Bearer other", 403],
    ["a beginning of the token", `Bearer ${token.slice(0, -1)}`, 403],
    ["another scheme", `Basic ${token}`, 403],
    ["nothing", undefined, 403],
  ])("with %s if one is set, from this machine and from others", async (_name, authorization, status) => {
    for (const from of [undefined, { "x-forwarded-for": "203.0.113.7" }]) {
      expect(await statusOf(guarded.url, { ...from, ...(authorization && { authorization }) })).toBe(status);
    }
  });

  test("of a client that guesses the token is rejected for a while, but not with the right one", async () => {
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push(await statusOf(guessed.url, { authorization: `Bearer guess-${n}` }));
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
    expect(await statusOf(guessed.url, { authorization: `Bearer ${token}` })).toBe(200);
  });

  test("no client if neither a token nor development mode is set", async () => {
    for (const path of ["/graphql?query={__typename}", "/graphql", "/explorer", "/explorer/main.js"]) {
      for (const accept of ["application/json", "text/html"]) {
        const { status, text } = await closed.get(path, { headers: { accept } });
        expect({ path, status }).toEqual({ path, status: 403 });
        expect(text).toContain("disabled: set GRAPHQL_TOKEN");
        if (accept === "application/json") expect(JSON.parse(text).code).toBe("Forbidden");
      }
    }
    expect((await closed.get("/sign-in")).status).toBe(404);
  });
});

test("neither the token nor attempts at it appear in the log", async () => {
  await statusOf(guarded.url, { "x-forwarded-for": "203.0.113.7", authorization: "Bearer guessed" });
  await statusOf(guarded.url, { authorization: `Bearer ${token}` });
  const told = () => guarded.log.lines.filter(({ msg }) => msg === "request").length;
  await until(() => told() >= 2, "the requests are logged");
  expect(JSON.stringify(guarded.log.lines)).not.toMatch(new RegExp(`${token}|guessed`));
});

describe("persisted queries, of Apollo's and urql's clients", () => {
  const persistedQuery = { version: 1, sha256Hash: "a".repeat(64) };
  const answer = {
    errors: [{ message: "PersistedQueryNotSupported", extensions: { code: "PERSISTED_QUERY_NOT_SUPPORTED" } }],
  };

  test.each([undefined, null, ""])("are not supported, which their clients understand (query: %j)", async (query) => {
    const extensions = { persistedQuery };
    const posted = await gateway.post("/graphql", { query, operationName: "A", variables: {}, extensions });
    expect([posted.status, posted.body]).toEqual([200, answer]);
    const parameters = new URLSearchParams({ query: query ?? "", extensions: JSON.stringify(extensions) });
    const accept = "application/graphql-response+json, application/graphql+json, application/json, text/event-stream";
    const got = await gateway.get(`/graphql?${parameters}`, { headers: { accept } });
    expect([got.status, got.body]).toEqual([200, answer]);
  });

  test("are answered when the text comes too", async () => {
    const { body } = await gateway.post("/graphql", { query: "{ __typename }", extensions: { persistedQuery } });
    expect(body).toEqual({ data: { __typename: "Query" } });
  });

  test("are nothing else without a hash", async () => {
    expect((await gateway.post("/graphql", { extensions: {} })).status).toBe(400);
    expect((await gateway.post("/graphql", "null")).status).toBe(400);
    expect((await gateway.get("/graphql?extensions={}")).status).toBe(409);
  });
});

describe("GraphiQL", () => {
  test("is a page without external resources", async () => {
    const { status, headers, text } = await gateway.get("/graphql", { headers: { accept: "text/html" } });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toContain("text/html");
    expect(text).toContain("symbol-gateway");
    expect(text).toContain('<meta name="viewport" content="width=device-width');
    expect(text).not.toMatch(/<(script|link)[^>]+(src|href)=["']?https?:/i);
    expect(text).not.toContain("unpkg.com");
    const policy = headers.get("content-security-policy") ?? "";
    const [, script = ""] = /<script>([\s\S]*)<\/script>/.exec(text) ?? [];
    expect(policy).toContain(`'sha256-${createHash("sha256").update(script).digest("base64")}'`);
    expect(policy).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(headers.get("x-frame-options")).toBe("DENY");
  });

  test("is compressed, and sent once: a browser that has it gets 304", async () => {
    const headers = { accept: "text/html", "accept-encoding": "br" };
    const first = await rawGet(gateway.url, "/graphql", headers);
    expect(first.headers.get("content-encoding")).toBe("br");
    expect(first.body.length).toBeLessThan(4_000_000);
    const tag = { "if-none-match": String(first.headers.get("etag")) };
    const again = await rawGet(gateway.url, "/graphql", { ...headers, ...tag });
    expect([again.status, again.body, again.headers.get("vary")]).toEqual([304, "", VARY_OF_PAGES]);
  });

  test("can read the schema", async () => {
    const { __schema } = await data(getIntrospectionQuery());
    expect(__schema.queryType.name).toBe("Query");
  });
});

describe("typed fields", () => {
  test("every field of every type of a query", async () => {
    const { __schema } = await data(getIntrospectionQuery());
    const types = new Map<string, { fields: Field[] | null }>(
      __schema.types.map((type: { name: string }) => [type.name, type]),
    );
    const address = encodeAddress(busyAddress);
    const { height, transactions, statement: receipts } = gateway.blocks[1]!;
    const hash = transactions[0]!.hash.toString("hex");
    const statement = receipts.transactionStatements[0]!.hash.toString("hex");
    const mosaic = currency;
    const given: Record<string, string> = {
      activity: "(intervalSeconds: 3600)",
      account: `(address: "${address}")`,
      accountNames: `(addresses: ["${address}"])`,
      accountRestrictionsByAddresses: `(addresses: ["${address}"])`,
      accountsByIds: `(publicKeys: ["${busy.publicKey.toString("hex")}"])`,
      balanceAt: `(address: "${address}", mosaicId: "${mosaic}", height: 7)`,
      balanceSeries: `(address: "${address}", mosaicId: "${mosaic}", intervalSeconds: 3600)`,
      balanceHistory: `(address: "${address}", mosaicId: "${mosaic}")`,
      block: "(height: 7)",
      blocks: `(signerPublicKey: "${busy.publicKey.toString("hex")}")`,
      deposits: `(address: "${address}")`,
      endedNamespace: `(id: "${mosaic}")`,
      finalizationProof: `(epoch: ${PROOF.epoch})`,
      finalizedBlock: "(epoch: 1)",
      hashLocksByHashes: `(hashes: ["${hash}"])`,
      harvestIncome: `(address: "${address}", intervalSeconds: 3600)`,
      holdersAt: `(mosaicId: "${mosaic}", height: 7)`,
      topHoldersAt: `(mosaicId: "${mosaic}", height: 7)`,
      inflationAt: "(height: 7)",
      metadataByHashes: `(compositeHashes: ["${hash}"])`,
      metalFile: '(id: "FeJRJjpsiCJ6QZrHhbpD6N3SynhwhPfca6Fczs9qw2mqLN")',
      matchingTransactions: "(match: all)",
      mosaic: `(id: "${mosaic}")`,
      mosaicNames: `(ids: ["${mosaic}"])`,
      mosaicRestrictionsByHashes: `(compositeHashes: ["${hash}"])`,
      mosaicsByIds: `(ids: ["${mosaic}"])`,
      multisig: `(address: "${address}")`,
      multisigGraph: `(address: "${address}")`,
      namedBlock: "(height: 7)",
      namespace: `(id: "${mosaic}")`,
      namespacesByPrefix: '(prefix: "a")',
      namespaceNames: `(ids: ["${mosaic}"])`,
      namespacesByIds: `(ids: ["${mosaic}"])`,
      pendingHashes: "(group: unconfirmed)",
      pendingTransactions: "(group: partial, embedded: true)",
      pendingTransactionsByIds: `(group: unconfirmed, hashes: ["${hash}"])`,
      ranking: "(by: TRANSACTIONS)",
      search: '(text: "7")',
      secretLocksByHashes: `(compositeHashes: ["${hash}"])`,
      statePath: `(kind: mosaic, key: "${mosaic}")`,
      statementMerklePath: `(height: ${height}, hash: "${statement}")`,
      transactionMerklePath: `(height: ${height}, hash: "${hash}")`,
      transactions: `(address: "${address}", type: [${TRANSACTION_TYPE.transfer}, ${TRANSACTION_TYPE.aggregate_complete}], embedded: true, page: { pageSize: 100, order: asc })`,
      transactionStatuses: `(hashes: ["${hash}"])`,
      transactionsByIds: `(hashes: ["${hash}"])`,
    };
    for (const field of types.get("Query")?.fields ?? []) {
      // It needs a state that was executed: simulate.test.ts.
      if (field.name === "simulate") continue;
      const answer = await gateway.ask(
        `{ ${field.name}${given[field.name] ?? ""} ${selection(field.type, types, 3)} }`,
      );
      expect({ field: field.name, errors: answer.errors }).toEqual({ field: field.name, errors: undefined });
      expect(field.description ?? "").not.toBe("");
    }
  });

  test("addresses, hashes and amounts as text or variables", async () => {
    const variables = {
      a: encodeAddress(busyAddress),
      from: "1000",
      page: { pageSize: 10, offset: "0".repeat(24), order: "asc" },
    };
    const { transactions } = await data(
      `query ($a: Address, $from: UInt64, $page: PageInput) { transactions(address: $a, transferMosaicId: "${currency}", fromTransferAmount: $from, page: $page) { data { mosaics { id amount } } } }`,
      variables,
    );
    expect(transactions.data.length).toBeGreaterThan(0);
    for (const { mosaics } of transactions.data)
      expect(mosaics.map(({ id }: { id: string }) => id)).toContain(currency);
  });
});

describe("subscriptions", () => {
  test("deliver events as they are written, and end when the gateway stops", async () => {
    const response = await fetch(`${listened.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ query: "subscription { block { sequence body } }" }),
    });
    const lines = readLines(response);
    await listened.events.write({ channel: "block", data: { n: 1 } }, { channel: "block", data: { n: 2 } });
    expect(await lines(/"n":2/)).toContain('"sequence":2');
    await listened.stopGateway();
  });
});

/** Reads a stream of lines, and returns those up to a line that matches. */
function readLines(response: Response): (wanted: RegExp) => Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  return async (wanted) => {
    for (let received = ""; ; ) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`The stream ended without ${wanted}: ${received}`);
      received += Buffer.from(value).toString("utf8");
      if (wanted.test(received)) return received;
    }
  };
}

describe("bodies", () => {
  test("must be JSON", async () => {
    for (const type of ["text/plain", "application/graphql", "application/x-www-form-urlencoded"]) {
      const { status, body } = await gateway.post("/graphql", "{ chain { height } }", { "content-type": type });
      expect({ status, code: body.code }).toEqual({ status: 415, code: "UnsupportedMediaType" });
    }
    expect((await gateway.post("/graphql", "{")).body.code).toBe("InvalidContent");
  });

  test("have a limit", async () => {
    const { status, body } = await gateway.post("/graphql", { query: "{ __typename }", rest: "x".repeat(2 ** 20) });
    expect({ status, code: body.code }).toEqual({ status: 413, code: "PayloadTooLarge" });
  });
});
