import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { isSupportedNode, nodeVersionWarning } from "../../cli/process/node-version.js";

const program = fileURLToPath(new URL("../../cli/main.js", import.meta.url));

test.each(["22.11.0", "24.0.0", "26.10.1"])("Node %s is supported", (version) => {
  expect(nodeVersionWarning(version)).toBeUndefined();
});

test.each(["20.19.0", "21.7.3", "23.1.0", "25.0.0-nightly", "220.0.0"])("Node %s is not", (version) => {
  expect(nodeVersionWarning(version)).toBe(`Node ${version} is not supported, 22, 24, 26 are: this may work, or not.`);
});

test("a program without a supervisor logs it once at its start", () => {
  const { PATH = "" } = process.env;
  const env = { PATH, DATA_DIR: "/dev/null/none" };
  const { stdout, stderr } = spawnSync(process.execPath, [program, "devnet"], { env, cwd: tmpdir(), encoding: "utf8" });
  expect(`${stdout}${stderr}`).toContain("/dev/null/none");
  const warning = nodeVersionWarning(process.versions.node) ?? "is not supported";
  expect(`${stdout}${stderr}`.split(warning)).toHaveLength(isSupportedNode(process.versions.node) ? 1 : 2);
});
