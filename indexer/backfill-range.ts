import type { Logger } from "pino";
import type { NetworkIdentity } from "../catapult/entity/model.js";
import type { NodeClient } from "../catapult/wire/node-client.js";
import type { Db } from "../database/database.js";
import { readRawBlocks } from "../database/queries/blocks.js";
import { type Head, readHead } from "../database/queries/head.js";
import type { NetworkConfig } from "../ledger/config/network-config.js";
import { configOf, type ExecutionOptions } from "./chain/execution/options.js";
import { type VoteSource, votesOf } from "./chain/execution/overrule.js";
import type { Filler } from "./chain/fill/filler.js";
import { RawSource } from "./chain/fill/raw-source.js";
import type { BlockSource } from "./chain/fill/source.js";
import { ProvenBranches, RecordedBranches, type VotedBranches } from "./chain/finality/votes.js";
import { compareBranch } from "./chain/follow/branch.js";
import { networkRules, type StateOptions } from "./chain/state/options.js";
import { BackfillRangeError } from "./chain/step/errors.js";
import { agreeOnNetwork, noteEpoch } from "./chain/step/network.js";
import { LARGEST_RANGE } from "./chain/step/range-limit.js";
import { emptyToRebuild } from "./chain/write/rollback.js";

/** A prepared range. */
export interface Filling {
  readonly network: NetworkIdentity;
  readonly source: BlockSource;
  /** Height of the source. */
  readonly sourceHeight: number;
  readonly head: Head;
  readonly to: number;
  /** What votes prove of the blocks. */
  readonly branches: VotedBranches;
  readonly votes: VoteSource;
  /** The rules by which blocks are executed. */
  readonly config: NetworkConfig;
}

export interface PrepareOptions {
  readonly db: Db;
  /** Connection string of the same database. */
  readonly databaseUrl: string;
  readonly log: Logger;
  readonly range: { readonly from?: number | undefined; readonly to?: number | undefined };
  /** False when an earlier attempt of this run has already begun to fill the range. */
  readonly isFirst: boolean;
  /** Rules from the network's configuration. */
  readonly rules: StateOptions | undefined;
  readonly execution: ExecutionOptions;
  readonly filler: Filler;
}

/**
 * Prepares to fill the index from a node. Lists number their entries in the order of the chain, so there can be no
 * gap: the requested range must begin at most right after the index, and existing blocks are kept.
 * @throws BackfillRangeError when that is impossible; WrongNetworkError
 */
export async function prepareFromNode(
  { db, log, range, rules, filler, execution }: PrepareOptions,
  clients: readonly [NodeClient, ...NodeClient[]],
): Promise<Filling> {
  const [node] = clients;
  const { network, epochAdjustment } = networkRules(await agreeOnNetwork(db, node), rules, log);
  await noteEpoch(db, epochAdjustment);
  const [statistics, finalized] = await Promise.all([node.chainStatistics(), node.finalizationStatistics()]);
  const head = await requireHead(db);
  const { height } = head;
  const { from = height + 1, to = statistics.height } = range;
  checkOrder(range.from, to);
  if (from > height + 1) {
    throw new BackfillRangeError(
      `The index is at height ${height}, and there can be no gap: --from must be at most ${height + 1}, not ${from}`,
    );
  }
  if (to > statistics.height) {
    throw new BackfillRangeError(`The node's chain ends at height ${statistics.height}: --to must not be ${to}`);
  }
  if (height > 0 && height < to) {
    const branch = await compareBranch(db, node, head, statistics.height);
    if (branch.kind === "fork") {
      throw new BackfillRangeError(
        `The node has left the chain of the index after height ${branch.common.height}: run the indexer, which follows it`,
      );
    }
  }
  const config = configOf(execution, network);
  return {
    network,
    config,
    branches: new ProvenBranches(node, finalized, config),
    votes: votesOf(node, () => config),
    source: filler.sourceOf(clients, log),
    sourceHeight: statistics.height,
    head,
    to,
  };
}

/**
 * Prepares to fill the index again from its own bytes: rolls it back to below the range. If there are bytes above the
 * index, an earlier incomplete run did that already: it is continued.
 * @throws BackfillRangeError when there is nothing to fill it from
 */
export async function prepareFromRaw({
  db,
  databaseUrl,
  log,
  range,
  isFirst,
  rules,
  execution,
}: PrepareOptions): Promise<Filling> {
  const head = await readHead(db);
  const stored = await storedNetwork(db);
  const newest = await newestRawHeight(db);
  if (!head || !stored || newest === 0) throw new BackfillRangeError("The database has no bytes of blocks");
  const { network, epochAdjustment } = networkRules(stored, rules, log);
  await noteEpoch(db, epochAdjustment);
  const { from = 1, to = newest } = range;
  checkOrder(range.from, to);
  if (to > newest) {
    throw new BackfillRangeError(`The database has bytes of blocks up to ${newest}: --to must not be ${to}`);
  }
  if (from > head.height + 1) {
    throw new BackfillRangeError(
      `The index is at height ${head.height}, and there can be no gap: --from must be at most ${head.height + 1}, not ${from}`,
    );
  }
  const config = configOf(execution, network);
  const isBegun = !isFirst || head.height < newest;
  if (isBegun) log.info({ height: head.height, to }, "Continuing to fill the index from its own bytes");
  if (!isBegun && from > 1) {
    throw new BackfillRangeError(`The state is computed from the first block on: --from must be 1, not ${from}`);
  }
  if (!isBegun) await emptyToRebuild(db);
  const branches = await RecordedBranches.load(db, to);
  return {
    network,
    config,
    branches,
    votes: {
      read: async (first, last) =>
        (await readRawBlocks(db, first, Math.min(last, first + LARGEST_RANGE.maxBlocks - 1))).map(({ block }) => block),
      branchTo: (height) => branches.branchTo(height),
    },
    source: new RawSource(databaseUrl),
    sourceHeight: newest,
    head: await requireHead(db),
    to,
  };
}

async function requireHead(db: Db): Promise<Head> {
  const head = await readHead(db);
  if (!head) throw new Error("The head row is missing");
  return head;
}

function checkOrder(from: number | undefined, to: number): void {
  if (from === undefined) return;
  if (from < 1) throw new BackfillRangeError(`The chain begins at height 1: --from must not be ${from}`);
  if (from > to) throw new BackfillRangeError(`--from (${from}) must not be above --to (${to})`);
}

async function storedNetwork(db: Db): Promise<NetworkIdentity | undefined> {
  const row = await db.selectFrom("head").select(["network_identifier", "generation_hash_seed"]).executeTakeFirst();
  if (row?.network_identifier == null || !row.generation_hash_seed) return undefined;
  return { identifier: row.network_identifier, generationHashSeed: row.generation_hash_seed };
}

async function newestRawHeight(db: Db): Promise<number> {
  const row = await db.selectFrom("raw_blocks").select("height").orderBy("height", "desc").limit(1).executeTakeFirst();
  return row?.height ?? 0;
}
