import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";

const PRELOAD = new URL("./hostile-clock.js", import.meta.url).href;

/** What a program prints as JSON that this clock is preloaded into. */
async function run(source: string): Promise<unknown> {
  const options = ["--import", PRELOAD, "--input-type=module", "--eval", source];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  return JSON.parse(stdout);
}

test("no two readings of a clock are equal, and none goes back", async () => {
  const readings = await run(`
    const clocks = [() => Date.now(), () => new Date().getTime(), () => performance.now()];
    console.log(JSON.stringify(clocks.map((read) => Array.from({ length: 5 }, read))));
  `);
  for (const five of readings as number[][]) {
    expect(new Set(five).size).toBe(5);
    expect(five.toSorted((left, right) => left - right)).toEqual(five);
  }
});

test("a clock that is only read stays near the time", async () => {
  const ahead = await run(`
    const begin = process.hrtime.bigint(), first = Date.now();
    for (let i = 0; i < 100_000; i++) Date.now();
    console.log(Date.now() - first - Number(process.hrtime.bigint() - begin) / 1e6);
  `);
  expect(ahead).toBeLessThan(100);
});

test("timers of all modules fire, and dates are dates", async () => {
  expect(
    await run(`
      import { setTimeout as wait } from "node:timers/promises";
      import { setTimeout as later } from "node:timers";
      import { promisify } from "node:util";
      await wait(1);
      await promisify(setTimeout)(1);
      const passed = await new Promise((resolve) => later(resolve, 1, "passed"));
      console.log(JSON.stringify([passed, new Date(0).toISOString(), new Date() instanceof Date]));
    `),
  ).toEqual(["passed", "1970-01-01T00:00:00.000Z", true]);
});
