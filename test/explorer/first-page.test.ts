import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import type { BrowserContextOptions, Page } from "playwright-core";
import { encodeAddress } from "../../catapult/entity/address.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { describeIfBrowser } from "../support/browser.js";
import { RestStack, type RestStackOptions } from "../support/rest-stack.js";
import { signIn } from "../support/sign-in.js";
import { aggregatePayload, transferPayload } from "../support/transfers.js";
import { isWithin } from "../support/until.js";

const TOKEN = "open-sesame";

/** A devnet with some transfers, and its gateway. */
const useStack = (gateway: RestStackOptions["gateway"] = {}) =>
  RestStack.use({
    gateway,
    populate: async ({ devnet }) => {
      const [alice, bob] = devnet.accounts as [DevnetAccount, DevnetAccount];
      for (let i = 1; i <= 12; i++) {
        for (let j = 0; j < i % 4; j++) {
          devnet.announce(transferPayload(devnet, alice, bob.address, BigInt(100 * i + j)));
        }
        if (i === 7) devnet.announce(aggregatePayload(devnet, alice, bob, 1n));
        await devnet.harvest(1);
      }
      devnet.finalize(9);
    },
  });

/** One that answers only this machine, and one with a token. */
const stack = useStack();
const guarded = useStack({ graphqlTokens: [{ name: "default", token: TOKEN }] });

/** The address of a gateway under a name other than this machine's. */
const byOtherName = ({ url }: RestStack) => url.replace("127.0.0.1", "gateway.test");

describe("access to the page", () => {
  const get = (url: string, host?: string) => fetch(url, host ? { headers: { "x-forwarded-for": host } } : {});

  test("is the same as to /graphql: callers on this machine, or signed-in browsers", async () => {
    expect((await get(`${stack.url}/explorer`)).status).toBe(200);
    const [script] = (await (await get(`${stack.url}/explorer`)).text()).match(/explorer\/main-\w+\.js/) ?? [];
    expect((await get(`${stack.url}/explorer`, "203.0.113.1")).status).toBe(403);
    expect((await get(`${stack.url}/${script}`, "203.0.113.1")).status).toBe(403);
    for (const path of ["/explorer", `/${script}`]) {
      expect((await get(`${guarded.url}${path}`)).status).toBe(403);
      const cookie = await signIn(guarded.url, TOKEN);
      expect((await fetch(`${guarded.url}${path}`, { headers: { cookie } })).status).toBe(200);
    }
    expect((await get(`${stack.url}/explorer/nothing.js`)).status).toBe(404);
    expect((await get(`${stack.url}/explorer/../../package.json`)).status).toBe(404);
  });

  test("GET, HEAD and OPTIONS are the only methods", async () => {
    const allow = "GET, HEAD, OPTIONS";
    for (const [method, status] of [
      ["POST", 405],
      ["DELETE", 405],
      ["OPTIONS", 204],
    ] as const) {
      const response = await fetch(`${stack.url}/explorer`, { method });
      expect({ method, status: response.status, allow: response.headers.get("allow") }).toEqual({
        method,
        status,
        allow,
      });
    }
  });

  test("people from elsewhere get a page that says so, and links to the first one", async () => {
    for (const [path, status, text] of [
      ["/nothing", 404, 'There is no page with this address. <a href="./explorer">'],
      ["/nothing/of/it", 404, '<a href="../../explorer">'],
      ["/explorer", 403, "The pages are for callers on this machine"],
    ] as const) {
      const headers = { accept: "text/html,application/xhtml+xml", "x-forwarded-for": "203.0.113.1" };
      const page = await stack.get(path, { headers });
      expect([path, page.status, page.headers.get("content-type")]).toEqual([path, status, "text/html; charset=utf-8"]);
      expect(page.text).toContain(text);
    }
  });

  test("it loads nothing from other hosts and cannot be framed", async () => {
    const { headers } = await get(`${stack.url}/explorer`);
    const policy = headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
  });
});

describeIfBrowser("the page in a browser", (browser) => {
  /** Errors, and requests to other hosts. */
  const complaints: string[] = [];

  async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await browser.newPage(options);
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      // Chromium reports every 403 response by itself.
      if (message.type() === "error" && !message.text().includes("403")) complaints.push(message.text());
    });
    page.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) complaints.push(request.url());
    });
    await page.goto(`${url}/explorer`);
    return page;
  }

  const field = (page: Page, name: string) => page.locator(`[data-field="${name}"]`).textContent();
  const waitForField = (page: Page, name: string, text: string) =>
    page.waitForFunction(
      ([field, expected]) => document.querySelector(`[data-field="${field}"]`)?.textContent === expected,
      [name, text] as const,
    );
  const cells = (page: Page, id: string) =>
    page
      .locator(`#${id} tbody tr`)
      .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent ?? "")));
  const shortAddress = (bytes: Buffer) => {
    const address = encodeAddress(bytes);
    return `${address.slice(0, 6)}…${address.slice(-4)}`;
  };
  /** Compares everything on the page with the database; a part of it may follow the others. */
  async function expectAsStored(page: Page): Promise<void> {
    const { db } = stack.index;
    const head = await db.selectFrom("head").selectAll().executeTakeFirstOrThrow();
    const blocks = await db
      .selectFrom("blocks")
      .innerJoin("keys", "keys.id", "blocks.harvester")
      .selectAll("blocks")
      .select("keys.key as harvester")
      .orderBy("blocks.height", "desc")
      .limit(10)
      .execute();
    const transactions = await db
      .selectFrom("transactions")
      .selectAll()
      .where(sql<boolean>`type % 2 = 0`)
      .orderBy("id", "desc")
      .execute();
    const links = page.locator("#transactions td.main a");
    const shown = async () => ({
      height: await field(page, "height"),
      finalizedHeight: await field(page, "finalizedHeight"),
      transactions: await field(page, "transactions"),
      blocks: (await cells(page, "blocks")).map(([height, count, harvester]) => [height, count, harvester]),
      hashes: await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")?.split("/").at(-1))),
    });
    const stored = {
      height: String(head.height),
      finalizedHeight: String(head.finalized_height),
      transactions: String(transactions.length),
      blocks: blocks.map((row) => [String(row.height), String(row.transactions_count), shortAddress(row.harvester)]),
      hashes: transactions.slice(0, 10).map(({ hash }) => hash!.toString("hex").toUpperCase()),
    };
    await isWithin(120_000, async () => isDeepStrictEqual(await shown(), stored));
    expect(await shown()).toEqual(stored);
  }

  test("shows the contents of the database, and updates without a reload", async () => {
    const page = await open(stack.url);
    await expectAsStored(page);
    await page.locator("#status[data-state=live]").waitFor();

    const { devnet } = stack.node;
    const [alice, bob] = devnet.accounts;
    devnet.announce(transferPayload(devnet, alice!, bob!.address, 77n));
    await waitForField(page, "unconfirmed", "1");
    await devnet.harvest(1);
    devnet.finalize(devnet.height - 1);
    await stack.caughtUp();
    await waitForField(page, "unconfirmed", "0");
    await waitForField(page, "finalizedHeight", String(devnet.height - 1));
    await expectAsStored(page);
    await page.close();
  });

  test("links the entities it shows", async () => {
    const page = await open(stack.url);
    await waitForField(page, "height", String(stack.node.devnet.height));
    const links = await page.locator("a").evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
    expect(links.length).toBeGreaterThan(30);
    const headers = { accept: "text/html,application/xhtml+xml,*/*" };
    for (const href of new Set(links))
      expect({ href, status: (await fetch(href, { headers })).status }).toEqual({ href, status: 200 });
    await page.close();
  });

  test.each(["light", "dark"] as const)("is %s as the system is", async (colorScheme) => {
    const page = await open(stack.url, { colorScheme });
    await waitForField(page, "height", String(stack.node.devnet.height));
    const color = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const brightness = Number(color.match(/\d+/)?.[0]);
    if (colorScheme === "dark") expect(brightness).toBeLessThan(64);
    else expect(brightness).toBeGreaterThan(192);
    await page.close();
  });

  test("after signing in: subscribes with the session, shows GraphiQL too, and signs out", async () => {
    const page = await open(byOtherName(guarded));
    for (const [token, title] of [
      ["wrong", "Sign in to symbol-gateway"],
      [TOKEN, "Overview · symbol-gateway"],
    ] as const) {
      await page.locator("input[name=token]").fill(token);
      await page.locator("button").click();
      await page.waitForFunction((expected) => document.title === expected, title);
    }
    await page.locator("#status[data-state=live]").waitFor();
    await waitForField(page, "height", String(guarded.node.devnet.height));
    await page.goto(`${byOtherName(guarded)}/graphql`);
    await page.locator(".graphiql-execute-button").click();
    await page.locator(".result-window").getByText("blocksBehind").first().waitFor();
    await page.goto(`${byOtherName(guarded)}/explorer`);
    await page.getByText("Sign out").click();
    await page.locator("input[name=token]").waitFor();
    expect((await page.goto(`${byOtherName(guarded)}/graphql`))?.status()).toBe(403);
    await page.close();
  });

  test("logs no error, and sends no request to other hosts", () => {
    expect(complaints).toEqual([]);
  });
});
