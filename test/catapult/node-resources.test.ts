import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { NodeResources, type NodeResourcesError } from "../../catapult/network/node-resources.js";
import { anotherUser } from "../support/another-user.js";
import { skip } from "../support/skipped.js";
import { dataPath } from "../support/test-data.js";

let folder: string;
let resources: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-resources-"));
  chmodSync(folder, 0o755);
  resources = path.join(folder, "resources");
  cpSync(dataPath("resources"), resources, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const FILE = "config-node.properties";

describe("a node's resources", () => {
  test("stay valid while the folder is written again, and are read anew then", async () => {
    const kept: NodeResourcesError[] = [];
    const files = new NodeResources(resources, (error) => kept.push(error));
    await files.load();
    const before = await files.network();
    rmSync(resources, { recursive: true });
    expect(await files.network()).toBe(before);
    expect(await files.network()).toBe(before);
    expect((await files.node()).titles()).toContain("node");
    // Once for each file.
    expect(kept.map(({ detail }) => detail)).toEqual([
      `config-network.properties cannot be read: ENOENT: ${resources} does not exist`,
      `${FILE} cannot be read: ENOENT: ${resources} does not exist`,
    ]);
    cpSync(dataPath("resources"), resources, { recursive: true });
    // Half of it is written.
    writeFileSync(path.join(resources, FILE), "[node]\nminFee");
    expect((await files.node()).titles()).toContain("localnode");
    writeFileSync(path.join(resources, FILE), "[node]\nminFeeMultiplier = 77\n");
    utimesSync(path.join(resources, FILE), 1, 1);
    expect((await files.node()).section("node").number("minFeeMultiplier")).toBe(77);
  });

  test("that were never read are an error, whose message has nothing of this machine", async () => {
    const missing = new NodeResources(path.join(folder, "nowhere"));
    await missing.load();
    await expect(missing.network()).rejects.toMatchObject({
      message: "config-network.properties of CATAPULT_RESOURCES: cannot be read",
      detail: `config-network.properties cannot be read: ENOENT: ${folder}/nowhere does not exist`,
    });
  });

  const DENIED = "that are denied to this user name its number, and the file's owner and mode";
  if (!anotherUser) skip(DENIED, "no program can run as another user here");
  else
    test(DENIED, () => {
      const file = path.join(resources, FILE);
      chmodSync(file, 0o400);
      chmodSync(resources, 0o755);
      const own = "belongs to user 0, group 0, with mode";
      const user = "this program is user 24001, group 24001";
      expect(readAsOther()).toBe(`${FILE} cannot be read: EACCES: ${file} ${own} 0400; ${user}`);
      chmodSync(resources, 0o700);
      expect(readAsOther()).toBe(`${FILE} cannot be read: EACCES: ${resources} ${own} 0700; ${user}`);
      expect(statSync(resources).uid).toBe(0);
    });

  /** @returns the detail of the error, when another user reads the file */
  function readAsOther(): string {
    const module = new URL("../../catapult/network/node-resources.js", import.meta.url).href;
    const script = `
      const { NodeResources } = await import(${JSON.stringify(module)});
      process.setgroups([]); process.setgid(24001); process.setuid(24001);
      await new NodeResources(${JSON.stringify(resources)}).node().catch(({ detail }) => process.stdout.write(detail));`;
    return spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }).stdout;
  }
});
