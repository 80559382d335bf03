import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { skip } from "../support/skipped.js";
import { RandomWalk } from "./random-walk.js";
import { PROGRAMS_SETTING, referencePrograms } from "./reference-node.js";
import type { WalkKind } from "./walk-network.js";

const BLOCKS = Number(process.env.TEST_WALK_BLOCKS ?? 60);
const TRANSACTIONS_PER_BLOCK = Number(process.env.TEST_WALK_TRANSACTIONS ?? 60);
const RECORD_TO = process.env.TEST_WALK_RECORD;
/** Blocks are meant to come every two seconds. */
const TIMEOUT_MS = 120_000 + BLOCKS * 20_000;

/**
 * A private network of the reference node, and transactions of all types in unusual combinations: every block has the
 * same receipts and state when our rules execute it, and every answer of the node was predicted.
 */
function walk(programs: string, kind: WalkKind): void {
  test(
    `a random walk on a ${kind} network beside the reference node`,
    async () => {
      const log = (line: string) => process.stderr.write(`${line}\n`);
      const options = {
        kind,
        programs,
        blocks: BLOCKS,
        transactionsPerBlock: TRANSACTIONS_PER_BLOCK,
        log,
        recordTo: RECORD_TO && join(RECORD_TO, kind),
      };
      const report = await RandomWalk.run(options);
      const { predictions, blocks, restarts, compared, finalizedHeight, harvesters, indexHeight } = report;
      log(`answers: ${JSON.stringify(Object.fromEntries(predictions.equal))}`);
      log(`${blocks.length} blocks by ${harvesters} harvesters, final ${finalizedHeight}`);
      log(`index restarted at ${restarts.join(", ")}, compared at ${compared} heights`);
      for (const wrong of predictions.wrong) log(JSON.stringify(wrong));
      expect(indexHeight).toBeGreaterThanOrEqual(blocks.length);
      expect(report.differences).toEqual([]);
      expect(predictions.wrong).toEqual([]);
      expect(finalizedHeight).toBeGreaterThan(1);
    },
    TIMEOUT_MS,
  );
}

describe("the reference node", () => {
  const programs = referencePrograms();
  for (const kind of ["public", "private"] as const) {
    if (programs) walk(programs, kind);
    else
      skip(
        `a random walk on a ${kind} network beside it`,
        `${PROGRAMS_SETTING} does not name a folder with catapult.server`,
      );
  }
});
