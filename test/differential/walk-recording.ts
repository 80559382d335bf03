import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import { computeEpoch } from "../../ledger/config/finalization-config.js";
import type { ChainMirror } from "./chain-mirror.js";
import type { WalkNetwork } from "./walk-network.js";

/**
 * Writes the chain of a walk for tests that execute it without a node: blocks, proofs of the epochs that were
 * finalized, the network's properties, and what was final when each block was executed.
 */
export async function recordWalk(
  folder: string,
  { properties }: WalkNetwork,
  mirror: ChainMirror,
  client: NodeClient,
): Promise<void> {
  await mkdir(join(folder, "resources"), { recursive: true });
  for (const [name, text] of Object.entries(properties)) await writeFile(join(folder, "resources", name), text);
  const blocks = mirror.blocks.map(({ height, bytes }) => ({ height, block: hexOf(bytes) }));
  const proofs: { epoch: number; proof: string }[] = [];
  const { votingSetGrouping } = mirror.state.config;
  for (let epoch = 1; epoch <= computeEpoch(mirror.finalizedHeight, votingSetGrouping); ++epoch) {
    const proof = await client.finalizationProofAtEpoch(epoch);
    if (proof) proofs.push({ epoch, proof: hexOf(proof) });
  }
  await writeFile(join(folder, "blocks.jsonl.gz"), lines(blocks));
  await writeFile(join(folder, "finalization-proofs.jsonl.gz"), lines(proofs));
  await writeFile(join(folder, "finalized-before.json"), `${JSON.stringify(mirror.finalizedBefore)}\n`);
}

function lines(rows: readonly object[]): Buffer {
  return gzipSync(rows.map((row) => `${JSON.stringify(row)}\n`).join(""), { level: 9 });
}

function hexOf(bytes: Buffer): string {
  return bytes.toString("hex").toUpperCase();
}
