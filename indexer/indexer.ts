import type { Logger } from "pino";
import type { NodeCredentials } from "../catapult/certificate/certificate.js";
import type { NetworkIdentity } from "../catapult/entity/model.js";
import { endpointName } from "../catapult/wire/connection.js";
import { NodeError, NodeUnavailableError } from "../catapult/wire/errors.js";
import { openDatabase } from "../database/connection.js";
import type { Db } from "../database/database.js";
import { reportOutage } from "../database/outage.js";
import type { Executor } from "./chain/execution/executor.js";
import { type ExecutionOptions, openLedger } from "./chain/execution/options.js";
import { overruleByVotes, votesOf } from "./chain/execution/overrule.js";
import { Filler } from "./chain/fill/filler.js";
import { Finality } from "./chain/finality/finality.js";
import { type FollowOptions, follow } from "./chain/follow/follow.js";
import { ScoreWatch } from "./chain/follow/score-watch.js";
import { networkRules, type PendingRules, type StateOptions } from "./chain/state/options.js";
import { agreeOnNetwork, noteEpoch } from "./chain/step/network.js";
import { RangeLimit } from "./chain/step/range-limit.js";
import { Mempool, type MempoolOptions } from "./mempool/mempool.js";
import type { FillStatus } from "./metrics/fill-rate.js";
import type { IndexerMetrics } from "./metrics/metrics.js";
import { FailureHandler } from "./nodes/failure-handler.js";
import { failureOf } from "./nodes/failures.js";
import { FollowedNodes } from "./nodes/followed-nodes.js";
import { keepEventsPruned, type PruneOptions } from "./prune-events.js";
import { FailureRun, retryUntil, writeUntil } from "./writer.js";

export interface IndexerOptions {
  /** PostgreSQL connection string; migrations must have been run. */
  readonly databaseUrl: string;
  /** Tried in this order; of several, the one whose chain has the highest score is followed. */
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly credentials: NodeCredentials;
  readonly log: Logger;
  /** Polling interval, in ms; default 1,000. */
  readonly pollMs?: number;
  /** Maximum number of blocks per database transaction; default 42, the maximum that a node sends at once. */
  readonly maxBlocks?: number;
  /** Maximum bytes of blocks per request; default 50 MiB. */
  readonly maxBytes?: number;
  /** How long a node may be silent during a response, in ms; default 15,000. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * Blocks at least this far below the node's head emit no events, and are filled in large steps if there are as many of
   * them; default 5,000.
   */
  readonly announceWithin?: number;
  /** Number of decoding threads of a fill; default 2. */
  readonly jobs?: number;
  /** Called with the progress of a fill. */
  readonly onProgress?: ((status: FillStatus) => void) | undefined;
  /** How long events are kept, and how old ones are deleted; the time is 24 hours by default. */
  readonly events?: Partial<Omit<PruneOptions, "db" | "log">>;
  readonly state?: StateOptions | undefined;
  /** How blocks are executed. */
  readonly execution: ExecutionOptions;
  /** Endpoint of the first node's broker, such as `tcp://127.0.0.1:7902`; without it the node's pool is polled. */
  readonly zmqUrl?: string | undefined;
  /** Limits of stored pending transactions; and how often the pool is polled, in ms, by default as the node is. */
  readonly mempool?: Pick<MempoolOptions, "retention" | "maxPending" | "reconnectMs"> & { readonly pollMs?: number };
  /** Whether who has only cosigned a transaction gets the messages of its outcome; default true. */
  readonly tellsCosigners?: boolean | undefined;
  /** Receives everything that metrics are computed from. */
  readonly metrics?: IndexerMetrics | undefined;
  /** Maximum delay after an error, in ms; the first one is 500, doubling each time; default 30,000. */
  readonly maxRetryMs?: number;
  /** A standby may take over after this time with failures only, in ms; default 15,000. */
  readonly stuckAfterMs?: number;
  /** How long the database may be silent during a statement before it is probed, in ms; default 10,000. */
  readonly probeAfterMs?: number | undefined;
  /** Interval of comparing several nodes' scores, and how long a node that serves invalid data is dropped, in ms. */
  readonly several?: { readonly compareMs?: number; readonly dropMs?: number };
}

export interface Indexer {
  /** Stops after the current step; nothing of it is lost. */
  stop(): Promise<void>;
  /** Settles when the indexer has ended. */
  readonly done: Promise<void>;
}

const DEFAULT_JOBS = 2;
const EVENT_RETENTION_MS = 24 * 3_600_000;

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
  const { log, metrics, credentials, requestTimeoutMs } = options;
  const db = openDatabase({
    url: options.databaseUrl,
    poolSize: 4,
    statementTimeoutMs: 0,
    probeAfterMs: options.probeAfterMs,
    applicationName: "symbol-gateway indexer",
    onError: (error) => reportOutage(log, error),
  });
  const nodes = new FollowedNodes({
    nodes: [...options.nodes],
    dropMs: options.several?.dropMs,
    ...{ credentials, log, metrics },
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
  });
  const failures = new FailureHandler({ db, nodes, log });
  const node = nodes.client;
  metrics?.readFrom(db);
  try {
    await writeUntil(signal, options, async (lockSignal) => {
      const agreed = await agreeWithOne(db, nodes, failures, options.state);
      const { network, ...pending } = networkRules(agreed, options.state, log);
      await noteEpoch(db, pending.epochAdjustment);
      log.info({ networkIdentifier: network.identifier }, "Following the node");
      const ended = new AbortController();
      const pruning = keepEventsPruned(
        { retentionMs: EVENT_RETENTION_MS, ...options.events, db, log },
        AbortSignal.any([lockSignal, ended.signal]),
      );
      try {
        const { tellsCosigners } = options;
        await followWithMempool(
          options,
          { db, node, network, log, tellsCosigners, ...pending },
          { nodes, failures },
          lockSignal,
        );
      } finally {
        ended.abort();
        await pruning;
      }
    });
  } finally {
    await nodes.close();
    await db.destroy();
  }
}

/** Finds the first node of the index's network. @throws WrongNetworkError if there is none */
async function agreeWithOne(
  db: Db,
  nodes: FollowedNodes,
  failures: FailureHandler,
  configured: StateOptions | undefined,
): Promise<NetworkIdentity> {
  for (;;) {
    try {
      return await agreeOnNetwork(db, nodes.client, configured?.generationHashSeed);
    } catch (error) {
      const { hasNextNode } = await failures.failed(error, undefined);
      if (!hasNextNode) throw error;
    }
  }
}

/**
 * Follows the node until `signal` is aborted. Pending transactions are followed even while the blocks cannot be.
 *
 * @throws StuckWriterError
 */
async function followWithMempool(
  options: IndexerOptions,
  shared: Pick<FollowOptions, "db" | "node" | "network" | "log" | "tellsCosigners"> & PendingRules,
  { nodes, failures }: { readonly nodes: FollowedNodes; readonly failures: FailureHandler },
  signal: AbortSignal,
): Promise<void> {
  const { db, node } = shared;
  const [brokersNode] = options.nodes;
  const pollMs = options.pollMs ?? 1_000;
  const { maxBlocks = 42, maxBytes = 50 * 1024 * 1024 } = options;
  const range = new RangeLimit({ maxBlocks, maxBytes });
  const ended = new AbortController();
  const untilEnd = AbortSignal.any([signal, ended.signal]);
  const mempool = await Mempool.start(
    {
      ...shared,
      pollMs,
      ...options.mempool,
      metrics: options.metrics,
      zmqUrl: options.zmqUrl,
      isBrokersNode: () => brokersNode !== undefined && node.connectedNode?.node === endpointName(brokersNode),
    },
    untilEnd,
  );
  const watch = new ScoreWatch({
    ...shared,
    nodes,
    credentials: options.credentials,
    requestTimeoutMs: options.requestTimeoutMs,
    compareMs: options.several?.compareMs,
  });
  const watched = watch.run(untilEnd);
  const run = new FailureRun(options);
  let filled = 0;
  const onRound = () => {
    run.succeeded();
    return failures.succeeded();
  };
  const filler = new Filler({
    jobs: options.jobs ?? DEFAULT_JOBS,
    checksSignatures: false,
    onProgress: (status) => {
      if (status.height > filled) run.succeeded();
      filled = status.height;
      options.onProgress?.(status);
    },
  });
  const finality = new Finality({ ...shared, metrics: options.metrics });
  const onDiscarded = () => options.metrics?.discardedState();
  try {
    let ledger: Executor | undefined;
    const work = async () => {
      await agreeWithOne(db, nodes, failures, options.state);
      try {
        ledger ??= openLedger(options.execution, { ...shared, onDiscarded });
        await follow(
          {
            ...shared,
            ledger,
            finality,
            filler,
            openSecond: () => nodes.openSecond(),
            pollMs,
            pace: mempool,
            metrics: options.metrics,
            range,
            announceWithin: options.announceWithin ?? 5_000,
            watch,
            onRound,
          },
          signal,
        );
      } catch (error) {
        if (signal.aborted) throw error;
        const isOfNode = error instanceof NodeError || error instanceof NodeUnavailableError;
        if (watch.takeSwitched() && isOfNode) return;
        if (failureOf(error).mayComeFromState) ledger?.distrust(error);
        if (filler.doubts(error)) throw error;
        // Neither the block nor the program is to blame before a state that was just loaded has failed too.
        if (ledger?.mayRecover) throw error;
        const servedBy = node.connectedNode?.node;
        if (
          ledger &&
          (await overruleByVotes(error, { ...shared, ledger, ...votesOf(node, () => ledger?.ledger?.config) }))
        )
          return;
        const { hasNextNode, areProofsInvalid } = await failures.failed(error, ledger, servedBy);
        if (hasNextNode) return;
        if (areProofsInvalid) {
          await finality.ignoreInvalid(error as Error);
          return;
        }
        throw error;
      }
    };
    await retryUntil(signal, options, work, run);
  } finally {
    ended.abort();
    await watched;
    await mempool.ended();
  }
}
