import { describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { LANGUAGES, type Language } from "../../gateway/languages/languages.js";
import { describeIfBrowser } from "../support/browser.js";
import { RecordedChain } from "../support/recorded-chain.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";
import { expectAccessible } from "./accessible.js";
import { recordedPages } from "./recorded-pages.js";

// The pages in each language, over the recorded chain: by what a browser prefers, and by what a person chose.

const TOKEN = "open-sesame";
const PAGE = { accept: "text/html" };
const NAMES = Object.keys(LANGUAGES) as Language[];

const chain = new RecordedChain();
const served = RecordedStateGateway.use(chain, { resourcesDirectory: chain.path("resources") });
const guarded = RecordedStateGateway.use(chain, { graphqlTokens: [{ name: "default", token: TOKEN }] });

describe("the language of a page", () => {
  async function languageOf(path: string, headers: Record<string, string>) {
    const response = await fetch(`${served.url}${path}`, { headers: { ...PAGE, ...headers } });
    return /<html [^>]*lang="(\w+)"/.exec(await response.text())?.[1];
  }

  test("is the one that the browser prefers, or that was chosen before", async () => {
    for (const path of ["/explorer", "/explorer/blocks", "/explorer/nothing", "/nothing"]) {
      for (const [headers, language] of [
        [{}, "en"],
        [{ "accept-language": "ja-JP,ja;q=0.9,en;q=0.8" }, "ja"],
        [{ "accept-language": "fr,en-GB;q=0.8,ja;q=0.5" }, "en"],
        [{ "accept-language": "fr" }, "en"],
        [{ "accept-language": "ja", cookie: "other=1; language=en" }, "en"],
        [{ "accept-language": "en", cookie: "language=ja" }, "ja"],
        [{ "accept-language": "en", cookie: "language=constructor" }, "en"],
      ] as const) {
        expect({ path, headers, language: await languageOf(path, headers) }).toEqual({ path, headers, language });
      }
    }
  });

  test("is also that of the pages to sign in and of what does not exist", async () => {
    for (const name of NAMES) {
      const { plain } = LANGUAGES[name];
      const headers = { ...PAGE, "accept-language": name };
      const signIn = await fetch(`${guarded.url}/explorer`, { headers });
      expect(signIn.status).toBe(403);
      expect(await signIn.text()).toContain(plain.token);
      const body = new URLSearchParams({ token: "wrong" });
      const wrong = await fetch(`${guarded.url}/sign-in`, { method: "POST", headers, body });
      expect(await wrong.text()).toContain(plain.wrongToken);
      const missing = await fetch(`${served.url}/nothing`, { headers });
      expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining(plain.notFoundTitle)]);
    }
  });
});

describeIfBrowser("the pages in a browser of another language", (browser) => {
  const complaints: string[] = [];

  async function open(language: string, path: string): Promise<Page> {
    const page = await browser.newPage({ locale: language, viewport: { width: 1_440, height: 900 } });
    page.on("pageerror", ({ message }) => complaints.push(`${path}: ${message}`));
    await page.goto(`${served.url}/explorer${path}`);
    await page.locator("#status[data-state=live]").waitFor();
    const { loading } = LANGUAGES[language as Language].pages;
    await page.waitForFunction(
      (text) => [...document.querySelectorAll(".note")].every(({ textContent }) => textContent !== text),
      loading,
    );
    return page;
  }

  // On a busy machine a page takes many seconds.
  const parts = NAMES.flatMap((name) => [0, 1, 2, 3].map((part) => [name, part] as const));
  test.each(parts)(
    "every fourth page in %s, from %d on: its language, no text without a value, accessible at each width",
    async (name, part) => {
      const pages = [...(await recordedPages(served)), "/nodes", "/block/x", "/search?q=nothing-of-it", "/nothing"];
      for (const path of pages.filter((_, place) => place % 4 === part)) {
        const page = await open(name, path);
        const { lang, text } = await page.evaluate(() => ({
          lang: document.documentElement.lang,
          text: document.body.textContent ?? "",
        }));
        expect({ path, lang, lacking: text.match(/undefined|\[object|\{\w+\}|\bNaN\b/g) }).toEqual({
          path,
          lang: name,
          lacking: null,
        });
        expect(text).toContain(LANGUAGES[name].pages.harvesters);
        // The recorded node has no peers to report.
        const alerts = path === "/nodes" ? 1 : 0;
        expect({ path, alerts: await page.locator("[role=alert]").count() }).toEqual({ path, alerts });
        await expectAccessible(page, name === "en" ? "light" : "dark");
        await page.close();
      }
      expect(complaints).toEqual([]);
    },
  );

  test("a choice is kept for all pages; numbers and times follow it", async () => {
    const page = await open("en", "/blocks");
    const time = () => page.locator("#list tbody time").first().textContent();
    expect(await time()).toMatch(/^\d+\/\d+\/\d{4}, /);
    await page.locator("#language").selectOption("ja");
    await page.waitForFunction(() => document.documentElement.lang === "ja");
    await page.locator("#list tbody time").first().waitFor();
    expect(await time()).toMatch(/^\d{4}\/\d+\/\d+ /);
    await page.click('nav.main a[href$="explorer/node"]');
    await page.locator("h1").getByText(LANGUAGES.ja.pages.node).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("ja");
    await page.close();
  });

  test("the sentence of a transaction is Japanese", async () => {
    const { data } = await served.ask("{ transactions(first: 1, type: [16724]) { data { hash } } }");
    const page = await open("ja", `/transaction/${data.transactions.data[0].hash}`);
    expect(await page.locator(".summary .sentence").textContent()).toMatch(/ が .+ に .+ を送りました/);
    await page.close();
  });
});
