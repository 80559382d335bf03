import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { encodeHeader, encodeRecord } from "../../indexer/snapshot/snapshot.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { startProcess } from "../support/process.js";
import { pause } from "../support/until.js";

const MIB = 1024 * 1024;
/** The main network, whose rules are built in. */
const HEADER = {
  networkIdentifier: 104,
  generationHashSeed: "57F7DA205008026C776CB6AED843393F04CD458E0AA2D9F1D5F31A402072B2D6",
  height: 10,
  finalizedHeight: 1,
};

const ZEROS = /^block 0: block\.size is 0, but there are \d+ bytes\.\n$/;

describe("symbol-gateway snapshot", () => {
  let folder: string;
  let file: string;
  let database: TestDatabase;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-snapshot-"));
    file = path.join(folder, "chain.snapshot");
    database = await createTestDatabase();
    expect((await run("migrate")).code).toBe(0);
  });

  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  /** Runs the program to its end. @returns also its largest memory, in MiB, where the system shows it */
  async function run(...args: readonly string[]): Promise<{ code: number | null; output: string; memory: number }> {
    const program = startProcess(args, { cwd: folder, env: { DATABASE_URL: database.url, LOG_LEVEL: "error" } });
    let [memory, isRunning] = [0, true];
    void program.exited.finally(() => {
      isRunning = false;
    });
    while (isRunning) {
      memory = Math.max(memory, memoryOf(program.pid));
      await Promise.race([pause(20), program.exited]);
    }
    const { code } = await program.exited;
    return { code, output: program.output, memory };
  }

  const written = (...records: readonly Buffer[]) =>
    Buffer.concat([Buffer.from(encodeHeader(HEADER)), gzipSync(Buffer.concat(records))]);
  const withHeader = (changes: object) =>
    Buffer.from(`${JSON.stringify({ format: "symbol-gateway snapshot 2", ...HEADER, ...changes })}\n`);
  const sizeOnly = (size: number) => {
    const frame = Buffer.alloc(8);
    frame.writeUInt32LE(size);
    frame.writeUInt32LE(PacketType.pushBlock, 4);
    return frame;
  };
  const noSnapshot = /^.*chain\.snapshot does not begin like a snapshot of this version of the format\.\n$/;
  const unreadable = /^The snapshot cannot be read after block 0: .+\.\n$/;

  test.each<[string, () => Buffer, RegExp]>([
    ["terminal escapes", () => Buffer.from("\u001b[2J\u009b2J\n"), noSnapshot],
    [
      "a former description of -32 bytes",
      () => former({ kind: "header", bytes: -32 }),
      /has a former format.*again\.\n$/,
    ],
    ["a former description that is null", () => former(null), /has a former format.*again\.\n$/],
    ["no records", () => withHeader({}), unreadable],
    [
      "a block of 3 bytes",
      () => written(encodeRecord("block", Buffer.alloc(3))),
      /^The database has another chain.+\.\n$/,
    ],
    ["a block of zeros", () => written(encodeRecord("block", Buffer.alloc(500))), ZEROS],
  ])(
    "a file with %s ends in one sentence",
    async (_, content, message) => {
      writeFileSync(file, content());
      const { code, output } = await run("snapshot", "restore", file);
      expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(message) });
    },
    30_000,
  );

  test.each<[string, () => Buffer, RegExp]>([
    [
      "blocks",
      () => encodeRecord("block", Buffer.alloc(140 * MIB)),
      /^block 0: block\.size is 0, but there are \d+ bytes\.\n$/,
    ],
    ["one record", () => Buffer.concat([sizeOnly(2 ** 32 - 1), Buffer.alloc(140 * MIB)]), unreadable],
    ["proofs", () => encodeRecord("proof", proofOf(15 * MIB)), /^There are too many proofs up to epoch 7\.\n$/],
  ])(
    "a small file that unpacks to 2 GiB of %s ends in one sentence, and in bounded memory",
    async (_, record, message) => {
      // A gzip file may have several parts, which are unpacked one after the other.
      const part = gzipSync(record());
      const parts = Array.from({ length: Math.ceil((2 * 1024 * MIB) / record().length) }, () => part);
      writeFileSync(file, Buffer.concat([withHeader({}), ...parts]));
      expect(readFileSync(file).length).toBeLessThan(16 * MIB);
      const { code, output, memory } = await run("snapshot", "restore", file);
      expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(message) });
      process.stderr.write(`snapshot: at most ${memory} MiB\n`);
      expect(memory).toBeLessThan(1_024);
    },
    120_000,
  );

  test("names a file that is missing, one that exists, and an index without blocks", async () => {
    const missing = await run("snapshot", "restore", path.join(folder, "missing"));
    expect(missing.output).toMatch(/^A file cannot be used: ENOENT: no such file or directory, open '.*missing'\.\n$/);
    writeFileSync(file, "");
    const existing = await run("snapshot", "save", file, "--offline");
    expect(existing.output).toMatch(
      /^A file cannot be used: EEXIST: file already exists, open '.*chain\.snapshot'\.\n$/,
    );
    rmSync(file);
    const empty = await run("snapshot", "save", file, "--offline");
    expect(empty.output).toBe("Nothing is indexed yet: there is nothing to save.\n");
    expect(() => readFileSync(file)).toThrow("ENOENT");
  });
});

/** The start of a snapshot in the former format: a description after its length. */
function former(description: object | null): Buffer {
  const text = Buffer.from(JSON.stringify(description));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([Buffer.from("symbol-gateway snapshot 1\n"), length, text]);
}

/** A finalization proof of epoch 7 with one group of this many bytes, of zeros. */
function proofOf(bytes: number): Buffer {
  const hashes = Math.floor(bytes / 32);
  const proof = Buffer.alloc(56 + 24 + 32 * hashes);
  proof.writeUInt32LE(proof.length);
  proof.writeUInt32LE(7, 8);
  proof.writeUInt32LE(24 + 32 * hashes, 56);
  proof.writeUInt32LE(hashes, 60);
  return proof;
}

/** The largest memory of a process so far, in MiB; 0 where the system does not show it. */
function memoryOf(pid: number): number {
  try {
    const [, kilobytes = 0] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Math.round(Number(kilobytes) / 1024);
  } catch {
    return 0;
  }
}
