import { expect, test } from "@jest/globals";
import { commandOf } from "../../cli/process/process-identity.js";
import { nodeOptionsOf } from "../../cli/process/v8-options.js";
import { createMigratedDatabase } from "../support/database.js";
import { startProcess } from "../support/process.js";
import { skip } from "../support/skipped.js";

const STARTS_OVER = "a gateway started without its V8 options starts over with them, as the same process";
const GATEWAY = ["--max-semi-space-size=4", "--heap-growing-percent=25"];

test("a process inherits options of node and adds those of its command, unless the operator has set them", () => {
  expect(nodeOptionsOf("gateway", ["--inspect"])).toEqual(["--inspect", ...GATEWAY]);
  expect(nodeOptionsOf("gateway", ["--max_semi_space_size=16"])).toEqual(["--max_semi_space_size=16", GATEWAY[1]]);
  expect(nodeOptionsOf("migrate", ["--inspect"])).toEqual(["--inspect"]);
  const environment = { NODE_OPTIONS: "--enable-source-maps --max-semi-space-size=8" };
  expect(nodeOptionsOf("gateway", [], environment)).toEqual([GATEWAY[1]]);
});

if ("execve" in process) {
  test(STARTS_OVER, async () => {
    const database = await createMigratedDatabase();
    const program = startProcess(["gateway", "--workers", "1"], {
      env: { DATABASE_URL: database.url, HOST: "127.0.0.1", PORT: "0", DEVNET_PORT: "1", LOG_FORMAT: "json" },
      isUnsupervised: true,
    });
    try {
      await program.waitFor(/"pid":(\d+).*"msg":"Listening"/);
      expect(program.output).toContain(`"pid":${program.pid},`);
      expect(await commandOf(program.pid)).toMatch(
        new RegExp(` ${GATEWAY.join(" ")} \\S+main\\.js gateway --workers 1$`),
      );
      expect(await program.kill("SIGTERM")).toEqual({ code: 0, signal: null });
    } finally {
      await program.kill();
      await database.drop();
    }
  });
} else {
  skip(STARTS_OVER, "this version of Node cannot start a process over");
}
