import type { Logger } from "pino";
import type { NodeCredentials } from "../../catapult/certificate/certificate.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { STATE_KINDS } from "../../catapult/state/kind.js";
import { NodeClient } from "../../catapult/wire/node-client.js";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { reportOutage } from "../../database/outage.js";
import { readHead, readIndexPoint } from "../../database/queries/head.js";
import { stateEverDiffered } from "../../database/queries/missing-rules.js";
import { readNetworkIdentity } from "../../database/queries/network.js";
import { type ExecutionOptions, requireConfig, withSinks } from "../chain/execution/options.js";
import { WrongNetworkError } from "../chain/step/errors.js";
import { checkBlocks } from "./blocks.js";
import { checkChainLists, someChainLists } from "./chain-lists.js";
import { checkDailySums } from "./daily-sums.js";
import { type Difference, Findings, type HeightRange, TooManyDifferencesError } from "./findings.js";
import { checkHead } from "./head.js";
import { checkBlockHashes, checkFinalizationProofs } from "./node.js";
import { checkBalanceSums, checkStateOrphans, checkStateRows, readStateRows } from "./state.js";
import { checkSomeStateLists, checkStateLists } from "./state-lists.js";
import { checkStateTrees } from "./state-trees.js";

export interface CheckOptions {
  readonly databaseUrl: string;
  /** The nodes to compare with: without any, the database is only checked by itself. */
  readonly nodes?: readonly { readonly host: string; readonly port: number }[] | undefined;
  readonly credentials: NodeCredentials;
  readonly log: Logger;
  /** Lowest checked height; default 1. */
  readonly from?: number | undefined;
  /** Highest checked height; default the head. */
  readonly to?: number | undefined;
  /** Maximum number of random blocks, lists, and entries of each kind of state; default all. */
  readonly sample?: number | undefined;
  readonly report: (difference: Difference) => void;
  /** Number of differences after which the check ends; default 1,000. */
  readonly maxDifferences?: number | undefined;
  /** The rules of the network, as for the indexer. */
  readonly execution: Pick<ExecutionOptions, "configOf">;
}

export interface CheckResult {
  readonly differences: number;
  /** Number of checked things by kind. */
  readonly checked: ReadonlyMap<string, number>;
  /** What could not be checked, and why. */
  readonly left: readonly string[];
}

const BLOCKS_AT_A_TIME = 100;
const PROGRESS_EVERY_MS = 5_000;

/**
 * Verifies a database by itself, and against a node: the stored bytes of blocks against their headers, parents and
 * signatures; every row against a new rendering; counters, skip pointers, sums by day, head and finalized blocks against
 * the rows;
 * state against its values, and as a whole against the head's state hash; block hashes and finalization proofs of
 * the node against the stored ones. Changes nothing. The indexer may keep writing meanwhile.
 * @throws WrongNetworkError when the node serves another network; UnknownNetworkError when the rules of the network are unknown;
 *   errors of database and node as they are
 */
export async function checkDatabase(options: CheckOptions): Promise<CheckResult> {
  const { databaseUrl, nodes, credentials, log } = options;
  const db = openDatabase({
    url: databaseUrl,
    poolSize: 2,
    statementTimeoutMs: 0,
    applicationName: "symbol-gateway check",
    onError: (error) => reportOutage(log, error),
  });
  const node = nodes && new NodeClient({ nodes: [...nodes], credentials, log, repeatLost: true });
  try {
    return await new Check(db, node, options).run();
  } finally {
    await node?.close();
    await db.destroy();
  }
}

class Check {
  readonly #db: Db;
  readonly #node: NodeClient | undefined;
  readonly #options: CheckOptions;
  readonly #findings: Findings;
  readonly #left: string[] = [];
  #network: NetworkIdentity = { identifier: 0, generationHashSeed: Buffer.alloc(0) };

  constructor(db: Db, node: NodeClient | undefined, options: CheckOptions) {
    this.#db = db;
    this.#node = node;
    this.#options = options;
    this.#findings = new Findings(options.report, options.maxDifferences ?? 1_000);
  }

  async run(): Promise<CheckResult> {
    const head = await readHead(this.#db);
    try {
      if (!head || head.height === 0) this.#left.push("the database is empty");
      else await this.#all(head.height);
    } catch (error) {
      if (!(error instanceof TooManyDifferencesError)) throw error;
      this.#left.push(error.message);
    }
    const { differences, checked } = this.#findings;
    return { differences, checked, left: this.#left };
  }

  async #all(height: number): Promise<void> {
    const { from = 1, to = height, sample } = this.#options;
    this.#network = await this.#agreeOnNetwork();
    const range = { from: Math.max(1, from), to: Math.min(to, height) };
    await this.#readSnapshot((db) => checkHead(db, this.#findings));
    await this.#blocks(sample === undefined ? wholeRange(range) : someHeights(range, sample), range);
    const isWhole = this.#options.from === undefined && this.#options.to === undefined;
    if (!isWhole) return;
    await this.#lists();
    await this.#state();
    if (this.#node) {
      this.#left.push(...(await checkFinalizationProofs(this.#db, this.#findings, this.#node, sample)));
    }
    const { unprovenFinalization } = await readIndexPoint(this.#db);
    if (unprovenFinalization !== null) this.#left.push(`finalization: ${unprovenFinalization}`);
  }

  /** Everything read in `work` comes from one snapshot. */
  #readSnapshot<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.#db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(work);
  }

  async #agreeOnNetwork(): Promise<NetworkIdentity> {
    const network = (await readNetworkIdentity(this.#db)) ?? this.#network;
    const { generationHashSeed } = network;
    if (this.#node) {
      const { networkGenerationHashSeed: theirs } = await this.#node.nodeInfo();
      if (!theirs.equals(generationHashSeed)) throw new WrongNetworkError(generationHashSeed, theirs);
    }
    return withSinks(network, requireConfig(this.#options.execution, network));
  }

  async #blocks(ranges: Iterable<HeightRange>, { to }: HeightRange): Promise<void> {
    let reported = performance.now();
    let otherBranch: number | undefined;
    for (const range of ranges) {
      const leavesAt = await this.#readSnapshot((db) => this.#someBlocks(db, range));
      otherBranch ??= leavesAt;
      if (performance.now() - reported < PROGRESS_EVERY_MS) continue;
      reported = performance.now();
      const { differences } = this.#findings;
      this.#options.log.info({ height: range.to, to, differences }, "Checking blocks");
    }
    if (otherBranch !== undefined) {
      this.#left.push(`from height ${otherBranch} on, above the finalized one, the node is on another branch`);
    }
  }

  /** @returns the first height at which the node is on another branch, if it is. */
  async #someBlocks(db: Db, range: HeightRange): Promise<number | undefined> {
    // Blocks that were rolled back meanwhile no longer exist.
    const to = Math.min(range.to, (await readHead(db))?.height ?? 0);
    if (to < range.from) return undefined;
    const { from } = range;
    const network = this.#network;
    await checkBlocks({ db, network, findings: this.#findings, from, to, checkSignatures: true });
    if (!this.#node) return undefined;
    return checkBlockHashes(db, this.#findings, this.#node, { from, to });
  }

  async #lists(): Promise<void> {
    const { sample, log } = this.#options;
    log.info("Checking counters, skip pointers, and sums by day");
    await checkDailySums(this.#db, this.#findings, sample);
    if (sample === undefined) {
      await checkChainLists(this.#db, this.#findings);
      await checkStateLists(this.#db, this.#findings);
      return;
    }
    for (const list of await someChainLists(this.#db, sample)) await checkChainLists(this.#db, this.#findings, list);
    await checkSomeStateLists(this.#db, this.#findings, sample);
  }

  async #state(): Promise<void> {
    const { sample, log } = this.#options;
    log.info("Checking the state");
    for (const kind of STATE_KINDS) {
      let after: Buffer | undefined;
      for (;;) {
        const rows = await this.#readSnapshot(async (db) => {
          const some = await readStateRows(db, kind, { after, sample });
          await checkStateRows(db, kind, some, this.#findings);
          return some;
        });
        after = rows.at(-1)?.id;
        if (sample !== undefined || !after) break;
      }
    }
    await this.#readSnapshot((db) => checkStateOrphans(db, this.#findings));
    if (sample === undefined) await this.#balanceSums();
    const reason = await this.#readSnapshot((db) => checkStateTrees(db, this.#findings));
    if (reason) this.#left.push(`state trees: ${reason}, so rows of state may be missing`);
  }

  /** What transactions of unknown types did to balances is visible in the accounts only. */
  async #balanceSums(): Promise<void> {
    const { unknownEntities } = await readIndexPoint(this.#db);
    const { otherReceipts } = this.#findings;
    const reasons = [
      (await stateEverDiffered(this.#db)) && "blocks have another state than computed",
      otherReceipts > 0 && `${otherReceipts} blocks have other receipts than computed`,
      unknownEntities > 0 && `${unknownEntities} entities are of types or versions that this program does not know`,
    ].filter((reason) => reason !== false);
    if (reasons.length > 0) this.#left.push(`sums of balance changes: ${reasons.join(", ")}`);
    else await this.#readSnapshot((db) => checkBalanceSums(db, this.#findings));
  }
}

function* wholeRange({ from, to }: HeightRange): Generator<HeightRange> {
  for (let first = from; first <= to; first += BLOCKS_AT_A_TIME) {
    yield { from: first, to: Math.min(to, first + BLOCKS_AT_A_TIME - 1) };
  }
}

/** Random heights, ascending, without duplicates. */
function someHeights({ from, to }: HeightRange, count: number): HeightRange[] {
  const size = to - from + 1;
  if (count >= size) return [...wholeRange({ from, to })];
  const heights = new Set<number>();
  while (heights.size < count) heights.add(from + Math.floor(Math.random() * size));
  return [...heights].sort((a, b) => a - b).map((height) => ({ from: height, to: height }));
}
