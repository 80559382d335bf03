import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { describeIfBrowser } from "../support/browser.js";
import type { DevnetFixture } from "../support/devnet.js";
import { RestStack } from "../support/rest-stack.js";
import { transferPayload } from "../support/transfers.js";
import { realisticStack } from "./realistic-chain.js";
import { type RestFacts, readRestFacts } from "./rest-facts.js";

// Every figure of the pages, against what REST answers: of a chain with nothing, one transaction, few and many.

const TRANSFER = 16_724;
/** Bytes of a transfer of one mosaic without a message. */
const TRANSFER_SIZE = 176;
const XYM = 6;

const fixed = (units: string | number | bigint, places: number = XYM) => {
  const digits = String(units).padStart(places + 1, "0");
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
};
const short = (units: string | number | bigint, places?: number) => fixed(units, places).replace(/\.?0+$/, "");
const distinct = (values: readonly unknown[]) => new Set(values).size;

/** A figure: its page, where it is there, and its texts by what REST answers, without separators of thousands. */
type Figure = readonly [page: (facts: RestFacts) => string, selector: string, texts: (facts: RestFacts) => string[]];

const home = () => "";
const charts = () => "/charts";
const block = ({ busiest }: RestFacts) => `/block/${busiest.height}`;
const transaction = ({ newest }: RestFacts) => `/transaction/${newest.hash}`;
const account = ({ richest }: RestFacts) => `/account/${richest.address}`;
const mosaic = ({ currencyId }: RestFacts) => `/mosaic/${currencyId}`;
const list = (name: string) => () => `/${name}`;
const field = (name: string) => `[data-field="${name}"]`;
const column = (table: string, number: number) => `#${table} tbody td:nth-child(${number})`;
const byDay = (name: string) => column(`by-day-${name}`, 2);

/** By day, the newest first: the value of the blocks of a day, and of the transactions in them. */
const days =
  (figureOf: (day: RestFacts["days"][number], facts: RestFacts) => number | string, from = 0) =>
  (facts: RestFacts) =>
    facts.days.slice(from).map((day) => String(figureOf(day, facts)));

const FIGURES: readonly Figure[] = [
  [home, field("height"), ({ head }) => [head]],
  [home, field("finalizedHeight"), ({ finalized }) => [finalized]],
  [home, field("transactions"), ({ top }) => [String(top.length)]],
  [home, field("unconfirmed"), ({ unconfirmed }) => [unconfirmed]],
  [home, field("partial"), ({ partial }) => [partial]],
  [home, ".tile:nth-child(7) .figure", ({ accounts }) => [String(accounts.length)]],
  [
    home,
    ".tile:nth-child(8) .figure",
    ({ blocks }) => [String(distinct(blocks.slice(0, 100).map(({ harvester }) => harvester)))],
  ],
  [home, "#fees .figure", ({ offers }) => offers.map((multiplier) => short(multiplier * TRANSFER_SIZE))],
  [home, byDay("transactions"), days(({ blocks }) => blocks.reduce((sum, one) => sum + one.transactions, 0), 1)],
  [home, column("blocks", 2), ({ blocks }) => blocks.slice(0, 10).map((one) => String(one.transactions))],
  [charts, byDay("transactions"), days(({ blocks }) => blocks.reduce((sum, one) => sum + one.transactions, 0))],
  [charts, byDay("withEmbedded"), days(({ all }) => all.length)],
  [charts, byDay("transfers"), days(({ all }) => all.filter(({ type }) => type === TRANSFER).length)],
  [charts, byDay("fees"), days(({ blocks }) => `${fixed(blocks.reduce((sum, one) => sum + one.fee, 0n))} symbol.xym`)],
  [charts, byDay("activeAccounts"), days(({ all }) => distinct(all.map(({ signer }) => signer)))],
  [
    charts,
    byDay("newAccounts"),
    days(
      ({ blocks }, { accounts }) =>
        accounts.filter(({ since }) => blocks.some(({ height }) => height === since)).length,
    ),
  ],
  [charts, byDay("harvesters"), days(({ blocks }) => distinct(blocks.map(({ harvester }) => harvester)))],
  [charts, `${column("shares", 2)}`, ({ rewards }) => rewards.slice(0, 20).map((one) => fixed(one))],
  [list("blocks"), column("list", 1), ({ blocks }) => blocks.slice(0, 25).map(({ height }) => String(height))],
  [
    list("blocks"),
    column("list", 4),
    ({ blocks }) => blocks.slice(0, 25).map(({ fee }) => (fee === 0n ? "" : fixed(fee))),
  ],
  [list("blocks"), column("list", 5), ({ blocks }) => blocks.slice(0, 25).map(({ multiplier }) => String(multiplier))],
  [list("transactions"), field("list-total"), ({ top }) => [String(top.length)]],
  [list("pending"), field("list-total"), ({ unconfirmed }) => [unconfirmed]],
  [list("accounts"), column("list", 3), ({ holders }) => holders.slice(0, 25).map(({ amount }) => fixed(amount))],
  [
    list("mosaics"),
    column("list", 3),
    ({ mosaics }) => mosaics.map(({ supply, divisibility }) => fixed(supply, divisibility)),
  ],
  [list("namespaces"), field("list-total"), ({ namespaces }) => [namespaces]],
  [list("harvesters"), column("list", 3), ({ allRewards }) => allRewards.map((one) => fixed(one))],
  [list("network"), field("finalizedHeight"), ({ finalized }) => [finalized]],
  [list("node"), field("height"), ({ head }) => [head]],
  [list("node"), field("finalizedHeight"), ({ finalized }) => [finalized]],
  [block, field("transactionsCount"), ({ busiest }) => [String(busiest.transactions)]],
  [block, field("totalFee"), ({ busiest }) => [`${short(busiest.fee)} symbol.xym`]],
  [block, field("feeMultiplier"), ({ busiest }) => [String(busiest.multiplier)]],
  [transaction, field("height"), ({ newest }) => [newest.height]],
  [
    account,
    field("harvestedBlocks"),
    ({ blocks, richest }) => [String(blocks.filter(({ harvester }) => harvester === richest.address).length)],
  ],
  [
    account,
    `${column("balances", 2)}`,
    ({ richest, divisibilityOf }) => richest.mosaics.map(({ id, amount }) => fixed(amount, divisibilityOf(id))),
  ],
  [
    account,
    `#balance-history tbody tr:first-child td:nth-child(2)`,
    ({ richest, currencyId }) => [fixed(richest.mosaics.find(({ id }) => id === currencyId)?.amount ?? 0)],
  ],
  [account, field("transactions-total"), ({ ofRichest }) => [ofRichest]],
  [mosaic, field("supply"), ({ supply }) => [short(supply)]],
  [mosaic, "#supply-history tbody tr:first-child td:nth-child(2)", ({ supply }) => [fixed(supply)]],
  [mosaic, field("holders-total"), ({ holders }) => [String(holders.length)]],
  [mosaic, column("holders", 2), ({ holders }) => holders.slice(0, 20).map(({ amount }) => fixed(amount))],
  [mosaic, column("past-holders", 2), ({ holders }) => holders.slice(0, 20).map(({ amount }) => fixed(amount))],
];

/** Texts that a page writes at the axes of its charts, which have no text of their own. */
const RECORD_AXES = `
  globalThis.axes = [];
  const write = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    globalThis.axes.push(text);
    return write.call(this, text, ...place);
  };`;

const transfers =
  (count: number) =>
  async ({ devnet }: DevnetFixture) => {
    const [alice, bob] = devnet.accounts;
    for (let made = 0; made < count; made++) {
      devnet.announce(transferPayload(devnet, alice!, bob!.address, 1_500_000n));
      await devnet.harvest(1);
    }
    if (count > 0) devnet.finalize(devnet.height);
  };
const CHAINS = { nothing: transfers(0), "one transaction": transfers(1), few: transfers(4), many: undefined } as const;

describeIfBrowser("figures against REST", (browser) => {
  describe.each(Object.entries(CHAINS))("of a chain with %s", (_name, populate) => {
    const stack = RestStack.use(populate ? { populate } : realisticStack());
    let facts: RestFacts;

    beforeAll(async () => {
      facts = await readRestFacts(stack.url);
    });

    async function open(path: string): Promise<Page> {
      const page = await browser.newPage({ locale: "en-US", viewport: { width: 1_920, height: 1_080 } });
      await page.addInitScript(RECORD_AXES);
      await page.goto(`${stack.url}/explorer${path}`);
      await page.waitForLoadState("networkidle");
      return page;
    }

    test("each figure is that of REST, and each axis of the days that it is about", async () => {
      const wrong: unknown[] = [];
      for (const path of new Set(FIGURES.map(([pageOf]) => pageOf(facts)))) {
        const page = await open(path);
        for (const [pageOf, selector, textsOf] of FIGURES.filter(([one]) => one(facts) === path)) {
          const shown = await page.locator(selector).evaluateAll((all) => all.map((one) => one.textContent ?? ""));
          const texts = shown.map((text) => text.replaceAll(",", "").trim());
          const expected = textsOf(facts);
          if (JSON.stringify(texts) !== JSON.stringify(expected))
            wrong.push({ path: pageOf(facts), selector, texts, expected });
        }
        const axes = await page.evaluate("globalThis.axes");
        const [from, until] = [facts.days.at(-1)!.start - 86_400_000, Date.now() + 86_400_000];
        for (const text of axes as string[]) {
          const isDay = /^[A-Z][a-z]{2} \d{1,2}$/.test(text);
          const years = [new Date(from).getUTCFullYear(), new Date(until).getUTCFullYear()];
          const times = isDay ? years.map((year) => Date.parse(`${text}, ${year} UTC`)) : [];
          const isWithin = !isDay || times.some((ms) => ms >= from - 86_400_000 && ms <= until);
          if (!isWithin || /NaN|Infinity/.test(text)) wrong.push({ path, axis: text });
        }
        await page.close();
      }
      expect(wrong).toEqual([]);
    });
  });
});
