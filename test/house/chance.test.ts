import { expect, test } from "@jest/globals";
import { read, trackedFiles } from "./tree.js";

/** What makes tests fail by chance, because of other tests beside them or a busy machine, and what to write instead. */
interface Rule {
  readonly instead: string;
  readonly pattern: RegExp;
  /** What it finds. */
  readonly wrong: readonly string[];
  /** Where the pattern is right. */
  readonly allowed: RegExp;
}

const RULES: Readonly<Record<string, Rule>> = {
  "locks and connections of the whole server": {
    instead: "OWN_LOCKS or OWN_CONNECTIONS of test/support/own-catalogues.ts",
    pattern: /\bpg_(locks|stat_activity|stat_database|stat_replication|prepared_xacts|replication_slots)\b/gi,
    wrong: ["select 1 from pg_locks where not granted", "SELECT pid FROM pg_stat_activity"],
    // The last two have a server of their own.
    allowed:
      /^test\/(bench|attack)\/|^test\/support\/own-catalogues\.ts$|^test\/(cli\/rejecting-database|indexer\/logical-replication)\.test\.ts$/,
  },
  "a wait for a number of milliseconds, after which something is expected": {
    instead: "until or isWithin of test/support/until.ts; pause between two requests, anyMoment for a drawn moment",
    pattern: /timers\/promises|new Promise\b.*\bsetTimeout\(|await (pause|anyMoment|afterOwnTime)\(.*\);\s+expect\(/g,
    wrong: [
      'import { setTimeout as sleep } from "node:timers/promises";',
      "await new Promise((resolve) => setTimeout(resolve, 50));",
      "await pause(50);\n    expect(calls).toBe(1);",
    ],
    // The first makes timers late; the programs of the last two are texts.
    allowed:
      /^test\/(bench|attack)\/|^test\/runner\/hostile-clock\.ts$|^test\/support\/until\.ts$|^test\/(cli\/shutdown|runner\/hostile-clock)\.test\.ts$/,
  },
  "a wait for the first of several messages, or for a line that was logged before": {
    instead: "until with the number of messages; a new log, or a line of its own",
    pattern:
      /\buntil\([^;]*?\b(\w+)\.length (?:> 0|>= 1|!== 0)[^;]*;\s+expect\(\1\)\.to(?:HaveLength\((?!1\))|(?:Equal|MatchObject)\(\[[^[\]{}]*(?:\{[^{}]*\})?,\s*[^\s\]])|(\b\w+\.waitFor\((?:"[^"]*"|\/[^\n]*?\/\w*|\w+)\));(?:(?!\btest\b)[\s\S]){0,1500}?\2/g,
    wrong: [
      'await until(() => received.length > 0, "messages");\n  expect(received).toHaveLength(2);',
      'await until(() => received.length > 0, "messages");\n  expect(received).toEqual([{ a: 1 }, { a: 2 }]);',
      'await until(() => received.length >= 1, "messages");\n  expect(received).toEqual([first, second]);',
      "await log.waitFor(/Listening/);\n  await restart();\n  await log.waitFor(/Listening/);",
    ],
    allowed: /^test\/(bench|attack)\//,
  },
  "a limit in time of the machine": {
    instead: "until with a condition, or a ratio of processor times (process.cpuUsage) of the same test",
    pattern:
      /\b(now\(\) - \w+|elapsed\w*|took\w*|\w*(ms|Ms|seconds)|\w+ \/ 1e[36])\)\s*\.toBeLess|Math\.abs\(\w*[nN]ow\b.*\.toBeLess|monitorEventLoopDelay|return \w+\.now\(\) - \w+;/g,
    wrong: [
      "expect(performance.now() - startedAt).toBeLessThan(500)",
      "expect(elapsedMs).toBeLessThanOrEqual(500)",
      "expect(Math.abs(now - sendTimestamp)).toBeLessThan(10_000)",
      "expect(delay.max / 1e6).toBeLessThan(400)",
      "return performance.now() - started;",
    ],
    allowed: /^test\/(bench|attack)\//,
  },
  "a time limit below the one that tests and waits have without it": {
    instead: "no limit: 600 s a test, 120 s a wait",
    pattern:
      /(?:^ *\}, |\b(?:test|until|waitFor|received|AbortSignal\.timeout)\((?:.*, )?|^\s+)(?:\d{1,2}|1[01]\d)_000(?:,\n\s*)?\);|[tT]imeoutMs = (?:\d{1,2}|1[01]\d)_000\b|^ *\}, [1-5]\d\d_000\);|\bdeadline = \w+\.now\(\) \+ (?:\d{1,2}|1[01]\d)_000;|^ {2}[1-5]?\d{1,2}_000 \+ .*,\n\);/gm,
    wrong: [
      "}, 60_000);",
      "}, 120_000);",
      "  },\n  60_000,\n);",
      'test("one", () => rejected(), 60_000);',
      'await until(() => received.length === 2, "two messages", 20_000);',
      "const signal = AbortSignal.timeout(30_000);",
      "function connect(requestTimeoutMs = 10_000) {}",
      "await index.waitFor(({ height }) => height === 2, 60_000);",
      "const deadline = Date.now() + 60_000;",
      "test(\n  name,\n  run,\n  180_000 + KILLS * 3_000,\n);",
    ],
    allowed: /^test\/(bench|attack|differential)\//,
  },
  "a request or a process that is given up after a time": {
    instead: "no limit: that of the test",
    pattern: /\bAbortSignal\.timeout\(|\btimeout: (?:\d{1,2}|1[01]\d)_000\b/g,
    wrong: ["fetch(url, { signal: AbortSignal.timeout(HANG_MS) })", "execFile(program, args, { timeout: 20_000 })"],
    // The wait that such a signal ends is what it tests.
    allowed: /^test\/(bench|attack)\/|^test\/client\/waiting\.test\.ts$/,
  },
  "a port, a folder or a setting that another test may have": {
    instead: "port 0 or freePort; temporaryFolder or mkdtemp; the environment of a process that the test starts",
    pattern:
      /\blisten\([1-9]\d+|^(?!.*(mkdtemp|import)).*\btmpdir\(\)|\bprocess\.env(\.\w+|\[[^\]]+\]) \??=[^=]|delete process\.env/gm,
    wrong: [
      "server.listen(8080)",
      'const folder = path.join(tmpdir(), "mine");',
      'process.env.LOG_LEVEL = "debug";',
      "delete process.env.LOG_LEVEL;",
    ],
    // The first sets up the run; the second has it as a working directory only.
    allowed: /^test\/(bench|attack)\/|^test\/support\/global-setup\.ts$|^test\/cli\/node-version\.test\.ts$/,
  },
  "a draw that cannot be repeated, or that may be what was there before": {
    instead: "SeededRandom; ^= 1 + random.below(255) changes a byte",
    pattern: /Math\.random\(|\b(randomInt|randomUUID|randomBytes)\(|\] = (this\.#?|#)?(random\.)?#?below\(256\)/g,
    wrong: ["const n = Math.random();", "bytes[offset] = random.below(256);", "randomBytes(32)"],
    // The first names databases.
    allowed: /^test\/(bench|attack)\/|^test\/support\/(database|seeded-random)\.ts$/,
  },
};

const files = trackedFiles("test/*.ts").filter((name) => name !== "test/house/chance.test.ts");

test.each(Object.entries(RULES))("no test has %s", (_, { instead, pattern, wrong, allowed }) => {
  expect(wrong.filter((text) => text.search(pattern) < 0)).toEqual([]);
  const found = files
    .filter((name) => !allowed.test(name))
    .flatMap((name) => {
      const text = read(name);
      const lineOf = ({ index }: RegExpExecArray) => text.slice(0, index).split("\n").length;
      return [...text.matchAll(pattern)].map((match) => `${name}:${lineOf(match)}: ${match[0]}: write ${instead}`);
    });
  expect(found).toEqual([]);
});
