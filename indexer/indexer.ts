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
import { NodeSource, type NodeSourceOptions } from "./chain/source/node-source.js";
import { agreeOnNetwork, noteEpoch } from "./chain/step/network.js";
import { NO_LISTENER } from "./chain/step/range-listener.js";
import { DEFAULT_LIMITS, type IndexerLimits } from "./limits/indexer-limits.js";
import { Mempool } from "./mempool/mempool.js";
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
  /** How blocks are executed. */
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
  const filler = new Filler({ jobs: JOBS, checksSignatures: false, limits, onProgress, onWritten });
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
  const { db, log, metrics, credentials, limits, goal } = options;
  const nodes = new FollowedNodes({ nodes: [...options.nodes], credentials, log, metrics, limits });
  const context = { nodes, handler: new FailureHandler({ db, nodes, log }) };
  const work = async (lockSignal: AbortSignal): Promise<boolean> => {
    const agreed = await agreeWithNode(options, context);
    const config = await requireRules(options, context, agreed);
    const network = withSinks(agreed, config);
    await noteEpoch(db, config.epochAdjustment);
    log.info({ networkIdentifier: network.identifier }, "Following the node");
    const { tellsCosigners = true } = options;
    const shared = { db, node: nodes.client, network, config, log, metrics, limits, tellsCosigners };
    if (goal) return followBlocks(options, { ...shared, ...context, listener: NO_LISTENER }, lockSignal);
    const ended = new AbortController();
    const untilEnd = AbortSignal.any([lockSignal, ended.signal]);
    const [brokersNode] = options.nodes;
    const isBrokersNode = () =>
      brokersNode !== undefined && nodes.client.connectedNode?.node === endpointName(brokersNode);
    const { maxPending, brokerReconnectMs: reconnectMs, poolPollMs: pollMs = limits.pollMs } = limits;
    const sources = { zmqUrl: options.zmqUrl, isBrokersNode, pollMs, maxPending, reconnectMs };
    const mempool = await Mempool.start({ ...shared, ...sources }, untilEnd);
    const watch = new ScoreWatch({ ...shared, nodes });
    const pruning = keepEventsPruned(shared, untilEnd);
    const watched = watch.run(untilEnd);
    try {
      return await followBlocks(options, { ...shared, ...context, listener: mempool, watch }, lockSignal);
    } finally {
      ended.abort();
      await Promise.all([pruning, watched, mempool.ended()]);
    }
  };
  try {
    await writeUntil(signal, options, work, goal && options.failures);
  } finally {
    await nodes.close();
  }
}

/** The nodes, and what handles their failures. */
interface NodeContext {
  readonly nodes: FollowedNodes;
  readonly handler: FailureHandler;
}

/** Finds the first node of the index's network. @throws WrongNetworkError if there is none */
async function agreeWithNode(
  { db, execution }: FollowNodesOptions,
  { nodes, handler }: NodeContext,
): Promise<NetworkIdentity> {
  for (;;) {
    try {
      const node = { nodeInfo: () => nodes.firstAnswer(nodes.client.nodeInfo()) };
      return await agreeOnNetwork(db, node, execution.generationHashSeed);
    } catch (error) {
      if (nodes.hasLeft()) continue;
      const { hasNextNode } = await handler.failed(error, undefined);
      if (!hasNextNode) throw error;
    }
  }
}

/** The rules of a network. @throws UnknownNetworkError, which `/ready` reports */
async function requireRules(
  { execution }: FollowNodesOptions,
  { handler }: NodeContext,
  network: NetworkIdentity,
): Promise<NetworkConfig> {
  try {
    return requireConfig(execution, network);
  } catch (error) {
    await handler.failed(error, undefined);
    throw error;
  }
}

type Shared = Pick<FollowOptions, "db" | "network" | "log" | "metrics" | "tellsCosigners"> &
  Pick<NodeSourceOptions, "node"> & { readonly config: NetworkConfig; readonly limits: IndexerLimits };

/**
 * Follows the node until `signal` is aborted, or to the goal. @returns whether it is reached
 * @throws StuckWriterError; what ends a backfill
 */
async function followBlocks(
  options: FollowNodesOptions,
  shared: Shared & NodeContext & Pick<FollowOptions, "listener" | "watch">,
  signal: AbortSignal,
): Promise<boolean> {
  const { node, nodes, handler } = shared;
  const { failures, filler, goal } = options;
  const openSecond = () => nodes.openSecond();
  const source = new NodeSource({
    node,
    openSecond,
    log: shared.log,
    limits: shared.limits,
    wait: (answer) => nodes.wait(answer),
  });
  const finality = new Finality(shared);
  const onDiscarded = () => options.metrics?.count("state_reloads_total");
  let ledger: Executor | undefined;
  const work = async (succeeded: () => void): Promise<boolean> => {
    const onRound = () => {
      succeeded();
      failures.succeeded();
      return handler.succeeded();
    };
    await agreeWithNode(options, shared);
    try {
      ledger ??= new Executor({ ...shared, now: options.execution.now, onDiscarded });
      const round = { source, ledger, finality, filler, goal, onRound };
      return await follow({ ...shared, ...round }, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (nodes.hasLeft() && !classifyFailure(error, "").fault) return false;
      if (classifyFailure(error).mayComeFromState) ledger?.invalidateState(error);
      // Neither the block nor the program is to blame before a state that was just loaded has failed too.
      if (ledger?.mayRecover) throw error;
      if (filler.isFirstRejection(error)) return false;
      const servedBy = node.connectedNode?.node;
      const { hasNextNode, areProofsInvalid } = await handler.failed(error, ledger, servedBy);
      if (hasNextNode) return false;
      if (!areProofsInvalid) throw error;
      await finality.ignoreInvalid(error as Error);
      return false;
    }
  };
  return retryUntil(signal, options, work, failures);
}
