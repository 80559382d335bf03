import { hex } from "../../catapult/entity/hex.js";
import { readHead } from "../../database/queries/head.js";
import { ProvenBlocks } from "../finality/final-blocks.js";
import { positionAt } from "../follow/head-row.js";
import { SnapshotError } from "../snapshot/errors.js";
import type { Snapshot } from "../snapshot/snapshot.js";
import { networkRules } from "../state/options.js";
import { noteTouchedKeys } from "../state/upgrade.js";
import { adoptNetwork } from "../step/network.js";
import type { Filling, PrepareOptions } from "./prepare.js";

const NEVER = new AbortController().signal;

/**
 * Prepares to fill an empty index from a snapshot, or to continue after an earlier restore was stopped. Blocks are
 * executed and verified as those of a node; finalization is taken from the proofs of the snapshot only.
 * @throws SnapshotError when the index has another chain, or the snapshot lacks what is not computed; WrongNetworkError
 */
export async function prepareFromSnapshot(
  { db, log, rules, executionOf }: Omit<PrepareOptions, "databaseUrl" | "range" | "isFirst" | "requests">,
  snapshot: Snapshot,
): Promise<Filling> {
  const { header } = snapshot;
  const identity = {
    identifier: header.networkIdentifier,
    generationHashSeed: Buffer.from(header.generationHashSeed, "hex"),
  };
  const { network, state } = networkRules(await adoptNetwork(db, identity), rules, log);
  const head = await readHead(db);
  const height = head?.height ?? 0;
  const isOfChain = height <= header.height && (height === 0 || head?.hash.equals(await snapshot.hashAt(height)));
  if (!isOfChain) {
    throw new SnapshotError(`The database has another chain, at height ${height}: restore into an empty one`);
  }
  const config = await executionOf(network);
  if (!config && !header.hasStatements) {
    throw new SnapshotError("The snapshot has no receipts, which are computed: STATE_SOURCE must not be node");
  }
  if (!config) await noteTouchedKeys({ db, network, log, ...state }, NEVER);
  const claimed = await snapshot.claimedFinalization();
  return {
    network,
    state,
    config,
    finalBlocks: config && new ProvenBlocks(snapshot, claimed, config),
    source: { read: (from, to) => snapshot.blocks(from, to) },
    sourceHeight: header.height,
    start: await positionAt(db, height),
    to: header.height,
    // Without executing there are no voters to verify the proofs.
    finalizationAt: async () => undefined,
    finish: async () => {
      const end = await readHead(db);
      if (end && hex(end.hash) === header.hash) return;
      throw new SnapshotError(`Block ${header.height} has another hash than the snapshot announces`);
    },
  };
}
