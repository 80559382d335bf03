import type { Logger } from "pino";
import type { NodeCredentials } from "../catapult/certificate/certificate.js";
import type { NetworkIdentity } from "../catapult/entity/model.js";
import { endpointName } from "../catapult/wire/connection.js";
import { openDatabase } from "../database/connection.js";
import type { Db } from "../database/database.js";
import { reportOutage } from "../database/outage.js";
import type { NetworkConfig } from "../ledger/config/network-config.js";
import { Executor } from "./chain/execution/executor.js";
import { type ExecutionOptions, requireConfig, withSinks } from "./chain/execution/options.js";
import { Filler } from "./chain/fill/filler.js";
import { Finality } from "./chain/finality/finality.js";
import { type FollowOptions, follow } from "./chain/follow/follow.js";
import type { Goal } from "./chain/follow/goal.js";
import { ScoreWatch } from "./chain/follow/score-watch.js";
import { NodeSource } from "./chain/source/node-source.js";
import type { IndexContext } from "./chain/step/index-context.js";
import { agreeOnNetwork, noteEpoch } from "./chain/step/network.js";
import { NO_LISTENER } from "./chain/step/range-listener.js";
import { RangeWriter } from "./chain/write/write.js";
import { DEFAULT_LIMITS, type IndexerLimits } from "./limits/indexer-limits.js";
import { Mempool, type MempoolSources } from "./mempool/mempool.js";
import type { FillStatus } from "./metrics/fill-rate.js";
import type { IndexerMetrics } from "./metrics/metrics.js";
import { FailureHandler } from "./nodes/failure-handler.js";
import { classifyFailure } from "./nodes/failures.js";
import { FollowedNodes } from "./nodes/followed-nodes.js";
import { keepEventsPruned } from "./prune-events.js";
import { FailureRun, type Failures, retryUntil, writeUntil } from "./writer.js";

export interface IndexerOptions {
  /** PostgreSQL connection string; migrations must have been run. */
  readonly databaseUrl: string;
  /** Tried in this order; of several, the one whose chain has the highest score is followed. */
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly credentials: NodeCredentials;
  readonly log: Logger;
  /** Called with the progress of a fill. */
  readonly onProgress?: ((status: FillStatus) => void) | undefined;
  readonly execution: ExecutionOptions;
  /** Endpoint of the first node's broker, such as `tcp://127.0.0.1:7902`; without it the node's pool is polled. */
  readonly zmqUrl?: string | undefined;
  /** Whether who has only cosigned a transaction gets the messages of its outcome; default true. */
  readonly tellsCosigners?: boolean | undefined;
  /** Receives everything that metrics are computed from. */
  readonly metrics?: IndexerMetrics | undefined;
  /** Clocks and sizes, in place of the usual ones. */
  readonly limits?: Partial<IndexerLimits>;
}

export interface Indexer {
  /** Stops after the range that is being written; nothing of it is lost. */
  stop(): Promise<void>;
  /** Settles when the indexer has ended. */
  readonly done: Promise<void>;
}

/** Decoding threads of a fill. */
const JOBS = 2;

/**
 * Follows a node into PostgreSQL until stopped. Every failure (node, database, an invalid block) is logged and
 * retried with increasing delays; while another indexer writes to the same database, this one is on standby, and so it is
 * for a while after it could not continue.
 */
export async function startIndexer(options: IndexerOptions): Promise<Indexer> {
  const abort = new AbortController();
  const done = run(options, abort.signal);
  return {
    done,
    stop: async () => {
      abort.abort();
      await done;
    },
  };
}

async function run(options: IndexerOptions, signal: AbortSignal): Promise<void> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const failures = new FailureRun(limits);
  const onWritten = () => failures.succeeded();
  const { onProgress } = options;
  const filler = new Filler({ jobs: JOBS, checksSignatures: false, onProgress, onWritten });
  const db = openIndex({ ...options, limits }, "symbol-gateway indexer");
  try {
    await followNodes({ ...options, limits, db, filler, failures }, signal);
  } finally {
    await db.destroy();
  }
}

/** Opens the database of an index, from which metrics are read too. */
export function openIndex(
  { databaseUrl, limits, log, metrics }: Pick<FollowNodesOptions, "databaseUrl" | "limits" | "log" | "metrics">,
  applicationName: string,
): Db {
  const onError = (error: unknown) => reportOutage(log, error);
  const db = openDatabase({
    url: databaseUrl,
    poolSize: 4,
    statementTimeoutMs: 0,
    probeAfterMs: limits.probeAfterMs,
    applicationName,
    onError,
  });
  metrics?.readFrom(db);
  return db;
}

/** What differs between an indexer and a backfill. */
export interface FollowNodesOptions extends IndexerOptions, Pick<FollowOptions, "filler"> {
  readonly limits: IndexerLimits;
  readonly db: Db;
  readonly failures: Failures;
  /** Where a backfill ends. Pending transactions and scores of other nodes are of no concern to it. */
  readonly goal?: Goal | undefined;
}

/** Follows one of the nodes while this process is the only writer, until `signal` is aborted, or to a goal. */
export async function followNodes(options: FollowNodesOptions, signal: AbortSignal): Promise<void> {
  const { goal, failures } = options;
  const follower = new NodeFollower(options);
  try {
    await writeUntil(signal, options, (lockSignal) => follower.follow(lockSignal), goal && failures);
  } finally {
    await follower.close();
  }
}

/** Follows nodes as the only writer, until the lock is lost. */
class NodeFollower {
  readonly #options: FollowNodesOptions;
  readonly #nodes: FollowedNodes;
  readonly #handler: FailureHandler;

  constructor(options: FollowNodesOptions) {
    const { db, log, metrics, credentials, limits } = options;
    this.#options = options;
    this.#nodes = new FollowedNodes({ nodes: [...options.nodes], credentials, log, metrics, limits });
    this.#handler = new FailureHandler({ db, nodes: this.#nodes, log });
  }

  close(): Promise<void> {
    return this.#nodes.close();
  }

  /** @returns whether the goal is reached */
  async follow(signal: AbortSignal): Promise<boolean> {
    const { db, log, metrics, limits, goal, tellsCosigners = true } = this.#options;
    const agreed = await this.#agreeWithNode();
    const config = await this.#requireRules(agreed);
    await noteEpoch(db, config.epochAdjustment);
    log.info({ networkIdentifier: agreed.identifier }, "Following the node");
    const network = withSinks(agreed, config);
    const context: IndexContext = { db, network, config, log, metrics, limits, tellsCosigners };
    if (goal) return this.#followBlocks(context, { listener: NO_LISTENER }, signal);
    const ended = new AbortController();
    const untilEnd = AbortSignal.any([signal, ended.signal]);
    const mempool = await Mempool.start(context, this.#pendingSources(), untilEnd);
    const watch = new ScoreWatch(context, this.#nodes);
    const pruning = keepEventsPruned(context, untilEnd);
    const watched = watch.run(untilEnd);
    try {
      return await this.#followBlocks(context, { listener: mempool, watch }, signal);
    } finally {
      ended.abort();
      await Promise.all([pruning, watched, mempool.ended()]);
    }
  }

  #pendingSources(): MempoolSources {
    const { zmqUrl, nodes } = this.#options;
    const { client: node } = this.#nodes;
    const [brokersNode] = nodes;
    const isBrokersNode = () => brokersNode !== undefined && node.connectedNode?.node === endpointName(brokersNode);
    return { node, zmqUrl, isBrokersNode };
  }

  /** Finds the first node of the index's network. @throws WrongNetworkError if there is none */
  async #agreeWithNode(): Promise<NetworkIdentity> {
    const { db, execution } = this.#options;
    const nodes = this.#nodes;
    for (;;) {
      try {
        const node = { nodeInfo: () => nodes.firstAnswer(nodes.client.nodeInfo()) };
        return await agreeOnNetwork(db, node, execution.generationHashSeed);
      } catch (error) {
        if (nodes.hasLeft()) continue;
        if ((await this.#handler.failed(error, undefined)) !== "nextNode") throw error;
      }
    }
  }

  /** The rules of a network. @throws UnknownNetworkError, which `/ready` reports */
  async #requireRules(network: NetworkIdentity): Promise<NetworkConfig> {
    try {
      return requireConfig(this.#options.execution, network);
    } catch (error) {
      await this.#handler.failed(error, undefined);
      throw error;
    }
  }

  /**
   * Follows the node until `signal` is aborted, or to the goal. @returns whether it is reached
   * @throws StuckWriterError; what ends a backfill
   */
  async #followBlocks(
    context: IndexContext,
    beside: Pick<FollowOptions, "listener" | "watch">,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { failures, filler, goal, execution } = this.#options;
    const nodes = this.#nodes;
    const source = new NodeSource(nodes, context.limits);
    const finality = new Finality(context);
    let ledger: Executor | undefined;
    const work = async (succeeded: () => void): Promise<boolean> => {
      const onRound = () => {
        succeeded();
        failures.succeeded();
        return this.#handler.succeeded();
      };
      await this.#agreeWithNode();
      try {
        ledger ??= new Executor(context, execution.now);
        const writer = new RangeWriter(context);
        const { listener, watch } = beside;
        const round = { ...context, source, ledger, finality, writer, listener, watch, filler, goal, onRound };
        return await follow(round, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        if (nodes.hasLeft() && !classifyFailure(error, "").fault) return false;
        if (classifyFailure(error).mayComeFromState) ledger?.invalidateState(error);
        // Neither the block nor the program is to blame before a state that was just loaded has failed too.
        if (ledger?.mayRecover) throw error;
        if (filler.isFirstRejection(error)) return false;
        const servedBy = nodes.client.connectedNode?.node;
        const outcome = await this.#handler.failed(error, ledger, servedBy);
        if (outcome === undefined) throw error;
        if (outcome === "ignoreProofs") await finality.ignoreInvalid(error as Error);
        return false;
      }
    };
    return retryUntil(signal, this.#options, work, failures);
  }
}
