import { expect, test } from "@jest/globals";
import type { CDPSession } from "playwright-core";
import { describeIfBrowser } from "../support/browser.js";
import { RecordedChain } from "../support/recorded-chain.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";
import { recordedPages } from "./recorded-pages.js";

// What a browser that has nothing yet loads for a page: few files, small, and none that it learns of from another file.

/** Of all files of a page without its charts, compressed. */
const MAX_BYTES = 100_000;
/** Of a first visit, with charts. */
const MAX_VISIT = 120_000;
/** A slow line: what a page takes on it is this for each step, and for its bytes. */
const LINE = { latencySeconds: 0.4, bytesPerSecond: 200_000 };
const MAX_SECONDS = 1.5;

/** A request of a page. */
interface Loaded {
  readonly path: string;
  /** Whether the browser learned of it from the HTML itself. */
  readonly isOfHtml: boolean;
  bytes: number;
}

describeIfBrowser("the weight of a page", (browser) => {
  const chain = new RecordedChain();
  const served = RecordedStateGateway.use(chain, { resourcesDirectory: chain.path("resources") });

  /** All that a page loads until it shows everything and follows the chain. */
  async function load(path: string): Promise<Loaded[]> {
    const context = await browser.newContext();
    const page = await context.newPage();
    const loaded = await recordRequests(await context.newCDPSession(page));
    await page.goto(`${served.url}/explorer${path}`);
    await page.locator("#status[data-state=live]").waitFor();
    await page.waitForFunction(() => {
      const main = document.querySelector("main");
      const waits = [...document.querySelectorAll(".note")].some(({ textContent }) => textContent === "loading");
      return main?.querySelector("h1") && !waits;
    });
    await page.waitForLoadState("networkidle");
    await context.close();
    return [...loaded.values()];
  }

  async function recordRequests(session: CDPSession): Promise<Map<string, Loaded>> {
    const loaded = new Map<string, Loaded>();
    session.on("Network.requestWillBeSent", ({ requestId, request, initiator }) => {
      const path = request.url.replace(served.url, "");
      if (path.startsWith("/")) loaded.set(requestId, { path, isOfHtml: initiator.type === "parser", bytes: 0 });
    });
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      const one = loaded.get(requestId);
      if (one) one.bytes = encodedDataLength;
    });
    await session.send("Network.enable");
    return loaded;
  }

  test("each page loads its HTML, one style, one script and its data, at once", async () => {
    for (const path of [...(await recordedPages(served)), "/transactions?type=16724&from=2020-01-01&page=2"]) {
      const loaded = await load(path);
      const charts = loaded.filter((one) => one.path.includes("uPlot"));
      const others = loaded.filter((one) => !charts.includes(one));
      const kinds = others.map((one) => (one.path.match(/\.(css|js)$|explorer\/data\?/) ?? ["html"])[0]);
      expect({ path, kinds: kinds.sort(), late: others.slice(1).filter(({ isOfHtml }) => !isOfHtml) }).toEqual({
        path,
        kinds: [".css", ".js", "explorer/data?", "html"],
        late: [],
      });
      const bytes = others.reduce((sum, one) => sum + one.bytes, 0);
      expect(bytes).toBeGreaterThan(10_000);
      expect(bytes).toBeLessThan(MAX_BYTES);
      expect(loaded.reduce((sum, one) => sum + one.bytes, 0)).toBeLessThan(MAX_VISIT);
      // The HTML, and then all that it names.
      const seconds = 2 * LINE.latencySeconds + bytes / LINE.bytesPerSecond;
      expect({ path, isFast: seconds < MAX_SECONDS }).toEqual({ path, isFast: true });
    }
  });

  test("files have a digest in their name and are kept by browsers; pages are checked by theirs", async () => {
    const get = (path: string, headers: Record<string, string> = {}) => fetch(`${served.url}${path}`, { headers });
    const page = await get("/explorer/blocks");
    const tag = String(page.headers.get("etag"));
    expect(page.headers.get("cache-control")).toBe("no-cache");
    expect((await get("/explorer/blocks", { "if-none-match": tag })).status).toBe(304);
    const files = [...(await page.text()).matchAll(/(?:src|href)="\.\.\/(explorer\/[\w-]+\.(?:css|js))"/g)];
    expect(files.length).toBe(2);
    for (const [, file = ""] of files) {
      expect(file).toMatch(/-[A-Z0-9]{8}\./);
      const { status, headers } = await get(`/${file}`);
      expect([status, headers.get("cache-control")]).toEqual([200, "max-age=31536000, immutable"]);
    }
  });
});
