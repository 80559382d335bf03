import path from "node:path";
import { afterAll, beforeAll, describe } from "@jest/globals";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { skip } from "./skipped.js";
import { isExecutable, lacking } from "./tools.js";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The program of an installed Chromium: CHROMIUM_PATH, or one on the PATH. */
function findBrowser(): string | undefined {
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const places = folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
  return [process.env.CHROMIUM_PATH ?? "", ...places].find((file) => file !== "" && isExecutable(file));
}

/** A headless browser, in which `gateway.test` is this machine. */
export class TestBrowser {
  #browser: Browser | undefined;

  async start(executablePath: string): Promise<void> {
    const args = ["--host-resolver-rules=MAP gateway.test 127.0.0.1", "--disable-dev-shm-usage"];
    this.#browser = await chromium.launch({ executablePath, args, chromiumSandbox: process.getuid?.() !== 0 });
  }

  newPage(options?: BrowserContextOptions): Promise<Page> {
    return this.#browser!.newPage(options);
  }

  newContext(options?: BrowserContextOptions): Promise<BrowserContext> {
    return this.#browser!.newContext(options);
  }

  async close(): Promise<void> {
    await this.#browser?.close();
  }
}

/** Tests that need a browser, which is closed after them; without one, they count as one skipped test. */
export function describeIfBrowser(name: string, body: (browser: TestBrowser) => void): void {
  const found = findBrowser();
  if (!found) {
    skip(name, lacking("chromium"));
    return;
  }
  describe(name, () => {
    const browser = new TestBrowser();
    beforeAll(() => browser.start(found));
    afterAll(() => browser.close());
    body(browser);
  });
}
