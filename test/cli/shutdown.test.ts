import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { readCommand } from "../../cli/process/process-identity.js";
import { isAlive, startProcess, waitForEnd } from "../support/process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = temporaryFolder();

let programs = 0;

/** A program whose parts are started by `body`, which uses `parts`, `sleep` and `say`. */
function program(body: string) {
  const script = path.join(folder, `${++programs}.mjs`);
  const module = new URL("../../cli/process/shutdown.js", import.meta.url).href;
  const logModule = new URL("../../cli/parts/log.js", import.meta.url).href;
  writeFileSync(
    script,
    `import { runUntilStopped } from ${JSON.stringify(module)};
     import { createLog } from ${JSON.stringify(logModule)};
     const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
     const say = (text) => process.stdout.write(text + "\\n");
     setInterval(() => undefined, 60_000);
     const log = createLog("test", { LOG_LEVEL: "info" });
     process.exit(await runUntilStopped(log, async (parts) => { ${body} }).catch((e) => { say(e.message); return 9; }));`,
  );
  return startProcess([], { script });
}

const stopping = (name: string, ms = 0) =>
  `parts.add("${name}", async () => { await sleep(${ms}); say("stopped ${name}"); });`;

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s stops the parts one by one, the last one first",
  async (signal) => {
    const running = program(`${stopping("one")} ${stopping("two", 100)} ${stopping("three", 50)} say("started");`);
    await running.waitFor("started");
    expect(await running.kill(signal)).toEqual({ code: 0, signal: null });
    expect(running.output.match(/stopped \w+/g)).toEqual(["stopped three", "stopped two", "stopped one"]);
  },
);

test.each([0, 300])(
  "the end of npm, even when it is killed, stops a program that npm started, also by a shell; that of another does not (%i ms before the watch begins)",
  async (earlyMs) => {
    // In some containers npm is the process that adopts others.
    if (earlyMs > 0 && /\bnp[mx]\b/.test((await readCommand(1)) ?? "")) return;
    const child = path.join(folder, "child.mjs");
    writeFileSync(
      child,
      `import { runUntilStopped } from ${JSON.stringify(new URL("../../cli/process/shutdown.js", import.meta.url).href)};
     import { pino } from ${JSON.stringify(import.meta.resolve("pino"))};
     setInterval(() => undefined, 60_000);
     process.stdout.write("ready " + process.pid + "\\n");
     await new Promise((resolve) => setTimeout(resolve, ${earlyMs}));
     process.exit(await runUntilStopped(pino({ level: "silent" }), async () => undefined));`,
    );
    const startedBy = async (env: Record<string, string>, command: string, args: readonly string[]) => {
      const parent = path.join(folder, `${++programs}.mjs`);
      writeFileSync(
        parent,
        `import { spawn } from "node:child_process";
       spawn(${JSON.stringify(command)}, ${JSON.stringify(args)}, { stdio: "inherit", detached: true });`,
      );
      const running = startProcess([], { script: parent, env });
      const pid = Number((await running.waitFor(/ready \d+/)).slice("ready ".length));
      process.kill(running.pid, "SIGKILL");
      return pid;
    };
    const npx = { npm_lifecycle_event: "npx" };
    // The second command keeps the shell from replacing itself by the first.
    const shell = ["-c", `"${process.execPath}" "${child}"; true`];
    const direct = await startedBy(npx, process.execPath, [child]);
    const byShell = await startedBy(npx, "sh", shell);
    const ofAnother = await startedBy({}, "sh", shell);
    try {
      await waitForEnd(direct);
      await waitForEnd(byShell);
      expect(isAlive(ofAnother)).toBe(true);
    } finally {
      process.kill(ofAnother, "SIGKILL");
    }
  },
);

test("a second signal ends the program at once", async () => {
  const running = program(`${stopping("slow", 60_000)} say("started");`);
  await running.waitFor("started");
  process.kill(running.pid, "SIGINT");
  await running.waitFor('"msg":"Stopping"');
  expect(await running.kill("SIGINT")).toEqual({ code: 130, signal: null });
});

test("a part that was still starting at the signal is stopped too", async () => {
  const running = program(
    `${stopping("one")} const signal = new Promise((resolve) => process.once("SIGTERM", resolve));
     say("started"); await signal; await sleep(50); ${stopping("two", 50)} say("went on");`,
  );
  await running.waitFor("started");
  expect((await running.kill("SIGTERM")).code).toBe(0);
  expect(running.output.match(/stopped \w+/g)).toEqual(["stopped one", "stopped two"]);
  expect(running.output).not.toContain("went on");
});

test("a part that ends by itself ends the program with code 1", async () => {
  const running = program(
    `${stopping("one")} parts.add("two", async () => undefined, sleep(50).then(() => { throw new Error("broken"); }));`,
  );
  expect((await running.exited).code).toBe(1);
  expect(running.output).toMatch(/"part":"two".*broken.*A part of the program ended unexpectedly/);
  expect(running.output).toContain("stopped one");
});

test("if the start fails, started parts are stopped", async () => {
  const running = program(`${stopping("one")} throw new Error("no luck");`);
  expect((await running.exited).code).toBe(9);
  expect(running.output).toBe("stopped one\nno luck\n");
});

test("a part that cannot be stopped does not block the others, and shows in the exit code", async () => {
  const running = program(
    `${stopping("one")} parts.add("two", async () => { throw new Error("stuck"); }); say("started");`,
  );
  await running.waitFor("started");
  expect((await running.kill("SIGTERM")).code).toBe(1);
  expect(running.output).toContain("stopped one");
});

test("a program that has finished its work stops its parts, which is no failure of theirs", async () => {
  const running = program(
    `let end; const ended = new Promise((resolve) => { end = resolve; });
     parts.add("one", async () => { end(); await sleep(50); say("stopped one"); }, ended);
     return 3;`,
  );
  expect(await running.exited).toMatchObject({ code: 3 });
  expect(running.output).toBe("stopped one\n");
});
