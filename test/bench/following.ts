import { openDatabase } from "../../database/connection.js";
import type { DevnetNetwork } from "../../devnet/network/network.js";
import { BranchNode, type ServedBlock } from "../support/branch-node.js";
import { createTestDatabase } from "../support/database.js";
import { executableNetwork, generateExecutableChain } from "../support/executable-chain.js";
import { generateLargeBlock } from "../support/large-block.js";
import { startProcess } from "../support/process.js";
import { until } from "../support/until.js";
import type { Benchmark, Figure } from "./benchmark.js";
import { measureInTurns, ratiosOfTimes } from "./compare.js";
import { withResources } from "./filled-database.js";
import { PREVIOUS, runProgram } from "./previous-version.js";

const BEHIND = Number(process.env.BENCH_FOLLOWING_BLOCKS ?? 1_000);
const BEFORE = BEHIND / 2;
/** Transfers with short messages: about 6,000 of them. */
const LARGE_BLOCK_BYTES = 1_200_000;
const SHORT_MESSAGE_BYTES = 8;
const ROUNDS = 5;
const LONGEST_MS = 600_000;

/** An indexer that catches up with its node. */
export const following: Benchmark = {
  name: "following",
  title: "Following: 1,000 blocks behind, and a block of 6,000 transactions",
  about:
    `An indexer follows a node in another process. When it has all ${BEFORE} blocks of the node, the node has ` +
    `${BEHIND.toLocaleString("en-US")} more at once (up to five transactions each), or one with about 6,000: time until the ` +
    "index has them. The baseline is the version of `BENCH_BEFORE`, which follows the same node.",
  run,
};

/** A chain in two parts. */
interface Parts {
  readonly what: string;
  readonly network: DevnetNetwork;
  readonly blocks: readonly ServedBlock[];
  /** Blocks that the index has at first. */
  readonly first: number;
}

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const shape = { seed: 1, blocks: BEFORE + BEHIND, open: BEFORE + BEHIND };
  const small = {
    what: `${BEHIND.toLocaleString("en-US")} blocks`,
    network: executableNetwork(shape).network,
    blocks: [...generateExecutableChain(shape)],
    first: BEFORE,
  };
  const large = {
    what: "a block of 6,000 transactions",
    ...generateLargeBlock(LARGE_BLOCK_BYTES, SHORT_MESSAGE_BYTES),
    first: 1,
  };
  const figures: Figure[] = [];
  for (const parts of [small, large]) {
    say(`${parts.what}: the chain is generated`);
    const baseline = () => (PREVIOUS === undefined ? Promise.resolve(0) : timeOf(parts, PREVIOUS));
    const times = await measureInTurns({ ours: () => timeOf(parts), baseline, rounds: ROUNDS });
    figures.push({ what: `${parts.what} written`, samples: times.ours, unit: "ms" });
    if (PREVIOUS === undefined) continue;
    figures.push(
      {
        what: `${parts.what}: speed, now / before`,
        samples: ratiosOfTimes(times),
        unit: "ratio",
        target: { atLeast: 0.9 },
      },
      { what: `${parts.what} written, before`, samples: times.baseline, unit: "ms" },
    );
  }
  return figures;
}

/** How long an indexer takes for the second part, in ms. */
async function timeOf({ network, blocks, first }: Parts, script?: string): Promise<number> {
  const node = await BranchNode.start({ network: network.identity, blocks: blocks.slice(0, first) });
  const database = await createTestDatabase();
  try {
    await runProgram(["migrate"], { DATABASE_URL: database.url }, script);
    const db = openDatabase({ url: database.url, poolSize: 1 });
    return await withResources(network, async (settings) => {
      const { host, port } = node.address;
      const env = { DATABASE_URL: database.url, CATAPULT_NODES: `${host}:${port}`, ...settings };
      const indexer = startProcess(["indexer"], { env, ...(script && { script, isUnsupervised: true }) });
      try {
        // No other column: another version may not have it.
        const head = db.selectFrom("head").select("height");
        const has = (height: number) => async () => (await head.executeTakeFirst())?.height === height;
        await until(has(first), `the index has ${first} blocks`, LONGEST_MS);
        const startedAt = performance.now();
        node.switchTo(blocks);
        await until(has(blocks.length), `the index has ${blocks.length} blocks`, LONGEST_MS);
        return performance.now() - startedAt;
      } finally {
        await indexer.kill("SIGKILL");
        await db.destroy();
      }
    });
  } finally {
    await database.drop();
    await node.close();
  }
}
