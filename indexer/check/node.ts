import { sql } from "kysely";
import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { findBlockHash, findBlockHashes } from "../../database/queries/blocks.js";
import { readHead } from "../../database/queries/head.js";
import { hasBlock } from "../chain/finality/finality.js";
import { textOf } from "./compare-rows.js";
import type { Findings, HeightRange } from "./findings.js";

/** A node sends at most 84 hashes by default. */
const HASHES_AT_A_TIME = 50;
/** Number of finalization proofs requested at a time; a response has at most 16 MiB. */
const EPOCHS_AT_A_TIME = 8;

/**
 * Compares the stored hashes of the blocks `from` to `to` (inclusive) with the node's.
 * @returns the first height above the finalized one at which the node is on another branch
 */
export async function checkBlockHashes(
  db: Db,
  findings: Findings,
  node: NodeClient,
  { from, to }: HeightRange,
): Promise<number | undefined> {
  const finalizedHeight = (await readHead(db))?.finalization.height ?? 0;
  const stored = await findBlockHashes(db, from, to);
  let branch: number | undefined;
  for (let first = from; first <= to; first += HASHES_AT_A_TIME) {
    const hashes = await node.blockHashes(first, Math.min(HASHES_AT_A_TIME, to - first + 1));
    for (const [index, hash] of hashes.entries()) {
      const height = first + index;
      const ours = stored.get(height);
      if (!ours || ours.equals(hash)) continue;
      if (height > finalizedHeight) branch ??= height;
      else {
        const problem = `is ${textOf(ours)}, not ${textOf(hash)} as on the node`;
        findings.add({ table: "blocks", key: `height=${height}`, column: "hash", problem });
      }
    }
    findings.countChecked("block hashes of the node", hashes.length);
  }
  return branch;
}

/**
 * Compares finalized blocks with the node's proofs: all, or a random sample.
 * @returns proofs that are for blocks which neither the index nor the node has, in words
 */
export async function checkFinalizationProofs(
  db: Db,
  findings: Findings,
  node: NodeClient,
  sample: number | undefined,
): Promise<readonly string[]> {
  const outside: string[] = [];
  const { rows } = await sql<{ epoch: number; point: number; height: number; hash: Buffer }>`
    select distinct on (epoch) * from finalized_blocks order by epoch, point desc`.execute(db);
  // The proof of the current epoch may be of a later point than ours, or an earlier one.
  const ended = rows.slice(0, -1);
  const chosen = sample === undefined ? ended : ended.sort(() => Math.random() - 0.5).slice(0, sample);
  for (let start = 0; start < chosen.length; start += EPOCHS_AT_A_TIME) {
    const some = chosen.slice(start, start + EPOCHS_AT_A_TIME);
    const proofs = await Promise.all(some.map(({ epoch }) => node.finalizationProofAtEpoch(epoch)));
    for (const [index, row] of some.entries()) {
      const bytes = proofs[index];
      if (!bytes) continue;
      const proof = decodeFinalizationProof(bytes);
      const block = await findBlockHash(db, proof.height);
      if (block && !block.equals(proof.hash) && !(await hasBlock(node, proof))) {
        outside.push(`the proof of epoch ${row.epoch}: it is for a block ${proof.height} that the node does not have`);
        continue;
      }
      const name = `epoch=${row.epoch} point=${row.point}`;
      for (const [column, theirs] of [
        ["point", proof.point],
        ["height", proof.height],
      ] as const) {
        // We may have missed the epoch's last rounds.
        if (row[column] === theirs || (row.point < proof.point && row[column] < theirs)) continue;
        const problem = `is ${row[column]}, not ${theirs} as in the proof of the epoch`;
        findings.add({ table: "finalized_blocks", key: name, column, problem });
      }
      findings.countChecked("finalization proofs of the node", 1);
      if (!block || block.equals(proof.hash)) continue;
      const problem = `is ${textOf(block)}, not ${textOf(proof.hash)} as in the proof of epoch ${row.epoch}`;
      findings.add({ table: "blocks", key: `height=${proof.height}`, column: "hash", problem });
    }
  }
  return outside;
}
