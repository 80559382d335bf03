import { describe, expect, test } from "@jest/globals";
import { makeExtensions } from "../../cli/parts/extensions.js";
import { describeIfBrowser } from "../support/browser.js";
import { RecordedChain } from "../support/recorded-chain.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";

const PEOPLE = { accept: "text/html,application/xhtml+xml" };
const TOKEN = "a-token-of-operators";

const chain = new RecordedChain();
const served = RecordedStateGateway.use(chain, {
  resourcesDirectory: chain.path("resources"),
  extensions: makeExtensions({ EXPLORER: "public" }),
  graphqlTokens: [{ name: "operator", token: TOKEN }],
  answersLocalCallers: false,
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${served.url}${path}`, { headers, redirect: "manual" });

async function data(name: string, variables?: unknown) {
  const query = variables === undefined ? "" : `?${new URLSearchParams({ variables: JSON.stringify(variables) })}`;
  const response = await get(`/explorer/data/${name}${query}`);
  // biome-ignore lint/suspicious/noExplicitAny: answers are of every form.
  return { status: response.status, headers: response.headers, body: (await response.json()) as any };
}

describe("the public explorer", () => {
  test("the root leads people to the pages, and describes the interfaces to programs", async () => {
    const { status, headers } = await get("/", PEOPLE);
    expect([status, headers.get("location"), headers.get("vary")]).toEqual([
      302,
      "explorer",
      "Accept, Accept-Encoding",
    ]);
    expect(await (await get("/")).json()).toMatchObject({ name: "symbol-gateway" });
  });

  test("pages have neither a session nor links to what is for operators", async () => {
    for (const path of ["/explorer", "/explorer/block/1"]) {
      const response = await get(path, PEOPLE);
      expect(response.status).toBe(200);
      expect(await response.text()).not.toMatch(/sign-|"graphql"|"metrics"|explorer\/node"/);
    }
    expect((await get("/explorer/node", PEOPLE)).status).toBe(404);
    for (const name of ["status", "node"]) expect((await data(name)).status).toBe(404);
  });

  test("each page leads to its data as JSON", async () => {
    const html = await (await get("/explorer/block/2", PEOPLE)).text();
    const [, link = ""] = html.match(/<a href="([^"]*)">Data of this page</) ?? [];
    const answer = await fetch(new URL(link, `${served.url}/explorer/block/2`));
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    const found = ((await answer.json()) as { name: string; data: { block: object } }[]).find(
      ({ name }) => name === "block",
    );
    expect(found?.data.block).toMatchObject({ height: 2 });
  });

  test("everything else of GraphQL still needs the token", async () => {
    const query = "{ indexStatus { height } }";
    for (const document of [query, 'mutation { announceTransaction(payload: "00") { message } }']) {
      expect((await served.post("/graphql", { query: document })).status).toBe(403);
    }
    const page = await get("/graphql", PEOPLE);
    expect([page.status, (await page.text()).includes("graphiql")]).toEqual([403, false]);
  });

  test("only known documents run, with their own variables", async () => {
    const { status, body } = await data("block", { height: 2 });
    expect([status, body.block.height]).toEqual([200, 2]);
    for (const [name, variables, expected, message] of [
      ["nothing", {}, 404, "nothing"],
      ["__proto__", {}, 404, "__proto__"],
      ["{ indexStatus { height } }", {}, 404, "no resource"],
      ["block", { height: "x" }, 400, "height"],
      ["block", {}, 400, "height"],
      ["block", [], 400, "variables must be a JSON object"],
      ["blocks", { page: { pageSize: 1_000_000 } }, 409, "pageSize"],
      ["blocks", { page: { pageSize: 101 } }, 409, "pageSize"],
      ["account", { address: "T".repeat(39) }, 400, "address"],
      ["search", { text: "x".repeat(9_000) }, 414, "characters, the limit is 2048"],
    ] as const) {
      const answer = await data(name.replaceAll(" ", "%20"), variables);
      expect({ name, status: answer.status }).toEqual({ name, status: expected });
      expect(answer.body.message).toContain(message);
    }
    expect((await get("/explorer/data/height?query={__typename}")).status).toBe(409);
    expect((await get("/explorer/data/height?variables={")).status).toBe(400);
    const post = await fetch(`${served.url}/explorer/data/height`, { method: "POST", body: "{}" });
    expect(post.status).toBe(405);
  });

  test("all that a page shows first is one answer, of the documents that the page asks", async () => {
    const ofPage = (page: string) => get(`/explorer/data?${new URLSearchParams({ page })}`);
    const answers = (await (await ofPage("block/2")).json()) as { name: string; variables: object; data: object }[];
    expect(answers.map(({ name }) => name).sort()).toEqual([
      "block",
      "blockStatements",
      "blockTransactions",
      "chain",
      "networkName",
    ]);
    for (const { name, variables, data: expected } of answers)
      expect({ name, data: (await data(name, variables)).body }).toEqual({ name, data: expected });
    // What fails is left out: the page asks it by itself, and shows why.
    const none = (await (await ofPage("account/nothing")).json()) as { name: string }[];
    expect(none.map(({ name }) => name).sort()).toEqual(["chain", "networkName"]);
    for (const [page, status] of [
      ["nothing", 404],
      ["__proto__/1", 404],
      ["//other.test/block/2", 400],
      ["block/%E0%A4%A", 400],
      ["x".repeat(9_000), 414],
    ] as const)
      expect({ page, status: (await ofPage(page)).status }).toEqual({ page, status });
    const tag = String((await ofPage("block/2")).headers.get("etag"));
    const again = await get("/explorer/data?page=block%2F2", { "if-none-match": tag });
    expect(again.status).toBe(304);
    expect((await ofPage("network")).headers.get("cache-control")).toBe("no-store");
  });

  test("a wrong token counts for nothing where pages are public, and answers are the same kept and fresh", async () => {
    for (let n = 0; n < 12; n++)
      expect((await get("/explorer/data/height", { authorization: `Bearer guess-${n}` })).status).toBe(200);
    const headers = [];
    for (let n = 0; n < 3; n++) {
      const answer = await get("/explorer/data/blocks?variables={}");
      headers.push([...answer.headers].filter(([name]) => !/^(date|x-request-id)$/.test(name)));
    }
    expect(headers[1]).toEqual(headers[0]);
    expect(headers[2]).toEqual(headers[0]);
    expect(headers[0]!.map(([name]) => name)).not.toContain("access-control-allow-origin");
  });

  test("an answer is as small as its request: a path of slashes, and variables within each other", async () => {
    const slashes = await get("/".repeat(15_000), PEOPLE);
    expect(slashes.status).toBe(414);
    expect((await slashes.text()).length).toBeLessThan(200);
    expect((await (await get("/".repeat(2_000), PEOPLE)).text()).length).toBeLessThan(20_000);
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    expect((await get(`/explorer/data/height?variables=${nested(200)}`)).status).toBe(400);
    const graphql = await served.post(
      "/graphql",
      `{"query":"query ($page: PageInput) { blocks(page: $page) { data { hash } } }","variables":{"page":${nested(9_000)}}}`,
      { authorization: `Bearer ${TOKEN}` },
    );
    expect(graphql.status).toBe(400);
  });

  test("an answer of the index is kept, one about this moment is not", async () => {
    const known = (await data("height")).headers.get("etag");
    expect(known).not.toBeNull();
    expect((await get("/explorer/data/height", { "if-none-match": String(known) })).status).toBe(304);
    const { headers } = await data("status");
    expect([headers.get("etag"), headers.get("cache-control")]).toEqual([null, "no-store"]);
  });
});

describeIfBrowser("the public explorer in a browser", (browser) => {
  test("shows its pages without a sign-in, live", async () => {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("pageerror", ({ message }) => complaints.push(message));
    await page.goto(served.url);
    expect(page.url()).toBe(`${served.url}/explorer`);
    await page.waitForSelector("#blocks tbody tr");
    await page.waitForSelector('#status[data-state="live"]');
    await page.click("#blocks tbody a");
    await page.waitForSelector("[data-field=totalFee]");
    await page.click('nav.main a[href$="explorer/transactions"]');
    await page.waitForSelector("#list tbody tr");
    await page.waitForSelector('#status[data-state="live"]');
    expect(complaints).toEqual([]);
    await page.close();
  });
});
