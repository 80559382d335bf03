import { expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { describeIfBrowser } from "../support/browser.js";
import { RestStack } from "../support/rest-stack.js";
import { type Realistic, realisticStack } from "./realistic-chain.js";

// No list scrolls or is cut in its card, with what people write into a chain, from phones to large screens; and what pages
// say about it is in words.

const WIDTHS = [360, 768, 1_024, 1_440, 1_920];

describeIfBrowser("lists of a chain as people use it", (browser) => {
  let chain: Realistic;
  const stack = RestStack.use(
    realisticStack((written) => {
      chain = written;
    }),
  );

  const hashOf = (name: string) => chain.hashes.get(name)!.toString("hex").toUpperCase();
  const idOf = (id: bigint) => id.toString(16).toUpperCase().padStart(16, "0");

  async function open(path: string) {
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
    await page.goto(`${stack.url}/explorer${path}`);
    await page.locator("main section").first().waitFor();
    await page.waitForLoadState("networkidle");
    return page;
  }

  test("fit their cards at each width", async () => {
    const account = (name: string) => `/account/${encodeAddress(stack.node.account(name).address)}`;
    const lists = ["blocks", "transactions", "accounts", "mosaics", "namespaces", "harvesters", "charts", "network"];
    const details = ["five mosaics", "payroll", "metadata", "secret lock", "multisig"];
    for (const path of [
      "",
      ...lists.map((name) => `/${name}`),
      ...details.map((name) => `/transaction/${hashOf(name)}`),
      ...["alice", "bob", "erin"].map(account),
      `/account/${encodeAddress(chain.vault.address)}`,
      `/mosaic/${idOf(chain.mosaicId)}`,
      `/block/${stack.node.devnet.height - 3}`,
      "/namespace/alice-and-partners",
    ]) {
      const page = await open(path);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const found = await page.evaluate(() => ({
          width: document.documentElement.scrollWidth,
          scrolling: [...document.querySelectorAll(".scroll")]
            .filter((place) => !place.querySelector("svg.multisig") && place.scrollWidth > place.clientWidth + 1)
            .map((place) => place.getAttribute("aria-label")),
          // Figures are never cut.
          cut: [...document.querySelectorAll("td.number")]
            .filter((cell) => cell.scrollWidth > cell.clientWidth + 1)
            .map(({ textContent }) => textContent),
        }));
        expect({ path, ...found }).toEqual({ path, width, scrolling: [], cut: [] });
      }
      await page.close();
    }
  });

  test.each([
    ["metadata", / wrote Heidi as D1E2C3B400000001 of /],
    ["global restriction", / limited mosaic [0-9A-F]{16} to accounts whose value .* is at least 1$/],
    ["address restriction", / set the value .* for mosaic [0-9A-F]{16} to 1$/],
    ["account restriction", / changed the blocked senders: added /],
    ["operation restriction", / changed the blocked types of transactions: added mosaic definition$/],
    ["alias of a mosaic", / linked the namespace alice-and-partners\.treasury and mosaic /],
    ["secret lock", / locked 12\.5 symbol\.xym for /],
  ])("%s in words and values", async (name, sentence) => {
    const page = await open(`/transaction/${hashOf(name)}`);
    const text = (await page.locator(".summary .sentence").textContent()) ?? "";
    expect(text.replace(/\s+/g, " ")).toMatch(sentence);
    expect(await page.locator("main").textContent()).not.toMatch(/\b0{16}\b|restriction type \d/);
    await page.close();
  });

  test("an account's list says what an aggregate paid it, and whose it was", async () => {
    const page = await open(`/account/${encodeAddress(stack.node.account("bob").address)}`);
    const row = page.locator("#transactions tr", { has: page.locator(`a[href*="${hashOf("payroll")}"]`) });
    expect(await row.locator("td.aside").textContent()).toBe("+250.000000");
    expect(await row.locator("td.flexible a").first().getAttribute("title")).toBe(
      encodeAddress(stack.node.account("alice").address),
    );
    await page.close();
  });

  test("the richest holder of a mosaic on a day comes first", async () => {
    const page = await open(`/mosaic/${idOf(chain.mosaicId)}`);
    const first = page.locator("#past-holders td.main a").first();
    expect(await first.getAttribute("title")).toBe(encodeAddress(stack.node.account("alice").address));
    const day = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
    await page.locator("#holders-day").fill(day);
    await page.waitForFunction((height) => {
      const field = document.querySelector("#holders-height") as HTMLInputElement | null;
      return field && Number(field.value) < height;
    }, stack.node.devnet.height);
    await page.locator("#past-holders td.main a").first().waitFor();
    expect(await page.locator("#holders-time").textContent()).toMatch(/^After block \d+, /);
    await page.close();
  });

  test("a receipt of a lock has who paid under From", async () => {
    const page = await open(`/transaction/${hashOf("secret lock")}`);
    const [, , from, to] = await page.locator("#statements tbody tr").first().locator("td").allTextContents();
    expect([from !== "", to]).toEqual([true, ""]);
    await page.close();
  });
});
