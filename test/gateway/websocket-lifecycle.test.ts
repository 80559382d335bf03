import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { createMigratedDatabase } from "../support/database.js";

test("a closed gateway leaves no timer and no socket: its process ends by itself", async () => {
  const database = await createMigratedDatabase();
  try {
    const program = fileURLToPath(new URL("./websocket-run.js", import.meta.url));
    // Timers that remain last longer, and sockets for ever.
    const { stdout } = await promisify(execFile)(process.execPath, [program, database.url], { timeout: 120_000 });
    expect(JSON.parse(stdout)).toMatchObject({
      closed: { code: 1001, reason: "The gateway is shutting down" },
      stats: { connections: 0, subscriptions: 0, topics: 0 },
      feeds: 0,
    });
  } finally {
    await database.drop();
  }
});
