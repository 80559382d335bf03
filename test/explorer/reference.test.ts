import { beforeAll, describe, expect, test } from "@jest/globals";
import { Ajv } from "ajv";
import { channels } from "../../catapult/structs/message.js";
import { GatewayFixture } from "../gateway/gateway-fixture.js";
import { describeIfBrowser } from "../support/browser.js";

interface AsyncApi {
  readonly asyncapi: string;
  readonly servers: Readonly<Record<string, { readonly host: string }>>;
  readonly channels: Readonly<Record<string, { address: string; messages: Record<string, { $ref: string }> }>>;
  readonly components: {
    readonly messages: Readonly<Record<string, { payload: object; examples?: { payload: unknown }[] }>>;
    readonly schemas: Readonly<Record<string, object>>;
  };
}

const gateway = GatewayFixture.use(20, {
  host: "::",
  graphqlTokens: [{ name: "default", token: "reference test token" }],
});

test("the default host serves IPv4 and IPv6", async () => {
  const { port } = new URL(gateway.url);
  const answers = await Promise.all(["127.0.0.1", "[::1]"].map((host) => fetch(`http://${host}:${port}/chain/info`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
});

describe("/asyncapi.json", () => {
  let document: AsyncApi;

  beforeAll(async () => {
    document = (await gateway.get("/asyncapi.json")).body;
  });

  test("has a message for every channel, on /ws and on /events, and every reference leads somewhere", () => {
    const names = Object.keys(channels);
    expect(document.asyncapi).toBe("3.0.0");
    const { webSocket, events } = document.channels;
    expect([webSocket?.address, events?.address]).toEqual(["/ws", "/events"]);
    expect(Object.keys(webSocket!.messages)).toEqual([
      "greeting",
      "subscribe",
      "unsubscribe",
      "error",
      "heartbeat",
      ...names,
    ]);
    expect(Object.keys(events!.messages)).toEqual(["error", ...names]);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!);
    expect(references.length).toBeGreaterThan(50);
    const follow = (path: string) =>
      path.split("/").reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], document);
    expect(references.filter((path) => follow(path) === undefined)).toEqual([]);
  });

  test("its servers are this one, as the request names it", () => {
    const { host } = new URL(gateway.url);
    expect(Object.values(document.servers).map((server) => server.host)).toEqual([host, host]);
  });

  test("every example is of its message's schema", () => {
    const ajv = new Ajv({ strict: false });
    ajv.addSchema({ $id: "asyncapi", components: document.components });
    const withExample: string[] = [];
    for (const [name, { examples = [] }] of Object.entries(document.components.messages)) {
      for (const { payload } of examples) {
        const isValid = ajv.validate({ $ref: `asyncapi#/components/messages/${name}/payload` }, payload);
        expect({ name, isValid, errors: ajv.errors }).toEqual({ name, isValid: true, errors: null });
        withExample.push(name);
      }
    }
    expect(withExample).toEqual(expect.arrayContaining(["greeting", "subscribe", "unsubscribe", "error"]));
    const wrong = { topic: "droppedBlocks", data: { height: "3" }, sequence: 1 };
    expect(ajv.validate({ $ref: "asyncapi#/components/messages/droppedBlocks/payload" }, wrong)).toBe(false);
  });
});

test("files of the page have an entity tag and the policy of the pages; others do not exist", async () => {
  for (const path of ["/docs/", "/docs/swagger-initializer.js", "/docs/swagger-ui.css"]) {
    const { status, headers, text } = await gateway.get(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    expect(headers.get("content-security-policy")).toContain("script-src 'self';");
    expect(text).not.toMatch(/<script(?! src="[a-z/.-]+")/);
    expect((await gateway.get(path, { headers: { "if-none-match": headers.get("etag") ?? "" } })).status).toBe(304);
  }
  expect((await gateway.get("/docs/package.json")).status).toBe(404);
  expect((await fetch(`${gateway.url}/docs`, { redirect: "manual" })).headers.get("location")).toBe("docs/");
});

describeIfBrowser("the reference in a browser", (browser) => {
  /** A page that records what it must not do. */
  async function open(path: string) {
    const page = await browser.newPage();
    const wrong: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") wrong.push(message.text());
    });
    page.on("pageerror", (error) => wrong.push(String(error)));
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== "data:" && origin !== gateway.url) wrong.push(`requests ${request.url()}`);
    });
    await page.goto(`${gateway.url}${path}`);
    return { page, wrong };
  }

  test("/docs shows every operation, and sends a request", async () => {
    const { page, wrong } = await open("/docs");
    await page.click("#operations-Blocks-getBlockByHeight .opblock-summary-control");
    await page.click("#operations-Blocks-getBlockByHeight .try-out__btn");
    // On a chain other than the recorded one too, there is what examples name.
    expect(await page.inputValue("#operations-Blocks-getBlockByHeight input[placeholder=height]")).toBe("1");
    await page.fill("#operations-Blocks-getBlockByHeight input[placeholder=height]", "20");
    await page.click("#operations-Blocks-getBlockByHeight .execute");
    await page.waitForSelector("#operations-Blocks-getBlockByHeight .live-responses-table .response-col_status");
    const answer = await page.textContent("#operations-Blocks-getBlockByHeight .live-responses-table");
    expect(answer).toContain(gateway.blocks[19]?.hash.toString("hex").toUpperCase());
    const { tags } = (await gateway.get("/openapi.json")).body as { tags: { name: string }[] };
    expect(await page.locator(".opblock-tag-section").count()).toBe(tags.length);
    expect(wrong).toEqual([]);
    await page.close();
  });
});
