import { expect, test } from "@jest/globals";
import type { BrowserContextOptions, Page } from "playwright-core";
import { encodeAddress } from "../../catapult/entity/address.js";
import { describeIfBrowser } from "../support/browser.js";
import { RestStack } from "../support/rest-stack.js";
import { transferPayload } from "../support/transfers.js";

// Pages that stay open for long, in browsers of many kinds: what they show while the gateway does not answer, while they are
// read, and after they were translated.

/** What browsers before 2022 lack. */
const LACKING = `
  for (const name of ["at", "findLast", "findLastIndex", "toSorted", "toReversed", "toSpliced", "with"])
    delete Array.prototype[name];
  delete String.prototype.at;
  delete Object.hasOwn;
  delete globalThis.structuredClone;`;

describeIfBrowser("a page that stays open", (browser) => {
  const stack = RestStack.use({
    populate: async ({ devnet }) => {
      const [alice, bob] = devnet.accounts;
      for (let n = 0; n < 6; n++) {
        devnet.announce(transferPayload(devnet, alice!, bob!.address, BigInt(n + 1), `message ${n}`));
        await devnet.harvest(1);
      }
    },
  });

  async function open(path: string, options: BrowserContextOptions = {}, script?: string): Promise<Page> {
    const context = await browser.newContext(options);
    if (script) await context.addInitScript(script);
    const page = await context.newPage();
    await page.goto(`${stack.url}/explorer${path}`);
    return page;
  }

  const waitForHeight = (page: Page, height: number) =>
    page.waitForFunction(
      (expected) => document.querySelector('[data-field="height"]')?.textContent === expected,
      String(height),
    );
  const heights = (page: Page) =>
    page.locator("#blocks td.main").evaluateAll((all) => all.map(({ textContent }) => textContent));

  test("keeps its rows while the gateway does not answer, says since when, and follows the chain again", async () => {
    const page = await open("");
    await page.locator("#status[data-state=live]").waitFor();
    const before = await heights(page);
    await page.route("**/explorer/data/**", (route) => route.abort());
    // A block makes the page ask.
    await stack.harvest();
    await page.locator("#status[data-state=lost]").waitFor();
    expect(await page.locator("#status").textContent()).toMatch(/has not answered since \d+:\d+:\d+/);
    expect(await heights(page)).toEqual(before);
    expect(await page.locator("[role=alert]").count()).toBe(0);
    await page.unroute("**/explorer/data/**");
    await stack.harvest();
    await waitForHeight(page, stack.node.devnet.height);
    await page.locator("#status[data-state=live]").waitFor();
    await page.context().close();
  });

  test("a list waits while the pointer is in it: what one chose stays", async () => {
    const page = await open("/blocks");
    await page.locator("#status[data-state=live]").waitFor();
    const first = page.locator("#list td.main a").first();
    const shown = await first.textContent();
    await first.hover();
    const element = await first.elementHandle();
    const asked = page.waitForResponse(/explorer\/data\/blocks/);
    await stack.harvest();
    await asked;
    await page.waitForTimeout(100);
    expect(await first.textContent()).toBe(shown);
    await page.mouse.move(5, 5);
    await page.waitForFunction((old) => document.querySelector("#list td.main a")?.textContent !== old, shown);
    // The row is the same element, below the new one.
    expect(
      await page
        .locator("#list td.main a")
        .nth(1)
        .evaluate((now, old) => now === old, element),
    ).toBe(true);
    await page.context().close();
  });

  test("a translated page has each text once after the next block", async () => {
    const page = await open("");
    await page.locator("#status[data-state=live]").waitFor();
    // As browsers do it: each text node becomes an element with another one.
    await page.evaluate(() => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const nodes: Text[] = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode()) nodes.push(node as Text);
      for (const node of nodes.filter(({ data }) => data.trim() !== "")) {
        const font = document.createElement("font");
        font.append(Object.assign(document.createElement("font"), { textContent: node.data }));
        node.replaceWith(font);
      }
    });
    await stack.harvest();
    await waitForHeight(page, stack.node.devnet.height);
    await page.locator("#blocks td.main").first().getByText(String(stack.node.devnet.height)).waitFor();
    const tiles = await page.locator(".tile h2").allTextContents();
    expect(new Set(tiles).size).toBe(tiles.length);
    expect(tiles[0]).toBe("Height");
    expect(await heights(page)).toEqual(
      Array.from({ length: Math.min(10, stack.node.devnet.height) }, (_, n) => String(stack.node.devnet.height - n)),
    );
    await page.context().close();
  });

  test.each([
    ["a browser of 2021", {}, LACKING],
    [
      "a system that names its locale in its own way",
      {},
      `Object.defineProperty(navigator, "languages", { get: () => ["en-US@posix", "en"] });`,
    ],
  ] as const)("every page works in %s", async (_name, options, script) => {
    const [alice] = stack.node.devnet.accounts;
    const { data } = (await stack.get("/transactions/confirmed?type=16724")).body;
    const paths = ["", "/blocks", "/transactions", "/block/2", "/network", "/charts", "/accounts"];
    for (const path of [...paths, `/account/${encodeAddress(alice!.address)}`, `/transaction/${data[0].meta.hash}`]) {
      const problems: string[] = [];
      const page = await open(path, options, script);
      page.on("pageerror", ({ message }) => problems.push(message));
      await page.locator("#status[data-state=live]").waitFor();
      await page.locator("main section").first().waitFor();
      expect({ path, problems, alerts: await page.locator("[role=alert]").allTextContents() }).toEqual({
        path,
        problems: [],
        alerts: [],
      });
      await page.context().close();
    }
  });

  test("addresses that people type lead to the page, and a height that is to come says how high the chain is", async () => {
    for (const [path, expected] of [
      ["/", "/explorer"],
      ["/block/0002", "/explorer/block/2"],
      ["/block/%231", "/explorer/block/1"],
      ["/search?q=0%2C002", "/explorer/block/2"],
      ["/search?q=%E2%80%8E%232%E2%80%8B", "/explorer/block/2"],
    ] as const) {
      const page = await open(path);
      await page.waitForURL(`${stack.url}${expected}`);
      await page.context().close();
    }
    const page = await open("/block/999999");
    const height = stack.node.devnet.height.toLocaleString("en");
    expect(await page.locator("#missing").textContent()).toBe(
      `There is no block 999,999 yet: the newest one is ${height}.`,
    );
    await page.context().close();
    for (const [path, type] of [
      ["/favicon.ico", "image/svg+xml"],
      ["/robots.txt", "text/plain; charset=utf-8"],
    ])
      expect((await stack.get(path!)).headers.get("content-type")).toBe(type);
  });

  test("a script that cannot be had is tried again", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    let failures = 1;
    await page.route(/explorer\/main-\w+\.js/, (route) => (failures-- > 0 ? route.abort() : route.continue()));
    await page.goto(`${stack.url}/explorer`);
    await page.locator("#status[data-state=live]").waitFor();
    expect(failures).toBe(-1);
    await context.close();
  });

  test("without scripts the page says what it needs", async () => {
    const page = await open("", { javaScriptEnabled: false });
    expect(await page.locator("noscript").textContent()).toContain("Chrome or Edge 88");
    await page.context().close();
  });
});
