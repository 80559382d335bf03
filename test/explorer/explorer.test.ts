import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { sql } from "kysely";
import type { BrowserContextOptions, Page } from "playwright-core";
import { encodeAddress } from "../../catapult/entity/address.js";
import { holdAnnouncement, recordAnnouncement } from "../../database/mempool/announcements.js";
import { describeIfBrowser } from "../support/browser.js";
import { RecordedChain } from "../support/recorded-chain.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";
import { expectAccessible } from "./accessible.js";

// Every page of the explorer in Chromium, over the recorded chain: what it shows is what the gateway's REST answers and
// the database hold.

describeIfBrowser("the explorer", (browser) => {
  const chain = new RecordedChain();
  const served = RecordedStateGateway.use(chain, { resourcesDirectory: chain.path("resources") });
  /** Errors of pages, and requests to other servers. */
  const complaints: string[] = [];

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 900 }, ...options });
    page.on("pageerror", (error) => complaints.push(`${path}: ${error.message}`));
    page.on("console", (message) => {
      // What the node of this test does not have is said on the page.
      if (message.type() === "error" && !message.text().includes("status of 503"))
        complaints.push(`${path}: ${message.text()}`);
    });
    page.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(served.url)) complaints.push(request.url());
    });
    await page.goto(`${served.url}/explorer/${path}`);
    return page;
  }

  const field = async (page: Page, name: string) =>
    ((await page.locator(`[data-field="${name}"]`).first().textContent()) ?? "").trim();
  const rows = (page: Page, id: string) =>
    page
      .locator(`#${id} tbody tr`)
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent?.trim() ?? "")),
      );
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every form
  const rest = async (path: string): Promise<any> => (await served.get(path)).body;
  const plain = (text: string) => text.replaceAll(",", "");
  const amount = (units: string | number | bigint, divisibility: number) => {
    const digits = String(units).padStart(divisibility + 1, "0");
    if (divisibility === 0) return digits;
    return `${digits.slice(0, -divisibility)}.${digits.slice(-divisibility)}`.replace(/\.?0+$/, "");
  };
  /** As in columns of figures. */
  const fixed = (units: string | number | bigint, divisibility: number) => {
    const [whole, places = ""] = amount(units, divisibility).split(".");
    return divisibility === 0 ? whole! : `${whole}.${places.padEnd(divisibility, "0")}`;
  };

  test("a block: its hash, receipts and neighbors", async () => {
    const {
      rows: [row],
    } = await sql<{ height: number }>`
      select height from blocks where height > 1 order by transactions_count desc, height limit 1`.execute(
      served.index.db,
    );
    const height = row!.height;
    const { meta } = await rest(`/blocks/${height}`);
    const page = await open(`block/${height}`);
    await page.locator("#transactions tbody tr").first().waitFor();
    await page.locator("#statements tbody tr").first().waitFor();
    expect(await field(page, "hash")).toContain(meta.hash);
    expect(plain(await field(page, "totalTransactionsCount"))).toBe(String(meta.totalTransactionsCount));
    const statements = await rest(`/statements/transaction?height=${height}&pageSize=100`);
    const receipts = statements.data.flatMap(
      ({ statement }: { statement: { receipts: unknown[] } }) => statement.receipts,
    );
    expect((await rows(page, "statements")).length).toBe(receipts.length);
    expect(receipts.length).toBeGreaterThan(statements.data.length);
    expect(plain(await field(page, "statements-total"))).toBe(String(receipts.length));
    await page.getByText("Next block").click();
    await page.waitForFunction((next) => document.title.includes(next), (height + 1).toLocaleString("en-US"));
    await page.close();
  });

  test("an aggregate: embedded transactions, cosignatures, fee, resolved aliases", async () => {
    const { data } = await rest("/transactions/confirmed?type=16961&pageSize=10");
    const [{ meta, transaction: listed }] = data;
    const { transaction } = await rest(`/transactions/confirmed/${meta.hash}`);
    const page = await open(`transaction/${meta.hash}`);
    await page.locator("#embedded tbody tr").first().waitFor();
    expect(await field(page, "hash")).toContain(meta.hash);
    expect(plain(await field(page, "height"))).toBe(meta.height);
    expect((await rows(page, "embedded")).length).toBe(transaction.transactions.length);
    expect((await rows(page, "cosignatures")).length).toBe(transaction.cosignatures.length);
    expect(await page.locator(".lifecycle li").count()).toBe(2);
    const { height: head } = await rest("/chain/info");
    expect(plain(await field(page, "confirmations"))).toBe(`${Number(head) - Number(meta.height) + 1} confirmations`);
    const { block } = await rest(`/blocks/${meta.height}`);
    expect(plain(await field(page, "fee"))).toContain(amount(BigInt(block.feeMultiplier) * BigInt(listed.size), 6));
    await page.close();
  });

  test("an alias in a transfer is shown with its target", async () => {
    const { data: statements } = await rest("/statements/resolutions/address?pageSize=100");
    const aliases = statements.map(({ statement }: { statement: { unresolved: string } }) => statement.unresolved);
    const { data } = await rest(
      `/transactions/confirmed?recipientAddress=${encodeAddress(Buffer.from(aliases[0], "hex"))}`,
    );
    const [transfer] = data;
    const page = await open(`transaction/${transfer.meta.hash}`);
    await page.locator("#resolutions td.main", { hasText: "." }).first().waitFor();
    const [first] = await rows(page, "resolutions");
    expect(first).toEqual([
      expect.stringMatching(/^[a-z0-9]+\.child$/),
      expect.stringMatching(/^account [A-Z2-7]{39}$/),
    ]);
    await page.close();
  });

  test("an account: the history of its balances, transactions by filter", async () => {
    const {
      data: [holder],
    } = await rest(`/accounts?orderBy=balance&order=desc&pageSize=10&mosaicId=${await currencyId()}`);
    const { account } = holder;
    const page = await open(`account/${account.publicKey}`);
    await page.locator("#transactions tbody tr").first().waitFor();
    const first = account.mosaics[0];
    const { mosaic } = await rest(`/mosaics/${first.id}`);
    await page.locator(".plot canvas").first().waitFor();
    await page.locator("summary").first().click();
    const [newest] = await rows(page, "balance-history");
    expect(plain(newest![1]!)).toBe(fixed(first.amount, mosaic.divisibility));
    const address = ((await page.locator("h1 code").textContent()) ?? "").trim();
    for (const [role, filter] of [
      ["any", `address=${address}`],
      ["signer", `signerPublicKey=${account.publicKey}`],
      ["recipient", `recipientAddress=${address}`],
    ]) {
      await page.locator("select[name=role]").selectOption(role!);
      const { pagination } = await rest(`/transactions/confirmed?${filter}`);
      await page.waitForFunction(
        (total) => document.querySelector('[data-field="transactions-total"]')?.textContent === total,
        pagination.totalEntries.toLocaleString("en-US"),
      );
    }
    await page.close();
  });

  test("a multisig account: its tree", async () => {
    const {
      rows: [row],
    } = await sql<{ address: Buffer }>`
      select address from multisigs where min_approval > 0 limit 1`.execute(served.index.db);
    const page = await open(`account/${encodeAddress(row!.address)}`);
    await page.locator("svg.multisig a").first().waitFor();
    const graph = await rest(`/account/${encodeAddress(row!.address)}/multisig/graph`);
    const entries = graph.flatMap(({ multisigEntries }: { multisigEntries: unknown[] }) => multisigEntries);
    expect(await page.locator("svg.multisig a").count()).toBe(entries.length);
    await page.close();
  });

  test("a mosaic: holders at a height, and the history of its supply", async () => {
    const id = await currencyId();
    const page = await open(`mosaic/${id}`);
    await page.locator("#holders tbody tr").first().waitFor();
    await page.locator("#past-holders tbody tr").first().waitFor();
    await page.setViewportSize({ width: 360, height: 700 });
    const shown = await page.locator("#holders td.number").first().boundingBox();
    expect(shown!.x + shown!.width).toBeLessThanOrEqual(360);
    const { height: head } = await rest("/chain/info");
    expect(await page.locator("#holders-height").inputValue()).toBe(head);
    // The supply before its first change is 0: the chart's figures are all of the chain's.
    await page.locator(".plot canvas").first().waitFor();
    expect(await page.getByText("are not shown").count()).toBe(0);
    await page.locator("summary").first().click();
    // By time: the oldest change of the supply is as old as its block.
    expect((await rows(page, "supply-history")).at(-1)![0]).toMatch(/^block [\d,]+, .*\d{4}/);
    await page.close();
  });

  test("a namespace, by id and by name", async () => {
    const { data } = await rest("/namespaces?aliasType=1&pageSize=10");
    const { namespace } = data[0];
    const id = namespace.level2 ?? namespace.level1 ?? namespace.level0;
    const [{ name, parentId }] = (await served.post("/namespaces/names", { namespaceIds: [id] })).body.filter(
      (one: { id: string }) => one.id === id,
    );
    const page = await open(`namespace/${id}`);
    await page.locator('[data-field="alias"]').waitFor();
    expect(await field(page, "name")).toContain(name);
    expect(await field(page, "alias")).toContain("mosaic");
    expect(plain(await field(page, "startHeight"))).toBe(namespace.startHeight);
    await page.close();
    if (parentId === undefined) {
      const byName = await open(`namespace/${name}`);
      await byName.locator('[data-field="alias"]').waitFor();
      expect(await byName.locator("h1 code").textContent()).toBe(id);
      await byName.close();
    }
  });

  test("the list of transactions: its first and its last page, and the total", async () => {
    const page = await open("transactions");
    for (const number of [1, undefined]) {
      if (number === undefined) {
        await page.getByText("Last", { exact: true }).click();
        await page.waitForURL(/[?&]page=/);
      }
      await page.locator("#list tbody tr").first().waitFor();
      const asked = number ?? new URL(page.url()).searchParams.get("page");
      const { data, pagination } = await rest(`/transactions/confirmed?order=desc&pageSize=25&pageNumber=${asked}`);
      expect(data.length).toBeGreaterThan(0);
      expect((await rows(page, "list")).map((cells) => plain(cells[2]!))).toEqual(
        data.map(({ meta }: { meta: { height: string } }) => meta.height),
      );
      expect(plain(await field(page, "list-total"))).toBe(String(pagination.totalEntries));
    }
    await page.close();
  });

  test("the list of transactions by type, account and day, and as a file", async () => {
    const {
      data: [{ transaction }],
    } = await rest("/transactions/confirmed?type=16724&pageSize=10");
    const page = await open("transactions");
    await page.locator("select[name=type]").selectOption("16724");
    const { address } = (await rest(`/accounts/${transaction.signerPublicKey}`)).account;
    await page.locator("input[name=account]").fill(encodeAddress(Buffer.from(address, "hex")).toLowerCase());
    await page.locator("input[name=until]").fill("2999-12-31");
    await page.getByText("Show", { exact: true }).click();
    await page.waitForURL(/type=16724/);
    await page.locator("#list tbody tr").first().waitFor();
    const filter = `type=16724&address=${encodeAddress(Buffer.from(address, "hex"))}`;
    const { pagination } = await rest(`/transactions/confirmed?${filter}`);
    expect(plain(await field(page, "list-total"))).toBe(String(pagination.totalEntries));
    const file = await page.locator("a[download]").getAttribute("href");
    const [header, ...lines] = (await (await fetch(file!)).text()).trim().split("\n");
    expect(header).toMatch(/^time,height,id,hash,/);
    // A transaction has a line for each mosaic.
    const hashes = new Set(lines.map((line) => line.split(",")[3]));
    expect(hashes.size).toBe(pagination.totalEntries);
    await page.close();
  });

  test("an announcement that no node has reported: what it waits for", async () => {
    const { db } = served.index;
    const hash = Buffer.alloc(32, 1);
    const [lockHash, deadline] = [Buffer.alloc(32, 2), Number.MAX_SAFE_INTEGER];
    // The indexer rejects an aggregate whose lock has not been announced.
    const lock = {
      hash: lockHash,
      kind: "transaction",
      payload: Buffer.concat([Buffer.alloc(152), hash]),
      deadline,
    } as const;
    await recordAnnouncement(db, lock, Buffer.alloc(32));
    await holdAnnouncement(db, { hash, kind: "partial", payload: Buffer.alloc(168), deadline }, "client");
    for (const [key, group, waitsFor] of [
      [hash, "partial", "its hash lock, in a block"],
      [lockHash, "unconfirmed", "a report of the node"],
    ] as const) {
      const page = await open(`transaction/${key.toString("hex").toUpperCase()}`);
      await page.locator("#missing, [data-field=hash]").waitFor();
      expect(await page.locator("h1").textContent()).toBe(`Transaction ${group}`);
      expect(await field(page, "waits-for")).toBe(waitsFor);
      expect(await page.getByText("9,007,199,254,740,991 ms after the epoch").count()).toBe(1);
      if (key === hash) await expectAccessible(page);
      await page.close();
    }
    await db.deleteFrom("announcements").execute();
  });

  test("a rejected transaction: why in words, with the code; a code without words stays", async () => {
    const { db } = served.index;
    const statuses = [
      [3, "Failure_Core_Past_Deadline", "The deadline has passed. Failure_Core_Past_Deadline"],
      [4, "unknown status 0x8043FFFF", "unknown status 0x8043FFFF"],
    ] as const;
    for (const [byte, code, reason] of statuses) {
      const hash = Buffer.alloc(32, byte);
      const status = { hash, code, deadline: 1n, from_node: true, recorded_at: new Date() };
      await db.insertInto("transaction_statuses").values(status).execute();
      const page = await open(`transaction/${hash.toString("hex").toUpperCase()}`);
      await page.locator("#missing, [data-field=hash]").waitFor();
      expect((await field(page, "code"))?.trim()).toBe(reason);
      await expectAccessible(page);
      await page.close();
      await db.deleteFrom("transaction_statuses").where("hash", "=", hash).execute();
    }
  });

  test("a transfer in one sentence, and from the view of its two accounts", async () => {
    const { data } = await rest("/transactions/confirmed?type=16724&pageSize=100&order=asc");
    const own = (one: { transaction: { signerPublicKey: string; recipientAddress: string; mosaics: unknown[] } }) =>
      one.transaction.mosaics.length === 1 &&
      Number.parseInt(one.transaction.recipientAddress.slice(1, 2), 16) % 2 === 0;
    const { meta, transaction } = data.find(own);
    const to = encodeAddress(Buffer.from(transaction.recipientAddress, "hex"));
    const from = encodeAddress(
      Buffer.from((await rest(`/accounts/${transaction.signerPublicKey}`)).account.address, "hex"),
    );
    const page = await open(`transaction/${meta.hash}`);
    await page.locator(".summary .sentence").waitFor();
    expect(await page.locator(".summary .sentence").textContent()).toMatch(/ sent [\d,.]+ .* to /);
    const links = page.locator(".summary .sentence a");
    expect(await links.first().getAttribute("title")).toBe(from);
    expect(await links.last().getAttribute("title")).toBe(to);
    await page.close();
    for (const [address, direction, sign] of from === to
      ? []
      : ([
          [from, "out", "−"],
          [to, "in", "+"],
        ] as const)) {
      const list = await open(`account/${address}`);
      await list.locator("select[name=role]").selectOption(direction === "out" ? "signer" : "recipient");
      await list.locator(`#transactions .badge.${direction}`).first().waitFor({ state: "attached" });
      const cells = (await rows(list, "transactions")).filter(([, , badge]) => badge === direction);
      expect(cells.length).toBeGreaterThan(0);
      const amounts = cells.map((one) => one[5]!).filter((text) => text !== "");
      expect(amounts.filter((text) => !text.startsWith(sign))).toEqual([]);
      await list.close();
    }
  });

  test("an account that only cosigns has no signatures to count", async () => {
    const {
      rows: [row],
    } = await sql<{ address: Buffer }>`
      select address from multisigs where min_approval = 0 limit 1`.execute(served.index.db);
    const page = await open(`account/${encodeAddress(row!.address)}`);
    await page.locator('[data-field="multisigAddresses"]').waitFor();
    expect(await page.getByText("Signatures to approve").count()).toBe(0);
    await page.close();
  });

  test("the search box leads to each of them", async () => {
    const { meta, block } = await rest("/blocks/2");
    const {
      data: [{ account }],
    } = await rest("/accounts?pageSize=10");
    const address = encodeAddress(Buffer.from(account.address, "hex"));
    const id = await currencyId();
    const page = await open("node");
    for (const [text, path] of [
      ["2", "block/2"],
      [meta.hash, "block/2"],
      [block.signerPublicKey.toLowerCase(), "account/"],
      [address, `account/${address}`],
      [account.address, `account/${address}`],
      [id, `mosaic/${id}`],
    ]) {
      await page.locator("#search input").fill(text);
      await page.locator("#search button").click();
      await page.waitForURL((url) => url.pathname.startsWith(`/explorer/${path}`));
    }
    await page.locator("#search input").fill("nothing-of-this-name");
    await page.locator("#search button").click();
    await page.locator("#missing").waitFor();
    await page.close();
  });

  test("the search box suggests names with what they name, and what begins with a hash or an address", async () => {
    const { namespaces } = await served
      .ask(`{ namespaces(first: 100) { data { name alias { address mosaicId } } } }`)
      .then(({ data }) => data);
    const { name, alias } = namespaces.data.find((one: { alias: { mosaicId: string | null } }) => one.alias.mosaicId);
    const { meta } = await rest("/blocks/2");
    const {
      data: [transaction],
    } = await rest("/transactions/confirmed?pageSize=10");
    const {
      data: [{ account }],
    } = await rest("/accounts?pageSize=10");
    const address = encodeAddress(Buffer.from(account.address, "hex"));
    const page = await open("node");
    for (const [text, value, label] of [
      [name.slice(0, -1), alias.mosaicId, `${name}Mosaic`],
      [meta.hash.slice(0, 8).toLowerCase(), "2", "2Block"],
      [transaction.meta.hash.slice(0, 12), transaction.meta.hash, `${transaction.meta.hash}Transaction`],
      [address.slice(0, 10), address, `${address}Account`],
    ]) {
      await page.locator("#search input").fill(text);
      await page.locator(`#suggestions [title="${value}"]`).waitFor();
      expect(await page.locator(`#suggestions [title="${value}"]`).textContent()).toBe(label);
    }
    // With the keyboard too.
    await page.locator("#search input").press("ArrowDown");
    expect(await page.locator("#suggestions [aria-selected=true]").getAttribute("title")).toBe(address);
    await page.locator("#search input").press("Enter");
    await page.waitForURL(`**/account/${address}`);
    // Another last character is another checksum.
    const mistyped = `${address.slice(0, -2)}${address.at(-2) === "A" ? "B" : "A"}${address.at(-1)}`;
    await page.close();
    const other = await browser.newPage();
    await other.goto(`${served.url}/explorer/search?q=${mistyped}`);
    await other.waitForURL(`**/account/${mistyped}`);
    expect(await other.locator("[role=alert]").textContent()).toMatch(/^This address has a typing error/);
    await other.close();
  });

  test("the rows of a list as a file", async () => {
    const page = await open("accounts");
    await page.locator("#list tbody tr").first().waitFor();
    const total = Number(plain(await field(page, "list-total")));
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("Download as CSV").click()]);
    expect(download.suggestedFilename()).toBe("accounts.csv");
    const [header, ...lines] = readFileSync(await download.path(), "utf8")
      .trim()
      .split("\r\n");
    expect(header).toBe("address,names,importance,mosaics");
    expect(lines.length).toBe(Math.min(1_000, total));
    const shown = (await rows(page, "list"))[0]!;
    expect(lines[0]).toContain(shown[2]!.split(" ")[0]!.replaceAll(/[,.]/g, "").padEnd(6, "0"));
    await page.close();
    // From the page that is shown on.
    const second = await open("accounts?page=2");
    const address = second.locator("#list tbody a").first();
    const [rest] = await Promise.all([second.waitForEvent("download"), second.getByText("Download as CSV").click()]);
    const [, from] = readFileSync(await rest.path(), "utf8").split("\r\n");
    expect(from!.split(",")[0]).toBe(await address.getAttribute("title"));
    await second.close();
  });

  test("the balance of an account with very many changes, at the end of intervals from its beginning", async () => {
    const id = await currencyId();
    const {
      data: [{ account }],
    } = await rest(`/accounts?orderBy=balance&order=desc&pageSize=10&mosaicId=${id}`);
    const page = await browser.newPage();
    // No account of the chain has a thousand changes.
    await page.route("**/explorer/data?page=*", (route) => route.abort());
    await page.route("**/data/balanceHistory?*", async (route) => {
      const body = await (await route.fetch()).json();
      body.balanceHistory.pageInfo.hasNextPage = true;
      await route.fulfill({ json: body });
    });
    await page.goto(`${served.url}/explorer/account/${account.publicKey}`);
    await page.locator("#balance-history tbody tr").first().waitFor({ state: "attached" });
    const figures = await rows(page, "balance-history");
    expect(figures[0]![0]).toBe("now");
    expect(plain(figures[0]![1]!)).toBe(fixed(account.mosaics.find((one: { id: string }) => one.id === id).amount, 6));
    // The first block is as old as the network's time.
    const begin = Math.max(2, Number(account.addressHeight));
    const { data } = await served.ask(
      `{ block(height: ${begin}) { time } newest: blocks(first: 1) { data { time } } }`,
    );
    const [from, until] = [data.block.time, data.newest.data[0].time].map((time) => Date.parse(time));
    expect(figures.length).toBeGreaterThan(Math.min(300, (until! - from!) / 120_000));
    expect(Math.abs(new Date(figures.at(-1)![0]!).getTime() - from!)).toBeLessThan((Date.now() - from!) / 100);
    await page.close();
  });

  test("other text finds names that begin with it", async () => {
    const { namespaces } = (await served.ask("{ namespaces(first: 10, order: asc) { data { name } } }")).data;
    const [{ name }] = namespaces.data;
    const prefix = name.slice(0, -1);
    const page = await open(`search?q=${prefix}`);
    await page.locator("#found tbody tr").first().waitFor();
    const found = (await rows(page, "found")).map(([one]) => one);
    expect(found).toEqual(found.map(() => expect.stringMatching(`^${prefix}`)));
    await page.close();
  });

  test("a mistyped key is said in words, and a path without a page is a page for people", async () => {
    for (const [path, problem] of [
      ["account/TABC", "TABC is neither an address, which has 39 letters and digits, nor a public key"],
      ["block/x", "x is not a height"],
      ["mosaic/12", "12 is not the id of a mosaic"],
      ["transaction/0", "0 is not the hash of a transaction"],
    ] as const) {
      const page = await open(path);
      expect(await page.locator("#missing").textContent()).toContain(problem);
      await page.close();
    }
    for (const [filter, problem] of [
      ["account=TABC", "TABC is neither an address, "],
      ["mosaic=12", "12 is not the id of a mosaic"],
      ["from=yesterday", "the value must be a date or time of ISO 8601"],
    ] as const) {
      const list = await browser.newPage();
      await list.goto(`${served.url}/explorer/transactions?${filter}`);
      expect((await list.locator("[role=alert]").textContent())?.startsWith(problem)).toBe(true);
      await list.close();
    }
    const answer = await fetch(`${served.url}/explorer/nothing`, { headers: { accept: "text/html" } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    const page = await browser.newPage();
    await page.goto(`${served.url}/explorer/nothing/of/it`);
    expect(await page.locator("#missing").textContent()).toContain("There is no page with this address");
    await page.close();
  });

  test("what does not exist is said, and nothing else is asked", async () => {
    for (const path of [`transaction/${"0".repeat(64)}`, "namespace/no.such.name"]) {
      const page = await open(path);
      await page.locator("#missing").waitFor();
      await page.close();
    }
    expect((await fetch(`${served.url}/explorer/nothing`)).status).toBe(404);
    expect((await fetch(`${served.url}/explorer/block`)).status).toBe(404);
    expect(complaints).toEqual([]);
  });

  const currencyId = async () =>
    (await rest("/network/properties")).chain.currencyMosaicId.replace(/0x|'/g, "").toUpperCase();
});
