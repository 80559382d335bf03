import { hex } from "../../catapult/entity/hex.js";
import type { NodeResources } from "../../catapult/network/node-resources.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { TransactionEntry } from "../../database/bodies/transaction-bodies.js";
import type { Db } from "../../database/database.js";
import type { Entry } from "../../database/lists/page.js";
import {
  isInsideAggregate,
  pendingEmbeddedBodies,
  pendingIdInside,
} from "../../database/mempool/pending-transactions.js";
import { inOneState, oneAtATime, shareOf, Turns } from "../../database/one-connection.js";
import { findNamespaceNames } from "../../database/queries/namespace-names.js";
import { findEmbedded } from "../../database/queries/transactions.js";
import type { PendingGroup } from "../../database/tables/pending.js";
import type { Announcer } from "../services/announcer.js";
import { ClientGone } from "../services/errors.js";
import type { EventReader } from "../services/event-reader.js";
import { type Loader, loaderOf } from "../services/loader.js";
import type { Trials } from "../services/trials.js";

/** The services of a gateway process, for all operations. */
export interface Services {
  /** Target of reads: the database itself or a replica. */
  readonly db: Db;
  readonly node: NodeClient;
  readonly events: EventReader;
  readonly announcer: Announcer;
  readonly trials: Trials;
  /** Who asks, if the work is for a client: an IPv4 address, or the /64 of an IPv6 address. */
  readonly client?: string | undefined;
  /** The database itself, for the little that a gateway writes. */
  readonly writeDb: Db;
  /** Networks that are not public, and may receive messages of webhooks. */
  readonly webhookPrivateNetworks: readonly string[];
  /** Undefined if this gateway has none. */
  readonly resources: NodeResources | undefined;
  /** 32 bytes each: accounts excluded from the circulating supply, besides the nemesis account. */
  readonly uncirculatingPublicKeys: readonly Buffer[];
  /** The current status of the process. */
  readonly status: () => GatewayStatus;
  /** Rejects all further statements of the work that has these services, if it has turns of its own. */
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
 * Runs the work of one place of a client: it uses one connection of the database at a time, so that others find one.
 * Statements that still wait when the work has ended, or its client has left, are dropped, and one that runs is awaited.
 * @param left aborted when the client has disconnected
 */
export async function inOnePlace<Result>(
  services: Services,
  work: (own: Services) => Promise<Result>,
  left?: AbortSignal,
): Promise<Result> {
  const turns = new Turns();
  const leave = () => void turns.close(new ClientGone());
  left?.addEventListener("abort", leave);
  try {
    return await work(servicesInTurns(services, turns));
  } finally {
    left?.removeEventListener("abort", leave);
    await turns.close();
  }
}

/** The same services for work that uses one connection of the database at a time. */
export function servicesInTurns(services: Services, turns = new Turns()): Services {
  const { db, writeDb } = services;
  const own = oneAtATime(db, turns);
  const end = (reason: Error) => void turns.close(reason);
  return { ...services, db: own, writeDb: writeDb === db ? own : oneAtATime(writeDb, turns), end };
}

/** The same services for work that uses at most `connections` of each database at a time. */
export function withShare(services: Services, connections: number): Services {
  const { db, writeDb } = services;
  const share = shareOf(db, connections);
  return { ...services, db: share, writeDb: writeDb === db ? share : shareOf(writeDb, connections) };
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

/** The embedded transactions of an aggregate by its id (12 bytes), in order; none for other transactions. */
export const embeddedOf = onceFor(({ db }) =>
  loaderOf<Buffer, readonly TransactionEntry[]>(async (ids) => {
    const found = await findEmbedded(db, ids);
    return ids.map((id) => found.get(hex(id)) ?? []);
  }, hex),
);

/** The same for pending aggregates. */
export const pendingEmbeddedOf: Readonly<Record<PendingGroup, (context: Context) => Loader<Buffer, readonly Entry[]>>> =
  {
    unconfirmed: onceFor(({ db }) =>
      loaderOf<Buffer, readonly Entry[]>((ids) => readPendingEmbedded(db, "unconfirmed", ids), hex),
    ),
    partial: onceFor(({ db }) =>
      loaderOf<Buffer, readonly Entry[]>((ids) => readPendingEmbedded(db, "partial", ids), hex),
    ),
  };

/** The last part of a namespace's name by its id; undefined for a namespace that was never registered. */
export const namespaceNameOf = onceFor(({ db }) =>
  loaderOf(async (ids: readonly bigint[]) => {
    const names = new Map((await findNamespaceNames(db, ids)).map(({ id, name }) => [id, name]));
    return ids.map((id) => names.get(id));
  }),
);

async function readPendingEmbedded(db: Db, group: PendingGroup, ids: readonly Buffer[]): Promise<(readonly Entry[])[]> {
  const aggregates = ids.filter((id) => !isInsideAggregate(id));
  const bodies = await pendingEmbeddedBodies(db, group, aggregates);
  return ids.map((id) => {
    const inside = bodies.get(id.toString("hex")) ?? [];
    return inside.map((body, place) => ({ id: pendingIdInside(id, place + 1), body }));
  });
}
