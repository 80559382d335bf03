import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "@jest/globals";
import {
  readRunningSettings,
  removeRunningSettings,
  runningValues,
  writeRunningSettings,
} from "../../cli/settings/running-settings.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = temporaryFolder();
const file = path.join(folder, "running.json");

describe("settings of the program that runs on a data folder", () => {
  test("are read while the process runs, and gone when it removed them", async () => {
    await writeRunningSettings(folder, { PORT: "1234" });
    expect(await readRunningSettings(folder)).toEqual({ PORT: "1234" });
    await removeRunningSettings(folder);
    expect(await readRunningSettings(folder)).toBeUndefined();
  });

  test.each([
    ["of a process that has ended", JSON.stringify({ pid: 2 ** 22 + 1, command: "x", settings: { PORT: "1" } })],
    ["whose id belongs to another program now", JSON.stringify({ pid: process.pid, command: "x", settings: {} })],
    ["that make no sense", "{"],
    ["that are no settings", JSON.stringify({ pid: process.pid, settings: 5 })],
  ])("are ignored if left by a process %s, and are removed at the next start", async (_, content) => {
    writeFileSync(file, content);
    expect(await readRunningSettings(folder)).toBeUndefined();
    await removeRunningSettings(folder);
    await writeRunningSettings(folder, { HOST: "::1" });
    expect(await readRunningSettings(folder)).toEqual({ HOST: "::1" });
  });

  test("are overridden by given ones, each by itself; port 0 gives nothing", () => {
    const running = { PORT: "1", HOST: "h", CATAPULT_NODES: "n:2", CATAPULT_RESOURCES: "/r", DEVNET_SEED: "s" };
    expect(runningValues(running, ["gateway", "node"], { HOST: "x" })).toEqual({
      PORT: "1",
      HOST: "h",
      CATAPULT_NODES: "n:2",
      CATAPULT_RESOURCES: "/r",
    });
    expect(runningValues(running, ["gateway", "node"], { PORT: "3", CATAPULT_NODES: "n:4" })).toEqual({});
    expect(runningValues(running, ["gateway", "keys"], { PORT: "0", DEVNET_SEED: "t" })).toEqual({
      PORT: "1",
      HOST: "h",
    });
  });
});
