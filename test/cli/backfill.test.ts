import path from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { describeFilling, Progress } from "../../cli/process/progress.js";
import { writeResources } from "../../devnet/network/resources.js";
import { BranchNode } from "../support/branch-node.js";
import { differences } from "../support/compare-databases.js";
import { executableNetwork, generateExecutableChain } from "../support/executable-chain.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { SeededRandom } from "../support/seeded-random.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { anyMoment, pause, until } from "../support/until.js";

const BLOCKS = 1_100;
/** An even number; `TEST_KILLS=100` kills more often. */
const KILLS = Number(process.env.TEST_KILLS ?? 4);
/** Delay per batch of blocks, in ms, so that a process is killed in the middle of its work on any machine. */
const NODE_PAUSE_MS = 20;

/** A node of blocks and proofs alone. @param folder receives the network's configuration */
async function serve(folder: string): Promise<BranchNode> {
  const shape = { blocks: BLOCKS, seed: 7, accounts: 50, votingSetGrouping: 100 };
  const generated = [...generateExecutableChain(shape)];
  const { network } = executableNetwork(shape);
  await writeResources(path.join(folder, "resources"), network, { port: 7900, host: "", friendlyName: "" });
  const node = await BranchNode.start({
    blocks: generated.map(({ block }) => ({ block, statement: Buffer.alloc(0) })),
    network: network.identity,
  });
  const proofs = generated.flatMap(({ proof, height }) => (proof ? [{ ...proof, height }] : []));
  node.showProofs(new Map(proofs.map(({ epoch, bytes }) => [epoch, bytes])));
  const { epoch, height } = proofs.at(-1)!;
  node.finalize({ epoch, point: 1, height });
  return node;
}

describe("symbol-gateway backfill", () => {
  let node: BranchNode;
  /** Above this height the node is silent, so that a process is killed in the middle of its work on any machine. */
  let served = BLOCKS;
  const folder = temporaryFolder(() => node?.close());

  beforeAll(async () => {
    node = await serve(folder);
    const answer = node.handlers.get(PacketType.pullBlocks);
    node.handlers.set(PacketType.pullBlocks, async (request, peer) => {
      await pause(NODE_PAUSE_MS);
      if (Number(request.readBigUInt64LE()) > served) return new Promise(() => undefined);
      return answer?.(request, peer);
    });
  });

  function start(index: IndexedDatabase, ...args: string[]): TestProcess {
    const { host, port } = node.address;
    const env = { DATABASE_URL: index.url, CATAPULT_NODES: `${host}:${port}`, DATA_DIR: folder };
    const rules = { CATAPULT_RESOURCES: path.join(folder, "resources") };
    return startProcess(["backfill", "--jobs", "1", ...args], { env: { ...env, ...rules }, cwd: folder });
  }

  async function run(index: IndexedDatabase, ...args: string[]): Promise<{ code: number | null; output: string }> {
    const program = start(index, ...args);
    const { code } = await program.exited;
    return { code, output: program.output };
  }

  const heightOf = async (index: IndexedDatabase) =>
    (await index.db.selectFrom("head").select("height").executeTakeFirst())?.height ?? 0;

  test(`killed ${KILLS} times at random moments, from a node and from raw bytes, it ends like an undisturbed one`, async () => {
    const undisturbed = await IndexedDatabase.create();
    const disturbed = await IndexedDatabase.create();
    const random = new SeededRandom();
    try {
      const { code, output } = await run(undisturbed);
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("The range is filled") });
      expect(output).toContain("0 / 1 100");

      const heights = [];
      let source = "node";
      served = BLOCKS - 200;
      // One kill in each half comes before anything is written, the others in the middle of a batch, or between two.
      const early = random.below(KILLS / 2);
      for (let kill = 0; kill < KILLS; kill++) {
        if (source === "node" && kill === KILLS / 2) {
          served = BLOCKS;
          expect((await run(disturbed)).code).toBe(0);
          source = "raw";
          // An older index recorded few of them: a final block makes those below it final.
          const odd = sql`delete from finalized_blocks where epoch % 2 = 1`;
          await odd.execute(disturbed.db);
        }
        const before = await heightOf(disturbed);
        const program = start(disturbed, "--source", source);
        await program.waitFor(/blocks\/s/);
        if (kill % (KILLS / 2) !== early) {
          const hasMoved = async () => {
            expect(program.output).not.toContain("failed; trying again");
            return ![before, 0].includes(await heightOf(disturbed));
          };
          await until(hasMoved, "a batch is written");
        }
        await anyMoment(random, 100);
        await program.kill("SIGKILL");
        heights.push(await heightOf(disturbed));
      }
      process.stderr.write(`heights after each kill: ${heights.join(" ")}\n`);
      expect(heights.filter((height) => height > 0 && height < BLOCKS).length).toBeGreaterThanOrEqual(KILLS / 4);
      expect((await run(disturbed, "--source", source)).code).toBe(0);
      expect(await heightOf(disturbed)).toBe(BLOCKS);
      expect(await differences(undisturbed.url, disturbed.url)).toEqual([]);
    } finally {
      await disturbed.drop();
      await undisturbed.drop();
    }
  });

  test("reports invalid arguments, and stops in order", async () => {
    const index = await IndexedDatabase.create();
    try {
      expect(await run(index, "--from", "5")).toEqual({
        code: 2,
        output: expect.stringContaining(
          "The index is at height 0, and there can be no gap: --from must be at most 1, not 5.",
        ),
      });
      expect(await run(index, "--source", "elsewhere")).toEqual({
        code: 2,
        output: '--source must be node or raw, not "elsewhere".\n',
      });
      expect((await run(index, "--jobs", "0")).output).toContain("--jobs must be from 1 to 256, not 0.");
      expect(await heightOf(index)).toBe(0);

      const program = start(index);
      await program.waitFor(/blocks\/s/);
      expect(await program.kill("SIGTERM")).toEqual({ code: 1, signal: null });
      expect(program.output).toContain("Stopped before the range was filled");
      expect((await run(index)).code).toBe(0);
      expect(await heightOf(index)).toBe(BLOCKS);
    } finally {
      await index.drop();
    }
  });
});

describe("progress", () => {
  const figures = { height: 1_234_567, target: 6_000_000, blocksPerSecond: 1_500.4, transactionsPerSecond: 4_000 };

  test("is one line", () => {
    expect(describeFilling({ ...figures, secondsLeft: 3_177 })).toBe(
      "1 234 567 / 6 000 000, 1 500 blocks/s, 4 000 transactions/s, 52 min 57 s left",
    );
    expect(describeFilling({ ...figures, secondsLeft: 7_260 })).toMatch(/, 2 h 1 min left$/);
    expect(describeFilling({ ...figures, secondsLeft: 9.1 })).toMatch(/, 10 s left$/);
    expect(describeFilling({ ...figures, secondsLeft: undefined })).toMatch(/transactions\/s$/);
  });

  test("is one changing line in a terminal, within its width", () => {
    const written: string[] = [];
    const screen = { isTTY: true, columns: 40, write: (text: string) => written.push(text) };
    const progress = new Progress(new LogLines().logger, screen);
    progress.show(describeFilling({ ...figures, secondsLeft: 60 }), figures);
    progress.end();
    expect(written).toEqual(["\r\u001b[2K1 234 567 / 6 000 000, 1 500 blocks/s, ", "\n"]);
  });

  test("is a log line every five seconds without a terminal", () => {
    const log = new LogLines();
    let now = 0;
    const progress = new Progress(log.logger, { write: () => undefined }, () => now);
    for (now = 0; now < 11_000; now += 1_000) progress.show(describeFilling({ ...figures, secondsLeft: 60 }), figures);
    expect(log.matching(/1 234 567 \/ 6 000 000/)).toHaveLength(3);
  });
});
