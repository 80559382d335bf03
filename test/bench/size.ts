import { createMigratedDatabase, withClient } from "../support/database.js";
import { runBackfill } from "./backfill-program.js";
import type { Benchmark, Figure } from "./benchmark.js";
import { createRawDatabase, withResources } from "./filled-database.js";
import { createPreviousDatabase, PREVIOUS } from "./previous-version.js";

const BLOCKS = Number(process.env.BENCH_SIZE_BLOCKS ?? 30_000);
/** MongoDB of catapult-rest with the main network: 10.4 GB on disk at 3.19 million blocks, with similar traffic. */
const REFERENCE_BYTES_PER_BLOCK = 3_300;
const TARGET = { atMost: 6_000 };

/** Disk space of the tables of a generated chain. */
export const size: Benchmark = {
  name: "size",
  title: "Size: bytes per block, by table",
  about:
    `A generated chain of ${BLOCKS.toLocaleString("en-US")} blocks (1,000 accounts, 2.5 transactions a block on the ` +
    "average, messages of up to 39 bytes with words out of 20,000) is filled by `symbol-gateway backfill --source raw`, " +
    "and vacuumed. Each table counts with its indexes and " +
    "its out-of-line storage; a table that takes less than 20 bytes per block is among the others. The reference's " +
    `MongoDB takes about ${REFERENCE_BYTES_PER_BLOCK.toLocaleString("en-US")} bytes per block of the main network, ` +
    "without raw bytes and balance history. With `BENCH_BEFORE=FOLDER`, the compiled version in that folder fills a " +
    "database of its own from the same bytes.",
  run,
};

/** Bytes of a table. */
interface TableSize {
  readonly table: string;
  readonly data: number;
  readonly indexes: number;
}

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const empty = await createMigratedDatabase();
  const base = await sizesOf(empty.url);
  await empty.drop();
  const { database, network } = await createRawDatabase({ blocks: BLOCKS, seed: 1 });
  try {
    say(`The bytes of ${BLOCKS} blocks are written`);
    return await withResources(network, async (settings) => {
      const before = PREVIOUS ? figuresOf(await previousSizes(PREVIOUS, database.url, settings), BEFORE) : [];
      await runBackfill(database.url, ["--source", "raw"], settings);
      return [...figuresOf(grown(base, await sizesOf(database.url)), NOW), ...before];
    });
  } finally {
    await database.drop();
  }
}

/** Sizes of the tables that the previous version fills. */
async function previousSizes(
  program: string,
  url: string,
  settings: Readonly<Record<string, string>>,
): Promise<TableSize[]> {
  const database = await createPreviousDatabase(program, url);
  try {
    const base = (await sizesOf(database.url)).filter(({ table }) => table !== "raw_blocks");
    await runBackfill(database.url, ["--source", "raw"], settings, program);
    return grown(base, await sizesOf(database.url));
  } finally {
    await database.drop();
  }
}

/** Sizes without those of empty tables. */
function grown(empty: readonly TableSize[], filled: readonly TableSize[]): TableSize[] {
  const base = new Map(empty.map((one) => [one.table, one]));
  return filled.map(({ table, data, indexes }) => ({
    table,
    data: data - (base.get(table)?.data ?? 0),
    indexes: indexes - (base.get(table)?.indexes ?? 0),
  }));
}

interface Columns {
  readonly suffix: string;
  readonly target?: Figure["target"];
}
const NOW: Columns = { suffix: "", target: TARGET };
const BEFORE: Columns = { suffix: ", previous version" };

/** Of all tables, after a vacuum. */
async function sizesOf(url: string): Promise<TableSize[]> {
  return withClient(url, async (client) => {
    await client.query("vacuum");
    const { rows } = await client.query<{ table: string; data: string; indexes: string }>(`
      select relname as table, pg_table_size(oid) as data, pg_indexes_size(oid) as indexes
      from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`);
    return rows.map(({ table, data, indexes }) => ({ table, data: Number(data), indexes: Number(indexes) }));
  });
}

function figuresOf(tables: readonly TableSize[], { suffix, target }: Columns): Figure[] {
  const perBlock = (bytes: number) => [bytes / BLOCKS];
  const large = tables.filter(({ data, indexes }) => data + indexes >= 20 * BLOCKS);
  const others = tables.filter((one) => !large.includes(one));
  const sum = (list: readonly TableSize[]) => list.reduce((total, { data, indexes }) => total + data + indexes, 0);
  return [
    {
      what: `all tables, per block${suffix}`,
      samples: perBlock(sum(tables)),
      unit: "bytes",
      ...(target && { target }),
    },
    ...large
      .sort((a, b) => b.data + b.indexes - a.data - a.indexes)
      .flatMap(({ table, data, indexes }): Figure[] => [
        { what: table, samples: perBlock(data), unit: "bytes", column: `data${suffix}` },
        { what: table, samples: perBlock(indexes), unit: "bytes", column: `indexes${suffix}` },
      ]),
    { what: `all other tables${suffix}`, samples: perBlock(sum(others)), unit: "bytes" },
  ];
}
