import type { Logger } from "pino";
import { NodeResources, type NodeResourcesError } from "../../catapult/network/node-resources.js";
import { NodeClient } from "../../catapult/wire/node-client.js";
import type { NodeLink } from "../../catapult/wire/node-link.js";
import { openDatabase, type PoolUsage, poolUsage } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { reportedFailures, reportOutage } from "../../database/outage.js";
import { countFailingWebhooks } from "../../database/queries/webhooks.js";
import { Announcer } from "../dry-runs/announcer.js";
import { DryRunThreads } from "../dry-runs/dry-run-threads.js";
import { DryRuns } from "../dry-runs/dry-runs.js";
import { NetworkRules } from "../dry-runs/network-rules.js";
import { EventReader, type EventReaderOptions } from "../feed/event-reader.js";

export type { PoolUsage as ConnectionFigures } from "../../database/connection.js";

const DEFAULT_POOL_SIZE = 10;
/** Longest wait of what follows the events. */
const MAX_EVENTS_TIMEOUT_MS = 10_000;

export interface ServicesOptions {
  /** PostgreSQL that the indexer writes to. */
  readonly databaseUrl: string;
  /** Target of reads: one replica; default the primary database. */
  readonly databaseReadUrl?: string | undefined;
  /** Maximum number of connections; default 10. */
  readonly databasePoolSize?: number | undefined;
  /** The timeout of statements, in ms. */
  readonly statementTimeoutMs: number;
  /** Folder with the `config-*.properties` of a node of the network; default none. */
  readonly resourcesDirectory?: string | undefined;
  /** Whether announcements are pushed without being tried on the state of the index. */
  readonly pushesEverything?: boolean | undefined;
  readonly log: Logger;
  /** Called when the database has fallen silent, before the statements that wait for it fail. */
  readonly onSilence?: (() => void) | undefined;
  /** See {@link EventReaderOptions}. */
  readonly onNews?: EventReaderOptions["onNews"];
  readonly pages?: EventReaderOptions["pages"];
  readonly reads?: EventReaderOptions["reads"];
}

/**
 * Shared by the resolvers of one process: its connections to the database and to a node, and services based on them.
 */
export interface OpenServices {
  /** Target of reads. */
  readonly db: Db;
  /** The database that the indexer writes to. */
  readonly writeDb: Db;
  readonly node: NodeClient;
  readonly events: EventReader;
  readonly announcer: Announcer;
  readonly dryRuns: DryRuns;
  readonly resources: NodeResources | undefined;
  /** Usage of the connections for reads. */
  readonly connections: () => PoolUsage;
  /** Number of failures because a database could not be reached. */
  readonly databaseFailures: () => number;
  /** Number of webhooks that do not accept their messages. */
  readonly failingWebhooks: () => Promise<number>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Opens the services of one process. Connections are opened on demand, so nothing fails here. */
export function openServices(options: ServicesOptions, link: NodeLink): OpenServices {
  const { databaseUrl, databaseReadUrl, resourcesDirectory, pushesEverything, log, onNews } = options;
  const { databasePoolSize: poolSize = DEFAULT_POOL_SIZE, statementTimeoutMs } = options;
  const silenceListeners: (() => void)[] = [];
  const open = (url: string) =>
    openDatabase({
      url,
      poolSize,
      statementTimeoutMs,
      applicationName: "symbol-gateway",
      plansOnce: true,
      onError: (error) => reportOutage(log, error),
      onSilence: () => {
        for (const listener of silenceListeners) listener();
      },
    });
  const writeDb = open(databaseUrl);
  const db = databaseReadUrl === undefined ? writeDb : open(databaseReadUrl);
  const node = new NodeClient({ link });
  const timeoutMs = Math.min(statementTimeoutMs, MAX_EVENTS_TIMEOUT_MS);
  const events = new EventReader({
    url: databaseUrl,
    db,
    isReplica: db !== writeDb,
    log,
    settings: { timeoutMs },
    onNews,
    pages: options.pages,
    reads: options.reads,
  });
  silenceListeners.push(() => events.markUnreachable());
  if (options.onSilence) silenceListeners.push(options.onSilence);
  const onKept = ({ detail }: NodeResourcesError) =>
    log.warn({ reason: detail }, "Cannot read the node's resources; keeping what was read before");
  const resources = resourcesDirectory === undefined ? undefined : new NodeResources(resourcesDirectory, onKept);
  const threads = new DryRunThreads();
  const dryRuns = new DryRuns({ node, resources, threads });
  return {
    db,
    writeDb,
    node,
    events,
    announcer: new Announcer({ db: writeDb, node, rules: new NetworkRules(resources), dryRuns, pushesEverything }),
    dryRuns,
    resources,
    connections: () => poolUsage(db),
    databaseFailures: () => reportedFailures(log),
    failingWebhooks: () => countFailingWebhooks(writeDb),
    close: async () => {
      await events.close();
      await Promise.all([node.close(), threads.close()]);
      await Promise.all([...new Set([db, writeDb])].map((one) => one.destroy()));
    },
  };
}
