import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const MODULE = new URL("../../cli/process/unhandled-errors.js", import.meta.url).href;
const FOLDER = fileURLToPath(new URL("../../..", import.meta.url));

/** Runs lines in a process that continues after rejections; its log is on stdout. */
function run(lines: string) {
  const script = `
    import { pino } from "pino";
    import { surviveRejections } from ${JSON.stringify(MODULE)};
    const count = surviveRejections(pino(pino.destination({ fd: 1, sync: true })));
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    ${lines}`;
  const args = ["--input-type=module", "--eval", script];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: FOLDER, encoding: "utf8" });
  const log = stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { status, log };
}

test("a rejection that nothing handles is logged with its stack and counted, and the process continues; lines are limited", () => {
  const { status, log } = run(`
    for (let n = 0; n < 25; ++n) {
      void Promise.reject(new Error("rejection " + n));
      await turn();
    }
    console.log(JSON.stringify({ count: count() }));`);
  expect(status).toBe(0);
  expect(log.at(-1)).toEqual({ count: 25 });
  const errors = log.filter(({ level }) => level === 50);
  expect(errors).toHaveLength(10);
  expect(errors[0]).toMatchObject({
    msg: "A promise was rejected that nothing handles",
    err: { message: "rejection 0", stack: expect.stringContaining("at ") },
  });
});

test("an exception that nothing catches is logged with its stack, and ends the process", () => {
  const { status, log } = run(`
    setImmediate(() => { throw new Error("thrown"); });
    await turn(); await turn();
    console.log(JSON.stringify({ isStillThere: true }));`);
  expect(status).not.toBe(0);
  expect(log).toMatchObject([{ level: 60, err: { message: "thrown", stack: expect.stringContaining("at ") } }]);
});
