import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import pg from "pg";
import { encodeAddress } from "../../catapult/entity/address.js";
import { generateNamespaceId } from "../../catapult/entity/generated-id.js";
import { idText } from "../../catapult/json/format.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { routes } from "../../gateway/rest/routes/table.js";
import { formatWholeUnits } from "../../schema/graph/formats.js";
import { readCsv } from "../support/csv.js";
import { collectOwnGarbage } from "../support/garbage-collector.js";
import { RestStack } from "../support/rest-stack.js";
import { TransactionMaker } from "../support/transaction-maker.js";
import { aggregatePayload, transferOf, transferPayload } from "../support/transfers.js";
import { until } from "../support/until.js";
import { whileLocked } from "./table-lock.js";

const FORMULA = '=HYPERLINK("http://evil.example",\r\n"click")';
/** Rows of the long export; a million by `TEST_EXPORT_ROWS=1000000`. */
const ROWS = Number(process.env.TEST_EXPORT_ROWS ?? 10_000);
const MAX_GROWTH = 32 * 1024 * 1024;

let currency: string;

const stack = RestStack.use({
  populate: async ({ devnet }) => {
    const [alice, bob] = devnet.accounts as [DevnetAccount, DevnetAccount];
    for (const [place, text] of ["hello", FORMULA, "-1+1", undefined].entries()) {
      devnet.announce(transferPayload(devnet, alice, bob.address, 1_500_000n + BigInt(place), text));
      if (place % 2 === 0) devnet.announce(aggregatePayload(devnet, bob, alice, 3n));
      await devnet.harvest(1);
    }
    currency = idText(devnet.currencyMosaicId);
  },
});

const addressOf = (place: number) => encodeAddress(stack.node.devnet.accounts[place]!.address);

async function rows(path: string): Promise<Record<string, string>[]> {
  const { status, headers, text } = await stack.get(path);
  expect({ status, type: headers.get("content-type") }).toEqual({
    status: 200,
    type: "text/csv; charset=utf-8; header=present",
  });
  return readCsv(text);
}

async function json<Body>(path: string): Promise<Body> {
  return (await stack.get(path)).body;
}

/** Atomic units of an amount in whole units of the currency. */
const atomic = (amount: string) => BigInt(amount.replace(".", ""));

describe("the books of an account", () => {
  test("add up to its balances, with times of the blocks and amounts in whole units", async () => {
    const books = await rows(`/accounts/${addressOf(0)}/movements.csv`);
    const { account } = await json<{ account: { mosaics: { id: string; amount: string }[] } }>(
      `/accounts/${addressOf(0)}`,
    );
    expect(account.mosaics.length).toBeGreaterThan(0);
    for (const { id, amount } of account.mosaics) {
      const ofMosaic = books.filter(({ mosaic }) => mosaic === id);
      expect(ofMosaic.at(-1)?.balance).toBe(formatWholeUnits(BigInt(amount), Number(ofMosaic[0]?.divisibility)));
      const sums = ofMosaic.map((_, place) =>
        ofMosaic.slice(0, place + 1).reduce((total, { change = "0" }) => total + atomic(change), 0n),
      );
      expect(ofMosaic.map(({ balance = "" }) => atomic(balance))).toEqual(sums);
    }
    const last = books.findLast(({ cause }) => cause === "transfer");
    expect(last?.change).toMatch(/^-?\d+\.\d{6}$/);
    const { block } = await json<{ block: { timestamp: string } }>(`/blocks/${last?.height}`);
    const epoch = stack.node.devnet.rules.epochAdjustment * 1_000;
    expect(last?.time).toBe(new Date(epoch + Number(block.timestamp)).toISOString());
  });

  test("name the transaction, the cause and the counterparty", async () => {
    const [signer, recipient] = [
      await rows(`/accounts/${addressOf(0)}/movements.csv`),
      await rows(`/accounts/${addressOf(1)}/movements.csv`),
    ];
    const sent = signer.findLast(({ cause, embedded }) => cause === "transfer" && embedded === "");
    expect(sent).toMatchObject({ counterparty: addressOf(1), change: "-1.500003", mosaic: currency });
    expect(recipient.find(({ hash, cause }) => hash === sent?.hash && cause === "transfer")).toMatchObject({
      counterparty: addressOf(0),
      change: "1.500003",
    });
    const { transaction, meta } = await json<{ transaction: { size: number }; meta: { feeMultiplier: number } }>(
      `/transactions/confirmed/${sent?.hash}`,
    );
    const fee = signer.find(({ hash, cause }) => hash === sent?.hash && cause === "fee");
    expect(atomic(fee?.change ?? "")).toBe(-BigInt(transaction.size * meta.feeMultiplier));
    expect(recipient.some(({ embedded }) => embedded === "0")).toBe(true);
  });

  test("are the same by public key, between heights and times, and of one mosaic", async () => {
    const path = `/accounts/${addressOf(0)}/movements.csv`;
    const key = stack.node.devnet.accounts[0]!.publicKey.toString("hex");
    const all = await rows(path);
    expect(await rows(`/accounts/${key}/movements.csv`)).toEqual(all);
    const own = all.filter(({ mosaic }) => mosaic === currency);
    expect(await rows(`${path}?mosaicId=${currency}`)).toEqual(own);
    expect(own.length).toBeGreaterThan(4);
    const [from, to] = [all[2], all.at(-1)];
    const some = all.filter(
      ({ height }) => Number(height) >= Number(from?.height) && Number(height) <= Number(to?.height),
    );
    expect(await rows(`${path}?fromHeight=${from?.height}&toHeight=${to?.height}`)).toEqual(some);
    // The same by times: the end is exclusive.
    const before = new Date(Date.parse(to?.time ?? "") + 1).toISOString();
    expect(await rows(`${path}?fromTime=${from?.time}&toTime=${before}`)).toEqual(some);
    expect(await rows(`${path}?fromTime=${from?.time}&toTime=${from?.time}`)).toEqual([]);
    const query = `{ account(address: "${addressOf(0)}") {
      movements(first: 1000, order: asc, fromTime: "${from?.time}", toTime: "${before}") { data { time cause } } } }`;
    expect((await stack.ask(query)).data.account.movements.data).toEqual(
      some.map(({ time, cause }) => ({ time, cause })),
    );
  });

  test("have what was received and sent in a block after which the balance is as before, by every interface", async () => {
    const { devnet } = stack.node;
    const [alice, bob] = devnet.accounts;
    devnet.announce(aggregatePayload(devnet, bob!, alice!, 7n));
    await stack.harvest();
    const { height } = devnet;
    const path = `/accounts/${addressOf(0)}/movements.csv?fromHeight=${height}&toHeight=${height}`;
    const changes = ["0.000007", "-0.000007"];
    for (const filter of ["", `&mosaicId=${currency}`])
      expect((await rows(`${path}${filter}`)).map(({ change }) => change)).toEqual(changes);
    const query = `{ account(address: "${addressOf(0)}") {
      all: movements(fromHeight: ${height}, order: asc) { data { change } }
      some: movements(fromHeight: ${height}, order: asc, mosaicId: "${currency}") { data { change } }
      balanceHistory(mosaicId: "${currency}", first: 1) { data { height change } } } }`;
    const { data } = await stack.ask(query);
    const moved = { data: [{ change: "7" }, { change: "-7" }] };
    expect(data.account).toEqual({ all: moved, some: moved, balanceHistory: { data: [{ height, change: "0" }] } });
    const { rows: inSql } = await sql<Record<"change" | "received" | "sent", string>>`
      select change, received, sent from analytics.balance_changes
      where address = ${addressOf(0)} and height = ${height}`.execute(stack.index.db);
    expect(inSql.map((row) => [row.change, row.received, row.sent].map(Number))).toEqual([[0, 7, 7]]);
  });

  test("have a key for each row, also where a transfer has a mosaic by its id and by its name", async () => {
    const { devnet } = stack.node;
    const [alice, bob] = devnet.accounts;
    const named = generateNamespaceId("xym", generateNamespaceId("symbol"));
    const payload = new TransactionMaker(devnet).transaction(alice!, {
      ...transferOf(devnet, bob!.address, 5n, "twice"),
      mosaics: [devnet.currencyMosaicId, named].map((mosaicId) => ({ mosaicId, amount: 5n })),
    });
    devnet.announce(payload);
    await stack.harvest();
    const { height } = devnet;
    const path = `/accounts/${addressOf(1)}/movements.csv?fromHeight=${height}`;
    const found = await rows(path);
    const { key: _, balance: __, ...row } = found[0] ?? {};
    expect(row).toMatchObject({ change: "0.000005", mosaic: currency, message: "twice" });
    expect(found).toMatchObject([row, row]);
    expect(new Set(found.map(({ key }) => key)).size).toBe(2);
    expect(found[0]?.key).toMatch(new RegExp(`^${found[0]?.hash}-\\d+$`));

    // The same keys in another block.
    const earlier = (await rows(`/accounts/${addressOf(1)}/movements.csv`)).map(({ key }) => key);
    devnet.fork({ from: height - 1, blocks: 2, keepTransactions: true });
    await stack.caughtUp();
    const moved = await rows(path);
    expect(moved.map(({ height: at }) => at)).toEqual(found.map(() => String(height + 1)));
    expect((await rows(`/accounts/${addressOf(1)}/movements.csv`)).map(({ key }) => key)).toEqual(earlier);
    const ofOther = (await rows(`/accounts/${addressOf(0)}/movements.csv`)).map(({ key }) => key);
    expect(new Set([...earlier, ...ofOther]).size).toBe(earlier.length + ofOther.length);
  });

  test.each([
    ["/accounts/nonsense/movements.csv", 400, "InvalidContent"],
    ["/accounts/{unknown}/movements.csv", 404, "ResourceNotFound"],
    ["/accounts/{alice}/movements.csv?fromHeight=5&toHeight=2", 409, "InvalidArgument"],
    ["/accounts/{alice}/movements.csv?fromTime=2025-02-30", 400, "InvalidContent"],
    ["/accounts/{alice}/movements.csv?fromTime=2026-01-01&toTime=2025-01-01", 409, "InvalidArgument"],
    ["/transactions/confirmed.csv?fromTransferAmount=1", 409, "InvalidArgument"],
    ["/transactions/confirmed.csv?height=5&fromHeight=6", 409, "InvalidArgument"],
    ["/mosaics/1111111111111111/holders.csv", 404, "ResourceNotFound"],
    ["/mosaics/{currency}/holders.csv?height=1&time=2026-01-01", 409, "InvalidArgument"],
  ])("%s is rejected", async (path, status, code) => {
    const known = path
      .replace("{alice}", addressOf(0))
      .replace("{unknown}", "0".repeat(64))
      .replace("{currency}", currency);
    expect(await stack.get(known)).toMatchObject({ status, body: { code } });
  });
});

describe("blocks and holders", () => {
  test("blocks are those of the list, with addresses and fees in whole units", async () => {
    type Listed = { block: Record<string, string>; meta: Record<string, string | number> };
    const { data } = await json<{ data: Listed[] }>("/blocks?order=asc&pageSize=100");
    const lines = await rows("/blocks.csv");
    expect(lines.map(({ height }) => height)).toEqual(data.map(({ block }) => block.height));
    expect(lines.map(({ hash, fee_multiplier, difficulty }) => [hash, fee_multiplier, difficulty])).toEqual(
      data.map(({ block, meta }) => [meta.hash, String(block.feeMultiplier), block.difficulty]),
    );
    expect(lines.map(({ fee = "" }) => atomic(fee))).toEqual(data.map(({ meta }) => BigInt(meta.totalFee ?? 0)));
    expect(lines.at(-1)?.harvester).toMatch(/^[A-Z2-7]{39}$/);
    expect((await rows("/blocks.csv?fromHeight=2&toHeight=3")).map(({ height }) => height)).toEqual(["2", "3"]);
  });

  test("holders are those of GraphQL, at a height, at its time, and now", async () => {
    const path = `/mosaics/${currency}/holders.csv`;
    const height = 3;
    const [{ time = "" } = {}] = await rows(`/blocks.csv?fromHeight=${height}&toHeight=${height}`);
    const query = async (point: string) =>
      (
        await stack.ask(`{ holdersAt(mosaicId: "${currency}", ${point}, first: 1000) { data { address amount } }
          topHoldersAt(mosaicId: "${currency}", ${point}) { address amount } }`)
      ).data;
    const at = await query(`height: ${height}`);
    expect(await query(`time: "${time}"`)).toEqual(at);
    const before = new Date(Date.parse(time) - 1).toISOString();
    expect(await query(`time: "${before}"`)).toEqual(await query(`height: ${height - 1}`));
    const lines = await rows(`${path}?height=${height}`);
    expect(await rows(`${path}?time=${time}`)).toEqual(lines);
    expect({ data: lines.map(({ address, amount = "" }) => ({ address, amount: String(atomic(amount)) })) }).toEqual(
      at.holdersAt,
    );
    expect(lines.length).toBeGreaterThan(2);
    expect((await rows(path))[0]?.height).toBe(String(stack.node.devnet.height));
    for (const [point, message] of [
      ["", "either height or time is required"],
      [`, height: 1, time: "${time}"`, "either height or time is required"],
      [', time: "2001-01-01"', "time must not be before the first block"],
    ] as const)
      expect(await stack.ask(`{ holdersAt(mosaicId: "${currency}"${point}) { data { address } } }`)).toMatchObject({
        errors: [{ message: expect.stringContaining(message) }],
      });
  });
});

describe("confirmed transactions", () => {
  test.each([
    ["", ""],
    ["embedded=true", ""],
    ["address={bob}", ""],
    ["address={bob}&embedded=true&type=16724", ""],
    ["signerPublicKey={alice}&type=16724&type=16705", "order=asc"],
    ["transferMosaicId={currency}&fromTransferAmount=1500001", ""],
  ])("are those of the list: %s %s", async (filter, order) => {
    const query = `${filter
      .replace("{bob}", addressOf(1))
      .replace("{alice}", stack.node.devnet.accounts[0]!.publicKey.toString("hex"))
      .replace("{currency}", currency)}&${order}`;
    type Listed = { id: string; meta: { height: string }; transaction: { type: number; mosaics?: unknown[] } };
    const { data } = await json<{ data: Listed[] }>(`/transactions/confirmed?pageSize=100&${query}`);
    const lines = await rows(`/transactions/confirmed.csv?${query}`);
    expect(data.length).toBeGreaterThan(1);
    expect([...new Set(lines.map(({ id }) => id))]).toEqual(data.map(({ id }) => id));
    expect(lines).toHaveLength(data.reduce((sum, { transaction: t }) => sum + Math.max(1, t.mosaics?.length ?? 0), 0));
  });

  test("have resolved addresses, amounts and fees in whole units, and texts that no spreadsheet takes for formulas", async () => {
    const lines = await rows(
      `/transactions/confirmed.csv?signerPublicKey=${stack.node.devnet.accounts[0]!.publicKey.toString("hex")}&recipientAddress=${addressOf(1)}&order=asc`,
    );
    expect(lines.map(({ message }) => message)).toEqual(["hello", `'${FORMULA}`, "'-1+1", "", "twice", "twice"]);
    expect(lines[1]).toMatchObject({
      type: "16724",
      type_name: "transfer",
      signer: addressOf(0),
      recipient: addressOf(1),
      mosaic: currency,
      amount: "1.500001",
      divisibility: "6",
    });
    expect(lines[1]?.fee).toMatch(/^0\.\d{6}$/);
  });

  test("are found by the names of their types in GraphQL, as by the numbers", async () => {
    const find = async (types: string) =>
      (await stack.ask(`{ transactions(${types}, page: { pageSize: 100 }) { data { id type typeName } } }`)).data
        .transactions.data as { type: number; typeName: string }[];
    const found = await find("typeName: [transfer, aggregate_complete]");
    expect(found).toEqual(await find("type: [16724, 16705]"));
    expect(found).toEqual(await find("type: [16724], typeName: [aggregate_complete]"));
    expect(new Set(found.map(({ type, typeName }) => `${type} ${typeName}`))).toEqual(
      new Set(["16724 transfer", "16705 aggregate_complete"]),
    );
    const { errors } = await stack.ask("{ transactions(typeName: [transfers]) { data { id } } }");
    expect(errors[0].message).toContain('Did you mean the enum value "transfer"?');
  });

  test("continue after an offset, and HEAD has the headers only", async () => {
    const all = await rows("/transactions/confirmed.csv");
    const after = await rows(`/transactions/confirmed.csv?offset=${all[0]?.id}`);
    expect(after).toEqual(all.filter(({ id }) => id !== all[0]?.id));
    const { status, headers, text } = await stack.get("/transactions/confirmed.csv", { method: "HEAD" });
    expect([status, text]).toEqual([200, ""]);
    expect(headers.get("content-disposition")).toBe('attachment; filename="transactions.csv"');
  });

  test.each(["/transactions/confirmed.csv", "/accounts/{alice}/movements.csv"])(
    "%s begins with a byte order mark if bom=1",
    async (path) => {
      const known = path.replace("{alice}", addressOf(0));
      const bytes = async (query: string) =>
        Buffer.from(await (await fetch(`${stack.url}${known}${query}`)).arrayBuffer());
      const plain = await bytes("");
      expect(await bytes("?bom=1")).toEqual(Buffer.concat([Buffer.from("efbbbf", "hex"), plain]));
      expect(await bytes("?bom=0")).toEqual(plain);
    },
  );
});

describe("a slow database", () => {
  beforeAll(() => stack.index.stop());

  const ask = () => stack.get(`/accounts/${addressOf(0)}/movements.csv`);

  /** Exports that wait for the database while something is done. */
  const exportsWhile = (count: number, work: () => Promise<unknown>) =>
    whileLocked(stack.index.url, ["balance_changes"], async (lock) => {
      const exports = Array.from({ length: count }, ask);
      await lock.isAwaitedBy(count);
      await work();
      return { exports };
    });

  test("a third export of one client is rejected, other requests are answered", async () => {
    const { exports } = await exportsWhile(2, async () => {
      expect([(await ask()).status, (await stack.get("/chain/info")).status]).toEqual([429, 200]);
    });
    expect((await Promise.all(exports)).map(({ status }) => status)).toEqual([200, 200]);
    await until(async () => (await ask()).status === 200, "it is accepted");
  });

  test("an export during which the chain switches branch does not look complete", async () => {
    const hash = sql<Buffer>`(select hash from head)`;
    const other = Buffer.alloc(32, 9);
    const { exports } = await exportsWhile(1, () =>
      stack.index.db.updateTable("blocks").set({ hash: other }).where("hash", "=", hash).execute(),
    );
    expect(await exports[0]).toMatchObject({
      status: 503,
      body: { message: "the chain switched branch during the export: request it again" },
    });
    await stack.index.db.updateTable("blocks").set({ hash }).where("hash", "=", other).execute();
  });
});

test("docs/rest.md has the columns of every file", async () => {
  const page = readFileSync(new URL("../../../docs/rest.md", import.meta.url), "utf8");
  const lacks: string[] = [];
  for (const { path } of routes.filter(({ mediaType }) => mediaType === "text/csv")) {
    const known = path.replace("{accountId}", addressOf(0)).replace("{mosaicId}", currency);
    const [header = ""] = (await stack.get(`${known}?toHeight=1`.replace(/(holders.*)\?.*/, "$1"))).text.split("\r\n");
    const row = page.split("\n").find((line) => line.startsWith(`| \`${path}\` |`)) ?? "";
    for (const column of header.split(","))
      if (!row.includes(`\`${column}\``)) lacks.push(`the table of "Exports" in docs/rest.md lacks ${path}: ${column}`);
  }
  expect(lacks).toEqual([]);
});

test(`${ROWS} rows take no more memory than a few, and come in order`, async () => {
  // Copies of the head's block, whose harvester each of them rewards. This connection has no statement timeout.
  const client = new pg.Client({ connectionString: stack.index.url });
  await client.connect();
  const { rows: heads } = await client.query<{ height: string; address: Buffer }>(`
    select head.height, k.key as address from head
    join receipts r on r.statement_id >> 32 = head.height and r.type = 8515 join keys k on k.id = r.target limit 1`);
  const last = Number(heads[0]!.height);
  const [from, to] = [last + 1, last + ROWS];
  const heights = `generate_series(${from}::int8, ${to}::int8) g`;
  await client.query(`
    insert into blocks select (jsonb_populate_record(b, jsonb_build_object(
      'height', g, 'timestamp', b.timestamp + (g - b.height) * 15000,
      'hash', '\\x' || lpad(to_hex(g), 64, '0')))).*
    from blocks b, ${heights} where b.height = ${last}`);
  await client.query(`
    insert into raw_blocks select g, ''::bytea, statement, ''::bytea from raw_blocks, ${heights} where height = ${last}`);
  await client.query(`
    insert into transaction_statements
    select (g << 32) | (id & 4294967295), primary_id, secondary_id, position, size
    from transaction_statements, ${heights} where id >> 32 = ${last} and primary_id = 0`);
  await client.query(`
    insert into balance_changes select change, received, mosaic, account, g from balance_changes, ${heights} where height = ${last}`);
  await client.query(`update head set height = ${to}, hash = (select hash from blocks where height = ${to})`);
  await client.query("analyze");
  await client.end();

  const response = await fetch(
    `${stack.url}/accounts/${encodeAddress(heads[0]!.address)}/movements.csv?fromHeight=${from}`,
  );
  collectOwnGarbage();
  const used = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const [before, rss] = [used(), process.memoryUsage().rss];
  let [peak, peakRss, lines, rest, parts] = [0, 0, -1, "", 0];
  let height = "";
  const text = new TextDecoder();
  for await (const part of response.body!) {
    const [...complete] = (rest + text.decode(part, { stream: true })).split("\r\n");
    rest = complete.pop() ?? "";
    lines += complete.length;
    height = complete.at(-1)?.split(",")[1] ?? height;
    parts += 1;
    peakRss = Math.max(peakRss, process.memoryUsage().rss);
    if (parts % 64 !== 0) continue;
    collectOwnGarbage();
    peak = Math.max(peak, used());
  }
  process.stderr.write(`export: ${lines} rows, live memory + ${peak - before}, resident + ${peakRss - rss} bytes\n`);
  expect([lines, height, rest]).toEqual([ROWS, String(to), ""]);
  expect(peak - before).toBeLessThan(MAX_GROWTH);
});
