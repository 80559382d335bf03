import { BLOCK } from "../../catapult/entity/entity-layout.js";
import { readHead } from "../../database/queries/head.js";
import type { ProofRules } from "../../ledger/finalization/verify-proof.js";
import { branchProvenBy, endOf } from "../finality/voted-branch.js";
import { positionAt } from "../follow/head-row.js";
import { readRecords, type Snapshot, SnapshotError } from "../snapshot/snapshot.js";
import { networkRules } from "../state/options.js";
import { adoptNetwork, noteEpoch } from "../step/network.js";
import type { ChainEnd } from "./chain-end.js";
import type { Filling, PrepareOptions } from "./prepare.js";

const NONE = Buffer.alloc(0);
/** Maximum bytes of proofs whose blocks were not executed yet. */
const MAX_PROOF_BYTES = 64 * 1024 * 1024;
const OTHER_CHAIN = "The database has another chain than the snapshot: restore into an empty one";

/**
 * Prepares to fill an empty index from a snapshot, or to continue after a stop. Blocks are verified as those of a node.
 * @throws WrongNetworkError
 */
export async function prepareFromSnapshot(
  { db, log, rules, executionOf }: Pick<PrepareOptions, "db" | "log" | "rules" | "executionOf">,
  snapshot: Snapshot,
): Promise<Filling> {
  const { networkIdentifier: identifier, generationHashSeed, height } = snapshot.header;
  const identity = { identifier, generationHashSeed: Buffer.from(generationHashSeed, "hex") };
  const { network, epochAdjustment } = networkRules(await adoptNetwork(db, identity), rules, log);
  await noteEpoch(db, epochAdjustment);
  const config = await executionOf(network);
  const start = await positionAt(db, (await readHead(db))?.height ?? 0);
  const parts = { ...sourceOf(snapshot, start, config), sourceHeight: height, start, to: height };
  return { network, config, ...parts };
}

/** The blocks of a snapshot, and which of them its votes prove. */
function sourceOf(snapshot: Snapshot, start: ChainEnd, rules: ProofRules): Pick<Filling, "source" | "branches"> {
  const proofs = new Map<number, Buffer>();
  let proofBytes = 0;
  const forget = (epoch: number): void => {
    for (const [held, { length }] of proofs) if (held <= epoch && proofs.delete(held)) proofBytes -= length;
  };
  return {
    branches: {
      claimedHeight: snapshot.header.finalizedHeight,
      async branchTo(height, epoch, voters) {
        const bytes = proofs.get(epoch);
        forget(epoch);
        const branch = bytes && voters && branchProvenBy(bytes, voters, rules);
        return branch && endOf(branch).height >= height ? branch : undefined;
      },
    },
    source: {
      async *read(from, to) {
        let height = 0;
        for await (const { bytes, epoch } of readRecords(snapshot)) {
          if (epoch !== undefined) {
            if (height + 1 < from) forget(epoch);
            proofs.set(epoch, bytes);
            proofBytes += bytes.length;
            if (proofBytes > MAX_PROOF_BYTES) throw new SnapshotError(`There are too many proofs up to epoch ${epoch}`);
            continue;
          }
          height += 1;
          if (height < from) continue;
          const previousHash = bytes.subarray(BLOCK.previousBlockHash, BLOCK.transactionsHash);
          if (height === from && !previousHash.equals(start.hash)) throw new SnapshotError(OTHER_CHAIN);
          yield [{ bytes, statement: NONE, subCacheMerkleRoots: NONE }];
          if (height === to) return;
        }
      },
    },
  };
}
