import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";

const MEBIBYTE = 1024 * 1024;
const LIMIT = 300 * MEBIBYTE;
const BLOCKS = 10_000;

const probe = fileURLToPath(new URL("memory-probe.js", import.meta.url));

interface Measurement {
  readonly height: number;
  readonly rss: number;
  readonly kept: number;
}

test("a devnet stays below 300 MiB for 10,000 blocks, by the memory that each of the first ones keeps", async () => {
  const rounds = ["300", "4"];
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", probe, ...rounds]);
  const [first, ...others] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Measurement);
  const last = others.at(-1);
  if (!first || !last) throw new Error("nothing was measured");
  const perBlock = (last.kept - first.kept) / (last.height - first.height);
  const expected = last.rss + perBlock * (BLOCKS - last.height);
  process.stderr.write(
    `devnet memory: ${mebibytes(last.rss)} MiB at height ${last.height}, ${Math.round(perBlock)} bytes kept of a block: ` +
      `${mebibytes(expected)} MiB at ${BLOCKS}\n`,
  );
  expect(last.height).toBe(1201);
  expect(expected).toBeLessThan(LIMIT);
});

function mebibytes(bytes: number): number {
  return Math.round(bytes / MEBIBYTE);
}
