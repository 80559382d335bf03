import { describe, expect, test } from "@jest/globals";
import { skip } from "../support/skipped.js";
import { ForkingWalk } from "./forking-walk.js";
import { PROGRAMS_SETTING, referencePrograms } from "./reference-node.js";

const BLOCKS = Number(process.env.TEST_WALK_BLOCKS ?? 60);
const TRANSACTIONS_PER_BLOCK = Number(process.env.TEST_WALK_TRANSACTIONS ?? 60) / 4;
/** Blocks come about every four seconds while links are cut. */
const TIMEOUT_MS = 600_000 + BLOCKS * 60_000;

/**
 * Four nodes of the reference that all harvest and vote. Links between them are cut and healed, so that they leave
 * branches; the index that follows all of them is killed. It ends with their chain, receipts, state and finality, and
 * every message that it has sent was right.
 */
function walk(programs: string): void {
  test(
    "a random walk with forks beside four reference nodes",
    async () => {
      const log = (line: string) => process.stderr.write(`${line}\n`);
      const options = { programs, blocks: BLOCKS, forks: BLOCKS / 10, transactionsPerBlock: TRANSACTIONS_PER_BLOCK };
      const { differences, forks, ...report } = await ForkingWalk.run({ ...options, log });
      const deepest = forks.map((depths) => Math.max(0, ...depths));
      log(`forks of each node: ${forks.map(({ length }) => length)}, the deepest: ${deepest}`);
      log(JSON.stringify(report));
      for (const difference of differences) log(difference);
      expect(differences).toEqual([]);
      if (!report.isSplit) expect(report.height).toBeGreaterThanOrEqual(BLOCKS);
      expect(forks.flat().length).toBeGreaterThanOrEqual(BLOCKS / 10);
      expect(report.finalizedHeight).toBeGreaterThan(1);
    },
    TIMEOUT_MS,
  );
}

describe("four reference nodes", () => {
  const programs = referencePrograms();
  if (programs) walk(programs);
  else skip("a random walk with forks beside them", `${PROGRAMS_SETTING} does not name a folder with catapult.server`);
});
