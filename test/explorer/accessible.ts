import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect } from "@jest/globals";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** From large screens to phones, in px. */
const WIDTHS = [1_920, 1_440, 1_024, 768, 360];

/** Nothing is wider than the window, no table scrolls within its place, and no rule of axe is violated. */
export async function expectAccessible(page: Page, colorScheme: "light" | "dark" = "light"): Promise<void> {
  const url = page.url();
  await page.emulateMedia({ colorScheme });
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 700 });
    const shown = await page.evaluate(() => document.documentElement.scrollWidth);
    expect({ url, width, isWider: shown > width }).toEqual({ url, width, isWider: false });
    await page.waitForFunction(() =>
      [...document.querySelectorAll(".scroll")].every(
        (place) => place.querySelector("svg") !== null || place.scrollWidth <= place.clientWidth + 1,
      ),
    );
  }
  await page.evaluate(AXE);
  // biome-ignore lint/suspicious/noExplicitAny: axe is a global of the page
  const axe = () => (globalThis as any).axe.run({ rules: { "target-size": { enabled: true } } });
  const { violations } = await page.evaluate(axe);
  const found = violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => [
    id,
    nodes.map(({ html }) => html),
  ]);
  expect({ url, found }).toEqual({ url, found: [] });
}
