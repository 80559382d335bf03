import type { NodeResources } from "../../catapult/network/node-resources.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { ConnectionQueue, connectionShare, inOneState, queuedDb } from "../../database/one-connection.js";
import { batchReads, type DatabaseWatch, forOperation } from "../../database/statement.js";
import type { Announcer } from "../dry-runs/announcer.js";
import type { DryRuns } from "../dry-runs/dry-runs.js";
import { type ApiError, ClientGone, invalidArgument } from "../errors/errors.js";
import type { EventReader } from "../feed/event-reader.js";

/** The services of a gateway process, for all operations. */
export interface Services {
  /** Target of reads: the database itself or a replica. */
  readonly db: Db;
  readonly node: NodeClient;
  readonly events: EventReader;
  readonly announcer: Announcer;
  readonly dryRuns: DryRuns;
  /** Who asks, if the work is for a client: an IPv4 address, or the /64 of an IPv6 address. */
  readonly client?: string | undefined;
  /** The database itself, for the little that a gateway writes. */
  readonly writeDb: Db;
  /** Networks that are not public, and may receive messages of webhooks. */
  readonly webhookPrivateNetworks: readonly string[];
  /** Undefined if this gateway has none. */
  readonly resources: NodeResources | undefined;
  /** 32 bytes each: accounts excluded from the circulating supply, besides those of the network. */
  readonly uncirculatingPublicKeys: readonly Buffer[];
  /** The current status of the process. */
  readonly status: () => GatewayStatus;
  /** Rejects all further statements of the work that has these services, if it has queue of its own. */
  readonly end?: ((reason: Error) => void) | undefined;
}

/** The status of a gateway process. */
export interface GatewayStatus {
  /** Version of the program. */
  readonly version: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly webSocketConnections: number;
  readonly webSocketSubscriptions: number;
  readonly graphqlConnections: number;
  /** Sequence of the last delivered event; undefined before the database was reached. */
  readonly eventSequence: number | undefined;
}

/** The context of the resolvers of one operation. */
export interface Context extends Services {
  /** What the operation has taken from the database so far, if it is limited. */
  readonly taken?: { readonly statements: number; readonly rows: number } | undefined;
}

/**
 * Runs the work of one slot of a client: it uses one connection of the database at a time, so that others find one.
 * Statements that still wait when the work has ended, or its client has left, are dropped, and one that runs is
 * awaited.
 * @param left aborted when the client has disconnected
 */
export async function withOneConnection<Result>(
  services: Services,
  work: (own: Services) => Promise<Result>,
  left?: AbortSignal,
): Promise<Result> {
  const queue = new ConnectionQueue();
  const leave = () => void queue.close(new ClientGone());
  left?.addEventListener("abort", leave);
  try {
    return await work(withConnectionQueue(services, queue));
  } finally {
    left?.removeEventListener("abort", leave);
    await queue.close();
  }
}

/** The same services for work that uses one connection of the database at a time. */
export function withConnectionQueue(services: Services, queue = new ConnectionQueue()): Services {
  const { db, writeDb } = services;
  const own = queuedDb(db, queue);
  const end = (reason: Error) => void queue.close(reason);
  return { ...services, db: own, writeDb: writeDb === db ? own : queuedDb(writeDb, queue), end };
}

/** The same services for work that uses at most `connections` of each database at a time. */
export function withShare(services: Services, connections: number): Services {
  const { db, writeDb } = services;
  const share = connectionShare(db, connections);
  return { ...services, db: share, writeDb: writeDb === db ? share : connectionShare(writeDb, connections) };
}

/** Runs operations whose services read one snapshot of the database, so that they see one state of the chain. */
export function inOneStateOf<Result>(services: Services, work: (own: Services) => Promise<Result>): Promise<Result> {
  return inOneState(services.db, (db) => work({ ...services, db }));
}

/** What is made once for each operation, when it is first needed. */
export function onceFor<Value extends object>(make: (context: Context) => Value): (context: Context) => Value {
  const made = new WeakMap<Context, Value>();
  return (context) => {
    const value = made.get(context) ?? make(context);
    made.set(context, value);
    return value;
  };
}

/** What one operation may take: lists within lists multiply, and the depth of a document does not bound them. */
export const operationLimits = { statements: 1_000, rows: 20_000 };

/** The context of an operation of a user, which ends when it takes more than it may. */
export function operationContext(services: Services, limits = operationLimits): Context {
  const taken = { statements: 0, rows: 0 };
  const end = (what: string): never => {
    const error = tooMuch(what);
    services.end?.(error);
    throw error;
  };
  const watch: DatabaseWatch = {
    onStatement: () => {
      taken.statements += 1;
      if (taken.statements > limits.statements) end(`${limits.statements} database statements`);
    },
    onRows: (count) => {
      taken.rows += count;
      if (taken.rows > limits.rows) end(`${limits.rows} database rows`);
    },
  };
  const db = forOperation(services.db, watch);
  batchReads(db);
  return { ...services, db, taken };
}

/** The error for an operation that takes more than it may. */
export function tooMuch(what: string): ApiError {
  return invalidArgument(`the operation needs more than ${what}: request less at once`);
}
