import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import type { CommandRun } from "./bench-server.js";
import type { Loading } from "./loading.js";
import type { Fill, Measured, MeasuredSize, Migration, RequestTimes } from "./main-network-size.js";
import { formatFigure } from "./performance-page.js";
import { REQUEST_KINDS } from "./typical-requests.js";

/** A network to plan a machine for; transactions with embedded ones. */
interface Network {
  readonly name: string;
  readonly blocks: number;
  readonly transactions: number;
  readonly accounts: number;
  /** By judgement. */
  readonly processors: number;
  /** GiB, by judgement. */
  readonly memory: number;
}

const MAIN = { blocks: 6_000_000, transactions: 15_000_000, accounts: 330_000, processors: 2, memory: 16 };
const NETWORKS: readonly Network[] = [
  { ...MAIN, name: "test network", blocks: 4_000_000, transactions: 10_000_000, memory: 8 },
  { ...MAIN, name: "main network" },
  { name: "ten times", blocks: 6_000_000, transactions: 150_000_000, accounts: 1_000_000, processors: 4, memory: 32 },
];
/** Processes that want each processor: then waiting takes longer than working. */
const CROWDED = 2;
/** Of the disk, for what a migration or an index that is created needs, and for growth. */
const RESERVE = 1.5;
const WAL_GIB = 16;
/** Tables that grow with blocks; all others are taken to grow with transactions. */
const OF_BLOCKS: ReadonlySet<string> = new Set(["blocks", "receipts", "transaction_statements", "skip_pointers"]);
const OF_ACCOUNTS: ReadonlySet<string> = new Set(["accounts", "account_balances"]);
const GIB = 2 ** 30;
const HOUR = 3_600;
/** Tables that are smaller are summed. */
const LEAST_BYTES_PER_BLOCK = 20;

/** What a row is about, and its value for a chain of one length. */
type Row = readonly [what: string, value: (size: MeasuredSize) => string];

const number = (value: number) => Math.round(value).toLocaleString("en-US");
/** Rows in which nothing was measured are left out. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const found = rows.filter(([, ...values]) => values.some((value) => value !== ""));
  return [head, head.map(() => "---"), ...found].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Writes `docs/sizing.md`, and what it was computed from, from what was measured of chains of several lengths. */
export function writeSizingPages(docs: URL, { sizes, loading, migration }: Measured): void {
  const ordered = [...sizes].sort((a, b) => a.blocks - b.blocks);
  const [largest] = ordered.slice(-1);
  if (!largest) throw new RangeError("Nothing was measured");
  const write = (page: string, ...parts: readonly string[]) =>
    writeFileSync(new URL(page, docs), `${parts.join("\n\n")}\n`);
  write(
    "sizing.md",
    "# Sizing",
    "Which machine an index needs. Written by `npm run bench -- main-network-size`, from " +
      "[what chains of several lengths took](evidence/sizing.md). [performance.md](performance.md) has what single " +
      "requests and blocks cost.",
    machines(ordered, loading),
  );
  write(
    "evidence/sizing.md",
    "# Sizes that were measured",
    "What chains of several lengths took. Written by `npm run bench -- main-network-size`; [sizing.md](../sizing.md) says " +
      "which machine that means.",
    "## Filling and checking",
    measured(ordered, migration),
    "## Disk by table",
    disk(ordered),
    "## Requests",
    requests(ordered, largest),
  );
}

function machines(sizes: readonly MeasuredSize[], loading: readonly Loading[]): string {
  const [smallest, largest] = [sizes[0]!, sizes.at(-1)!];
  const checked = sizes.findLast(({ check }) => check);
  const values: readonly (readonly [string, (network: Network) => string])[] = [
    ["blocks", ({ blocks }) => number(blocks)],
    ["transactions, with embedded ones", ({ transactions }) => number(transactions)],
    ["accounts", ({ accounts }) => number(accounts)],
    ["**processors**", ({ processors }) => `${processors}`],
    ["**memory**", ({ memory }) => `${memory} GiB`],
    [
      "**disk**, solid-state",
      (network) => `${number(Math.ceil((RESERVE * diskOf(network, largest)) / GIB + WAL_GIB))} GiB`,
    ],
    ["of it tables and indexes", (network) => `${number(diskOf(network, largest) / GIB)} GiB`],
    ["**filling**, executing", ({ transactions }) => hours(largest.executed, transactions / largest.transactions)],
    [
      "`check`, all of it",
      ({ transactions }) => (checked?.check ? hours(checked.check, transactions / checked.transactions) : ""),
    ],
    [
      "memory of an indexer that loads its state",
      ({ accounts }) => stateOf(loading, accounts, ({ peakMemoryMiB }) => mib(peakMemoryMiB)),
    ],
    ["time until an indexer has its state", ({ accounts }) => stateOf(loading, accounts, (one) => ms(one.ms))],
  ];
  return [
    table(
      ["", ...NETWORKS.map(({ name }) => name)],
      values.map(([what, of]) => [what, ...NETWORKS.map(of)]),
    ),
    `No chain of these lengths was filled. **Measured** were chains of up to ${number(largest.blocks)} blocks, ` +
      `${formatFigure((100 * largest.blocks) / MAIN.blocks, "%")} of the main network. **Extrapolated** from the longest ` +
      "one: tables grow with blocks " +
      `(${[...OF_BLOCKS].map((name) => `\`${name}\``).join(", ")}), with accounts, all others with transactions, and so ` +
      "does the time of filling and checking: hours are measured durations, multiplied. A block costs more the more " +
      `accounts there are (executing, ${perBlock(smallest)} with ${number(smallest.accounts)} and ` +
      `${perBlock(largest)} with ${number(largest.accounts)}), since fewer of the blocks that are written together change ` +
      "the same account; with those of the main network it was not measured. One " +
      "thread executes, up to three more decode. **By judgement**: processors and memory, which is for " +
      "`shared_buffers` of 4 GB, an indexer, two gateways, and the operating system's cache; and disk, " +
      `${RESERVE} times the tables and ${WAL_GIB} GiB of WAL. **Assumed**: the test network (its newest rule begins at ` +
      "height 3,888,648) has as many transactions per block as the main network; ten times is what the main network is " +
      "planned for: ten times its transactions, three times its accounts.",
  ].join("\n\n");
}

const hours = (cost: Fill | CommandRun, scale: number) => `${formatFigure((scale * cost.seconds) / HOUR, "")} h`;
const perBlock = ({ blocks, executed }: MeasuredSize) => ms((1_000 * executed.seconds) / blocks);
const stateOf = (loading: readonly Loading[], accounts: number, show: (one: Loading) => string) => {
  const found = loading.find((one) => one.accounts === accounts);
  return found ? show(found) : "";
};
const processorSeconds = ({ cpuSeconds, postgresCpuSeconds }: Fill | CommandRun) => cpuSeconds + postgresCpuSeconds;

/** Bytes of tables and indexes. */
function diskOf(network: Network, largest: MeasuredSize): number {
  const growthOf = (table: string) => {
    const by = OF_BLOCKS.has(table) ? "blocks" : OF_ACCOUNTS.has(table) ? "accounts" : "transactions";
    return network[by] / largest[by];
  };
  return largest.tables
    .filter((one) => isLarge(one, largest))
    .reduce((sum, one) => sum + growthOf(one.table) * (one.data + one.indexes), 0);
}

const isLarge = ({ data, indexes }: MeasuredSize["tables"][number], { blocks }: MeasuredSize) =>
  data + indexes >= LEAST_BYTES_PER_BLOCK * blocks;

function measured(sizes: readonly MeasuredSize[], migration: Migration | undefined): string {
  const largest = sizes.at(-1)!;
  const fill = (what: string, of: (size: MeasuredSize) => Fill): Row[] => [
    [`${what}: duration`, (size) => `${number(of(size).seconds)} s`],
    [`${what}: blocks per second`, (size) => number(size.blocks / of(size).seconds)],
    [`${what}: processor time per block, backfill`, (size) => ms((1_000 * of(size).cpuSeconds) / size.blocks)],
    [
      `${what}: processor time per block, PostgreSQL`,
      (size) => ms((1_000 * of(size).postgresCpuSeconds) / size.blocks),
    ],
    [`${what}: peak memory of the backfill`, (size) => mib(of(size).peakMemoryMiB)],
    [`${what}: peak memory of PostgreSQL's processes, without buffers`, (size) => mib(of(size).postgresMemoryMiB)],
    [`${what}: load average`, (size) => formatFigure(of(size).load, "")],
  ];
  const command = (what: string, of: (size: MeasuredSize) => CommandRun | undefined): Row[] => {
    const show = (value: (run: CommandRun) => string) => (size: MeasuredSize) => {
      const run = of(size);
      return run ? value(run) : "";
    };
    return [
      [`${what}: duration`, show(({ seconds }) => `${number(seconds)} s`)],
      [`${what}: processor time, with PostgreSQL`, show((run) => `${number(processorSeconds(run))} s`)],
      [`${what}: peak memory`, show(({ peakMemoryMiB }) => mib(peakMemoryMiB))],
    ];
  };
  const rows: Row[] = [
    ["transactions, with embedded ones", (size) => number(size.transactions)],
    ["accounts", (size) => number(size.accounts)],
    ["tables and indexes", (size) => `${formatFigure(bytesOf(size) / GIB, "")} GiB`],
    ["the same, per block", (size) => `${number(bytesOf(size) / size.blocks)} bytes`],
    ...fill("executing", ({ executed }) => executed),
    ...command("`check`, all of it", ({ check }) => check),
    ...command("`check --sample 1000`", ({ sampledCheck }) => sampledCheck),
    ...command("`migrate` of the database of an earlier version", ({ blocks }) =>
      migration?.blocks === blocks ? migration : undefined,
    ),
    ["loading the state at start: duration", ({ loading }) => ms(loading.ms)],
    ["loading the state at start: processor time", ({ loading }) => ms(loading.cpuMs)],
    ["loading the state at start: peak memory", ({ loading }) => mib(loading.peakMemoryMiB)],
    ["gateway: peak memory", ({ gatewayMemoryMiB }) => mib(gatewayMemoryMiB)],
  ];
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${number(totalmem() / GIB)} GiB, Node ${process.versions.node}`;
  return [
    `Generated chains that can be executed, each the beginning of the next: up to 4 transactions a block, one in eight an ` +
      `aggregate of two or three transfers (${formatFigure(largest.transactions / largest.blocks, "")} per block with ` +
      "embedded ones; on the main network about 2.5), all others transfers with messages of 9 to 40 bytes; another account " +
      "every 18 blocks, one in 27 with an importance. " +
      `${machine}, ${new Date().toISOString().slice(0, 10)}. The load average counts the measured processes, ` +
      "about three, and says how much else ran." +
      (largest.load > CROWDED * cpus().length
        ? " **It was so high that durations, and the times of requests, were mostly waiting for a processor**: only processor " +
          "time, memory and disk say something about the program."
        : ""),
    table(
      ["", ...sizes.map(({ blocks }) => `${number(blocks)} blocks`)],
      rows.map(([what, of]) => [what, ...sizes.map(of)]),
    ),
  ].join("\n\n");
}

const ms = (value: number) => formatFigure(value, "ms");
const mib = (value: number) => formatFigure(value, "MiB");
const bytesOf = ({ tables }: MeasuredSize) => tables.reduce((sum, { data, indexes }) => sum + data + indexes, 0);

function disk(sizes: readonly MeasuredSize[]): string {
  const largest = sizes.at(-1)!;
  const names = largest.tables
    .filter((one) => isLarge(one, largest))
    .sort((a, b) => b.data + b.indexes - a.data - a.indexes)
    .map((one) => one.table);
  const perBlock = (size: MeasuredSize, names: (table: string) => boolean) => {
    const own = size.tables.filter((one) => names(one.table));
    const sum = (of: "data" | "indexes") => number(own.reduce((total, one) => total + one[of], 0) / size.blocks);
    return `${sum("data")} + ${sum("indexes")}`;
  };
  const rows = names.map((name) => [name, ...sizes.map((size) => perBlock(size, (one) => one === name))]);
  const others = ["all others", ...sizes.map((size) => perBlock(size, (one) => !names.includes(one)))];
  return `Bytes per block, data + indexes.\n\n${table(["table", ...sizes.map(({ blocks }) => `${number(blocks)} blocks`)], [...rows, others])}`;
}

function requests(sizes: readonly MeasuredSize[], largest: MeasuredSize): string {
  const times = (of: MeasuredSize, what: string, buffers: RequestTimes["buffers"], isCold: boolean) => {
    const one = of.requests.find((time) => time.what === what && time.buffers === buffers && time.isCold === isCold);
    return one ? `${formatFigure(one.p50, "")} / ${formatFigure(one.p99, "")}` : "";
  };
  const columns = (["128MB", "4GB"] as const).flatMap((buffers) =>
    [true, false].map((isCold) => ({ buffers, isCold })),
  );
  const all = REQUEST_KINDS.map((what) => [
    what,
    ...columns.map(({ buffers, isCold }) => times(largest, what, buffers, isCold)),
  ]);
  const grown = REQUEST_KINDS.map((what) => [what, ...sizes.map((size) => times(size, what, "128MB", false))]);
  return [
    "p50 / p99 of 100 different requests of each kind in ms, the kinds in turn over one connection, without the response " +
      "cache. Cold: PostgreSQL was restarted, and its files were not in the operating system's cache (the disk's own cache " +
      "may have had them); so the first requests read what later ones find. Warm: the same requests for the third time.",
    `With ${number(largest.blocks)} blocks (load average ${formatFigure(largest.load, "")}):`,
    table(
      [
        "",
        ...columns.map(
          ({ buffers, isCold }) => `${buffers.replace("MB", " MB").replace("GB", " GB")}, ${isCold ? "cold" : "warm"}`,
        ),
      ],
      all,
    ),
    "What grows: warm, with 128 MB of buffers:",
    table(["", ...sizes.map(({ blocks }) => `${number(blocks)} blocks`)], grown),
  ].join("\n\n");
}
