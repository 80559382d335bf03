import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { encodeAddress } from "../../catapult/entity/address.js";
import { findHarvester } from "../../catapult/entity/harvester.js";
import type { VerifiedBlock } from "../../catapult/entity/model.js";
import { balanceChanges } from "../../catapult/state/balance-changes.js";
import { RECEIPT_TYPE, TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { RECEIPT_TYPES, TRANSACTION_TYPES } from "../../migrations/view-functions.js";
import { describeRecorded } from "../support/describe-chains.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { type Fact, factsOf, messageOf, recordedBlocks } from "../support/recorded-facts.js";
import { executedIndex } from "../support/recorded-index.js";
import { bodiesOfTable } from "../support/render-state.js";
import { SQL_PAGE, sqlQuestions, sqlStatements, withValues } from "../support/sql-questions.js";

const [BEGIN, END] = ["<!-- views: written from the comments in the database -->", "<!-- end of views -->"];
/** A line for each view. A column is added here by hand, and none is removed or changed. */
const STABLE_COLUMNS = new URL("../../../test/schema/analytics-columns.txt", import.meta.url);
const page = readFileSync(SQL_PAGE, "utf8");
const questions = sqlQuestions();
/** Blocks of the questions with a period: from the first to before the second. */
const [FIRST, END_BLOCK] = [60, 560];
const WORD = "two";

test("types have the names that they have everywhere", () => {
  expect(TRANSACTION_TYPES).toEqual(TRANSACTION_TYPE);
  expect(RECEIPT_TYPES).toEqual(RECEIPT_TYPE);
});

describeRecorded("SQL for people, over the recorded chain", (chain) => {
  const blocks = recordedBlocks(chain);
  const epochMs = chain.networkFile.epochAdjustment * 1_000;
  const facts = factsOf(blocks, epochMs);
  const currency = chain.networkFile.currencyMosaicId.toUpperCase();
  const inPeriod = ({ height }: VerifiedBlock) => height >= FIRST && height < END_BLOCK;
  const chosen = facts.filter(({ block }) => inPeriod(block));
  const timeAt = (height: number) => epochMs + (blocks[height - 1]?.timestamp ?? 0);
  const day = (time: number) => `${new Date(time).toISOString().slice(0, 10)}T00:00:00.000Z`;
  /** Questions about whole days: from that of the first block, which came long before the others, to the last of the period. */
  const aboutDays = [1, 2, 3, 4, 5, 12, 14];
  const inDays = ({ timestamp }: VerifiedBlock) => day(epochMs + timestamp) <= day(timeAt(END_BLOCK));
  const ofDays = facts.filter(({ block }) => inDays(block));
  const account = busiest(chosen.map(({ signer }) => signer));
  const values: Readonly<Record<string, string>> = {
    account,
    mosaic: currency,
    word: WORD,
    from: new Date(timeAt(FIRST)).toISOString(),
    to: new Date(timeAt(END_BLOCK)).toISOString(),
  };
  let index: IndexedDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    index = await executedIndex(chain);
    client = new pg.Client({ connectionString: index.url });
    await client.connect();
    await client.query("set role symbol_reader");
  });

  afterAll(async () => {
    await client?.end();
    await index?.drop();
  });

  /** Rows of a statement with the values of its variables, each value as text. */
  async function run(statement: string, own: Readonly<Record<string, string>> = {}): Promise<string[][]> {
    const text = withValues(statement, { ...values, ...own });
    const { rows } = await client.query<unknown[]>({ text, rowMode: "array" });
    return rows.map((row) => row.map(shown));
  }

  const bodies = (table: string) => bodiesOfTable(index.db, table);

  const month = (time: number) => `${new Date(time).toISOString().slice(0, 7)}-01T00:00:00.000Z`;
  const units = (amount: bigint) => shown(`${amount / 1_000_000n}.${String(amount % 1_000_000n).padStart(6, "0")}`);
  const feesOf = (some: readonly Fact[]) => sumOf(some.map(({ fee }) => fee ?? 0n));
  const namesById = new Map(
    facts.flatMap(({ entity }) =>
      entity.kind === "namespace_registration" ? [[idText(entity.id), entity.name.toString()] as const] : [],
    ),
  );

  /** The answers, computed from the bytes of blocks and from REST bodies. */
  const answers: Readonly<Record<number, () => string[][] | Promise<string[][]>>> = {
    1: () =>
      grouped(blocks.filter(inDays), (block) => day(epochMs + block.timestamp)).map(([key, some]) => {
        const ofDay = ofDays.filter(({ block }) => some.includes(block));
        return [key, sumOf(some.map((one) => one.transactions.length)), ofDay.length, units(feesOf(ofDay))].map(shown);
      }),
    2: () =>
      grouped(
        ofDays.filter(({ mosaics }) => mosaics.has(currency)),
        ({ time }) => day(time),
      ).map(([key, some]) => {
        const amount = sumOf(some.map(({ mosaics }) => mosaics.get(currency) ?? 0n));
        return [key, some.length, amount, units(amount)].map(shown);
      }),
    3: () =>
      grouped(ofDays, ({ time }) => day(time)).map(([key, some]) => [
        key,
        shown(new Set(some.map(({ signer }) => signer)).size),
      ]),
    4: () => {
      const rewards = blocks
        .filter(inDays)
        .flatMap((block) =>
          block.statement.transactionStatements.flatMap(({ receipts }) =>
            receipts.flatMap((receipt) =>
              receipt.type === RECEIPT_TYPE.harvest_fee &&
              receipt.kind === "balanceChange" &&
              receipt.targetAddress.equals(findHarvester(block))
                ? [{ height: block.height, address: encodeAddress(receipt.targetAddress), amount: receipt.amount }]
                : [],
            ),
          ),
        );
      return grouped(rewards, ({ address }) => address)
        .map(([address, some]) => ({
          address,
          blocks: new Set(some.map(({ height }) => height)).size,
          amount: sumOf(some.map(({ amount }) => amount)),
        }))
        .toSorted((a, b) => Number(b.amount - a.amount) || (a.address < b.address ? -1 : 1))
        .slice(0, 10)
        .map((one) => [one.address, shown(one.blocks), units(one.amount)]);
    },
    5: () =>
      grouped(
        ofDays.filter(({ fee }) => fee !== undefined),
        ({ signer }) => signer,
      )
        .toSorted(([a, ofA], [b, ofB]) => ofB.length - ofA.length || (a < b ? -1 : 1))
        .slice(0, 10)
        .map(([signer, some]) => [signer, shown(some.length), units(feesOf(some))]),
    6: async () => {
      const [mosaic] = (await bodies("mosaics")).filter((body) => body.mosaic.id === currency);
      const holders = (await bodies("accounts")).flatMap(({ account: { address, mosaics } }) =>
        mosaics
          .filter(({ id }: { id: string }) => id === currency)
          .map(({ amount }: { amount: string }) => ({ address: text(address), amount: BigInt(amount) })),
      );
      return holders
        .toSorted((a, b) => Number(b.amount - a.amount) || (a.address < b.address ? -1 : 1))
        .slice(0, 10)
        .map(({ address, amount }) => [
          address,
          units(amount),
          shown((Math.round(Number((amount * 10_000_000n) / BigInt(mosaic.mosaic.supply)) / 1_000) / 100).toFixed(2)),
        ]);
    },
    7: () => {
      const changes = blocks.flatMap((block) =>
        balanceChanges(block)
          .filter(({ address, mosaicId }) => encodeAddress(address) === account && idText(mosaicId) === currency)
          .map(({ change }) => ({ day: day(epochMs + block.timestamp), change })),
      );
      let balance = 0n;
      return grouped(changes, (one) => one.day).map(([key, some]) => {
        balance += sumOf(some.map(({ change }) => change));
        return [key, units(balance)];
      });
    },
    8: () =>
      chosen
        .toReversed()
        .filter(({ entity }) => "recipientAddress" in entity && encodeAddress(entity.recipientAddress) === account)
        .flatMap(({ time, hash, signer, mosaics, entity }) =>
          [...mosaics]
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([id, amount]) => [new Date(time), hash, signer, id, amount, messageOf(entity) ?? null].map(shown)),
        )
        .slice(0, 100),
    9: () =>
      chosen
        .toReversed()
        .filter(({ entity }) => messageOf(entity)?.toLowerCase().includes(WORD))
        .slice(0, 100)
        .map(({ time, hash, signer, entity }) => [
          ...[new Date(time), hash, signer].map(shown),
          "recipientAddress" in entity ? encodeAddress(entity.recipientAddress) : "",
          messageOf(entity) ?? "",
        ]),
    10: () =>
      grouped(
        facts.filter(({ signer, fee }) => signer === account && fee !== undefined),
        ({ time }) => month(time),
      ).map(([key, some]) => [key, shown(some.length), units(feesOf(some))]),
    11: async () =>
      (await bodies("namespaces"))
        .filter(({ namespace: { endHeight } }) => Number(endHeight) > blocks.length && Number(endHeight) < 2 ** 53)
        .map(({ namespace }) => ({
          name: [namespace.level0, namespace.level1, namespace.level2].flatMap((id) => (id ? [namesById.get(id)] : [])),
          owner: text(namespace.ownerAddress),
          end: Number(namespace.endHeight),
        }))
        .map(({ name, ...rest }) => ({ name: name.join("."), ...rest }))
        .toSorted((a, b) => a.end - b.end || (a.name < b.name ? -1 : 1))
        .slice(0, 10)
        .map(({ name, owner, end }) => [name, owner, shown(end)]),
    12: () =>
      grouped(ofDays, ({ entity }) => entity.kind)
        .toSorted(([a, ofA], [b, ofB]) => ofB.length - ofA.length || (a < b ? -1 : 1))
        .map(([kind, some]) => [kind, shown(some.filter(({ fee }) => fee !== undefined).length), shown(some.length)]),
    13: () => {
      const balances = new Map<string, bigint>();
      for (const block of blocks.filter(({ height }) => height < END_BLOCK)) {
        for (const { address, mosaicId, change } of balanceChanges(block)) {
          if (idText(mosaicId) !== currency) continue;
          balances.set(encodeAddress(address), (balances.get(encodeAddress(address)) ?? 0n) + change);
        }
      }
      return [...balances]
        .toSorted(([a, ofA], [b, ofB]) => Number(ofB - ofA) || (a < b ? -1 : 1))
        .slice(0, 10)
        .map(([address, amount]) => [address, units(amount)]);
    },
    14: () => {
      const last = Date.parse(day(timeAt(END_BLOCK)));
      const days: string[][] = [];
      for (let time = Date.parse(day(timeAt(1))); time <= last; time += 86_400_000) {
        const ofDay = ofDays.filter((one) => day(one.time) === day(time) && one.fee !== undefined);
        days.push([day(time), shown(ofDay.length)]);
      }
      return days;
    },
  };

  test.each(questions)("question $number: $title", async ({ number, statement }) => {
    const expected = await answers[number]?.();
    expect(expected?.length).toBeGreaterThan(0);
    const days = { from: day(timeAt(1)), to: day(timeAt(END_BLOCK)) };
    expect(await run(statement, aboutDays.includes(number) ? days : {})).toEqual(expected);
  });

  test("the table for search in messages gets those of final blocks, each once", async () => {
    const [create = "", add = "", find = ""] = sqlStatements("Search in messages");
    const expected = facts.flatMap(({ entity, hash }) => {
      const text = messageOf(entity);
      return text?.toLowerCase().includes(WORD) ? [[hash, text]] : [];
    });
    await client.query("reset role");
    try {
      await client.query(create);
      await client.query("update head set finalized_height = height");
      expect((await client.query(add)).rowCount).toBeGreaterThan(expected.length);
      expect((await client.query(add)).rowCount).toBe(0);
      const rows = await run(find.replace("invoice", WORD));
      expect(rows.map(([, hash, , text]) => [hash, text]).toReversed()).toEqual(expected.slice(-100));
    } finally {
      await client.query("drop schema search cascade; drop extension pg_trgm");
      await client.query("set role symbol_reader");
    }
  });

  test("days of another time zone begin at its midnight", async () => {
    const [, statement = ""] = sqlStatements("Whole days");
    const inTokyo = (block: VerifiedBlock) => day(epochMs + block.timestamp + 9 * 3_600_000);
    const expected = grouped(blocks.filter(inPeriod), inTokyo).map(([key, some]) => [
      key.slice(0, 10),
      shown(some.length),
      shown(sumOf(some.map(({ transactions }) => transactions.length))),
    ]);
    expect(await run(statement.replace("as day", "as date").replace("::date as date", "::date::text as day"))).toEqual(
      expected,
    );
  });

  test("a deadline after all times is none, and the other rows can be read", async () => {
    await client.query("reset role");
    const hash = "AB".repeat(32);
    await client.query(`insert into transaction_statuses (hash, code, deadline, from_node, recorded_at)
      values (decode('${hash}', 'hex'), 'Failure', 18446744073709551615, true, now())`);
    await client.query("set role symbol_reader");
    expect(await run(`select hash, deadline from analytics.failures where hash = '${hash}'`)).toEqual([[hash, ""]]);
  });

  test("all questions have an answer", () => {
    expect(questions.map(({ number }) => number)).toEqual(Object.keys(answers).map(Number));
    expect(questions).toHaveLength(14);
  });

  test("columns of the views and their types are those that versions.md promises", async () => {
    const columns = grouped(await readColumns(), ({ view }) => view).map(
      ([view, all]) => `${view}: ${all.map(({ column, type }) => `${column} ${type}`).join(", ")}`,
    );
    expect(columns).toEqual(readFileSync(STABLE_COLUMNS, "utf8").trim().split("\n"));
  });

  test("every transaction has its columns", async () => {
    const places = new Map<string, number>();
    const rows = await run(`select height, hash, embedded_index, type, signer, recipient, message, fee,
        extract(epoch from time) * 1000
      from analytics.transactions order by id`);
    const expected = facts.map(({ block, hash, entity, signer, fee, time }) =>
      [
        block.height,
        hash,
        fee === undefined ? nextPlace(places, hash) : null,
        entity.kind,
        signer,
        "recipientAddress" in entity ? encodeAddress(entity.recipientAddress) : null,
        messageOf(entity) ?? null,
        fee ?? null,
        time,
      ].map(shown),
    );
    expect(rows).toEqual(expected);
    const hash = facts.at(-1)?.hash ?? "";
    expect(await run(`select hash from analytics.transactions where id = analytics.transaction_id('${hash}')`)).toEqual(
      [[hash]],
    );
  });

  test("every receipt has its mosaic, and its transaction", async () => {
    const expected = blocks.flatMap(({ height, statement }) =>
      statement.transactionStatements.flatMap(({ source, receipts }) =>
        receipts.flatMap((receipt) =>
          [
            height,
            receipt.type,
            source.primaryId === 0
              ? null
              : (BigInt(height) << 32n) | (BigInt(source.primaryId - 1) << 12n) | BigInt(source.secondaryId),
            "amount" in receipt ? receipt.amount : null,
            "mosaicId" in receipt ? idText(receipt.mosaicId) : null,
          ]
            .map(shown)
            .join(" "),
        ),
      ),
    );
    const rows = await run("select height, type_number, transaction_id, amount, mosaic_id from analytics.receipts");
    expect(rows.map((row) => row.join(" ")).toSorted()).toEqual(expected.toSorted());
  });

  test("sums by day are those of the other views", async () => {
    const day = (of: string) => `(time at time zone 'UTC')::date as day, ${of}`;
    for (const [view, columns, source] of [
      [
        "daily",
        "day, blocks, transactions, total_transactions, fee, fee_units",
        `select ${day("count(*), sum(transactions), sum(total_transactions), sum(fee), sum(fee_units)")} from analytics.blocks group by 1`,
      ],
      [
        "daily",
        "day, active_accounts",
        `select ${day("count(distinct signer_public_key)")} from analytics.transactions group by 1`,
      ],
      ["daily", "day, harvesters", `select ${day("count(distinct harvester)")} from analytics.blocks group by 1`],
      [
        "daily_types",
        "day, type, type_number, transactions, total_transactions, fee, fee_units",
        `select ${day("type, type_number, count(fee), count(*), coalesce(sum(fee), 0), coalesce(sum(fee_units), 0)")} from analytics.transactions group by 1, 2, 3`,
      ],
      [
        "daily_signers",
        "day, signer, signer_public_key, transactions, total_transactions, fee, fee_units",
        `select ${day("signer, signer_public_key, count(fee), count(*), coalesce(sum(fee), 0), coalesce(sum(fee_units), 0)")} from analytics.transactions group by 1, 2, 3`,
      ],
      [
        "daily_mosaics",
        "day, mosaic_id, transfers, amount, units",
        `select ${day("mosaic_id, count(*), sum(amount), sum(units)")} from analytics.transfers group by 1, 2`,
      ],
      [
        "daily_harvesters",
        "day, address, blocks, amount, units",
        `select ${day("address, count(distinct height), sum(amount), sum(units)")} from analytics.harvests
          where address = harvester group by 1, 2`,
      ],
    ] as const) {
      const expected = await run(source);
      const found = await run(`select ${columns} from analytics.${view}`);
      const sorted = (rows: readonly (readonly string[])[]) => rows.map((row) => row.join(" ")).toSorted();
      expect({ view, rows: sorted(found) }).toEqual({ view, rows: sorted(expected) });
      expect(expected.length).toBeGreaterThan(1);
    }
  });

  test("changes of balances add up to the balances, and each has a cause", async () => {
    expect(
      await run(`select address, mosaic_id, sum(change), sum(units) from analytics.balance_changes
        group by 1, 2 having sum(change) <> 0 order by 1, 2`),
    ).toEqual(await run("select address, mosaic_id, amount, units from analytics.balances order by 1, 2"));
    expect(await run("select height from analytics.balance_changes where causes = '{}'")).toEqual([]);
    expect(
      await run("select height from analytics.balance_changes where received - sent <> change or received + sent <= 0"),
    ).toEqual([]);
    const both = await run("select height from analytics.balance_changes where change = 0 and received > 0");
    expect(both.length).toBeGreaterThan(0);
  });

  test.each(["network", "account"])("every panel of Grafana's dashboard %s shows something", async (name) => {
    const file = new URL(`../../../deploy/grafana/${name}.json`, import.meta.url);
    const { panels, templating } = JSON.parse(readFileSync(file, "utf8")) as {
      panels: { title: string; targets: { rawSql: string }[] }[];
      templating: { list: { type: string; query: string }[] };
    };
    const { from = "", to = "" } = values;
    const shownBy = async (statement: string) => {
      const text = statement
        .replaceAll("$__timeFrom()", pg.escapeLiteral(from))
        .replaceAll("$__timeTo()", pg.escapeLiteral(to))
        .replace(/\$\{(\w+):sqlstring\}/g, (_, variable: string) => pg.escapeLiteral(values[variable] ?? ""));
      return (await client.query(text)).rows.length;
    };
    const counts: [title: string, rows: number][] = [];
    for (const { title, targets } of panels) counts.push([title, await shownBy(targets[0]?.rawSql ?? "")]);
    expect(counts.length).toBeGreaterThan(5);
    // The busiest account harvests nothing.
    expect(counts.filter(([title, count]) => count === 0 && title !== "Rewards of harvesting")).toEqual([]);
    const variables = templating.list.filter(({ type }) => type === "query");
    for (const { query } of variables) expect(await shownBy(query)).toBeGreaterThan(0);
  });

  test.each([
    ["metadata", "target", "metadata", "metadataEntry.targetAddress"],
    ["hash_locks", "amount", "hash_locks", "lock.amount"],
    ["secret_locks", "mosaic_id", "secret_locks", "lock.mosaicId"],
  ])("%s has the %s of each entry", async (view, shownColumn, table, path) => {
    const expected = (await bodies(table)).map((one) => {
      const value: string = path.split(".").reduce((inside, member) => inside[member], one);
      return value.length === 48 ? encodeAddress(Buffer.from(value, "hex")) : value;
    });
    expect((await run(`select ${shownColumn} from analytics.${view}`)).flat().toSorted()).toEqual(expected.toSorted());
  });

  test("multisig, restrictions, cosignatures, finalized and first_seen have what the chain has", async () => {
    const cosigners = (await bodies("multisigs")).flatMap(({ multisig }) => multisig.cosignatoryAddresses);
    expect((await run("select cosigner from analytics.multisig")).length).toBe(cosigners.length);
    const values = [
      ...(await bodies("account_restrictions")).flatMap(({ accountRestrictions }) =>
        accountRestrictions.restrictions.flatMap((one: { values: unknown[] }) => one.values),
      ),
      ...(await bodies("mosaic_restrictions")).flatMap(({ mosaicRestrictionEntry: one }) => one.restrictions),
    ];
    expect((await run("select value from analytics.restrictions")).length).toBe(values.length);
    const cosigned = facts.flatMap(({ hash, entity }) =>
      "cosignatures" in entity
        ? entity.cosignatures.map(({ signerPublicKey }) => `${hash} ${signerPublicKey.toString("hex").toUpperCase()}`)
        : [],
    );
    expect(cosigned.length).toBeGreaterThan(0);
    const found = await run("select hash, signer_public_key from analytics.cosignatures order by transaction_id");
    expect(found.map((row) => row.join(" ")).toSorted()).toEqual(cosigned.toSorted());
    const first = await run("select min(height), max(height) from analytics.first_seen");
    expect(Number(first[0]?.[0])).toBe(1);
    expect(
      await run(
        "select f.height from analytics.finalized f join analytics.blocks b using (height, hash, time) order by 1",
      ),
    ).toEqual(await run("select height from analytics.finalized order by 1"));
  });

  test("the page describes every view of the schema", async () => {
    const { rows } = await client.query<{ name: string }>(
      `select table_schema || '.' || table_name as name from information_schema.tables
       where table_schema = 'analytics' order by 1`,
    );
    const described = [...page.matchAll(/^\| `(analytics\.\w+)` \|/gm)].map(([, name = ""]) => name);
    expect(rows.map(({ name }) => name)).toEqual(described.toSorted());
  });

  async function readColumns() {
    const { rows } = await client.query<{ view: string; about: string; column: string; type: string; comment: string }>(
      `select c.oid::regclass::text as view, obj_description(c.oid) as about, a.attname as column,
         replace(format_type(a.atttypid, a.atttypmod), 'timestamp with time zone', 'timestamptz') as type, col_description(c.oid, a.attnum) as comment
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
       where c.relnamespace = 'analytics'::regnamespace and c.relkind = 'v'
       order by c.oid, a.attnum`,
    );
    return rows;
  }

  /** Those that statements of users call. */
  async function describedFunctions(): Promise<string> {
    const { rows } = await client.query<{ name: string; result: string; comment: string }>(
      `select format('%s(%s)', proname, pg_get_function_arguments(oid)) as name, obj_description(oid) as comment
       from pg_proc where pronamespace = 'analytics'::regnamespace and proname = any($1) order by 1`,
      [["address", "height_at", "transaction_id"]],
    );
    return ["## Functions\n", ...rows.map(({ name, comment }) => `- \`analytics.${name}\`: ${comment}`)].join("\n");
  }

  test("docs/sql.md has the comments of all views and functions, and each column has one (UPDATE_DOCS=1 writes it)", async () => {
    const columns = await readColumns();
    const views = grouped(columns, ({ view }) => view).map(([view, [first]]) => `| \`${view}\` | ${first?.about} |`);
    const sections = [["| view | rows |", "|---|---|", ...views].join("\n"), await describedFunctions()];
    expect(columns.filter(({ comment }) => !comment)).toEqual([]);
    const written = `${BEGIN}\n${sections.join("\n\n")}\n${END}`;
    const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
    const updated = page.slice(0, start) + written + page.slice(end + END.length);
    if (process.env.UPDATE_DOCS) writeFileSync(SQL_PAGE, updated);
    else expect(page).toBe(updated);
    expect(written).not.toMatch(/: null$/m);
  });
});

/** A value as text: numbers without trailing zeros, times in ISO 8601, null as nothing. */
function shown(value: unknown): string {
  if (value === null) return "";
  const asText = value instanceof Date ? value.toISOString() : String(value);
  return /^-?\d+\.\d+$/.test(asText) ? asText.replace(/\.?0+$/, "") : asText;
}

function text(addressHex: string): string {
  return encodeAddress(Buffer.from(addressHex, "hex"));
}

function idText(id: bigint): string {
  return id.toString(16).toUpperCase().padStart(16, "0");
}

/** Entries by key, in the order of the keys' first entries. */
function grouped<T>(entries: readonly T[], keyOf: (entry: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const entry of entries) groups.set(keyOf(entry), [...(groups.get(keyOf(entry)) ?? []), entry]);
  return [...groups];
}

function sumOf<T extends bigint | number>(numbers: readonly T[]): bigint {
  return numbers.reduce((sum, number) => sum + BigInt(number), 0n);
}

function busiest(names: readonly string[]): string {
  return grouped(names, (name) => name).toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? "";
}

/** The next index in an aggregate, from 0. */
function nextPlace(places: Map<string, number>, hash: string): number {
  const place = places.get(hash) ?? 0;
  places.set(hash, place + 1);
  return place;
}
