import { decodeEntityId, encodeEntityId } from "../../catapult/json/entity-id.js";
import type { NodeResources } from "../../catapult/network/node-resources.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { forOperation } from "../../database/lists/operation-db.js";
import type { Entry } from "../../database/lists/page.js";
import {
  isInsideAggregate,
  pendingEmbeddedDocuments,
  pendingIdInside,
} from "../../database/mempool/pending-transactions.js";
import { findNamespaceNames } from "../../database/queries/namespace-names.js";
import { embeddedDocuments } from "../../database/queries/transactions.js";
import type { PendingGroup } from "../../database/tables/pending.js";
import type { Announcer } from "../services/announcer.js";
import type { EventSource } from "../services/event-source.js";
import { Loader } from "../services/loader.js";
import type { OperationMeter } from "../services/operation-meter.js";

/** The services of a gateway process, for all operations. */
export interface Services {
  /** Target of reads: the database itself or a replica. */
  readonly db: Db;
  readonly node: NodeClient;
  readonly events: EventSource;
  readonly announcer: Announcer;
  /** Undefined if this gateway has none. */
  readonly resources: NodeResources | undefined;
  /** 32 bytes each: accounts excluded from the circulating supply, besides the nemesis account. */
  readonly uncirculatingPublicKeys: readonly Buffer[];
  /** The current status of the process. */
  readonly figures: () => GatewayFigures;
}

/** The status of a gateway process. */
export interface GatewayFigures {
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
  /** Meters the operation, if it is limited. */
  readonly meter?: OperationMeter | undefined;
  /** The embedded transactions of an aggregate by its id (12 bytes), in order; none for other transactions. */
  readonly embedded: Loader<Buffer, readonly Entry[]>;
  /** The same for pending aggregates. */
  readonly pendingEmbedded: Readonly<Record<PendingGroup, Loader<Buffer, readonly Entry[]>>>;
  /** The last part of a namespace's name by its id; undefined for a namespace that was never registered. */
  readonly namespaceNames: Loader<bigint, string | undefined>;
}

export interface OperationContext extends Context {
  readonly meter: OperationMeter;
}

/** A context for one operation: what its resolvers request at the same time is read together. */
export function createContext(services: Services): Context {
  const { db } = services;
  return {
    ...services,
    embedded: new Loader((ids) => readEmbedded(db, ids)),
    pendingEmbedded: {
      unconfirmed: new Loader((ids) => readPendingEmbedded(db, "unconfirmed", ids)),
      partial: new Loader((ids) => readPendingEmbedded(db, "partial", ids)),
    },
    namespaceNames: new Loader((ids) => readNames(db, ids)),
  };
}

/** The same for an operation written by a user: it is limited, and its database statements are combined. */
export function createOperationContext(services: Services, meter: OperationMeter): OperationContext {
  return { ...createContext({ ...services, db: forOperation(services.db, meter) }), meter };
}

async function readNames(db: Db, ids: readonly bigint[]): Promise<(string | undefined)[]> {
  const names = await findNamespaceNames(db, [...new Set(ids)]);
  const byId = new Map(names.map(({ id, name }) => [id, name]));
  return ids.map((id) => byId.get(id));
}

async function readEmbedded(db: Db, ids: readonly Buffer[]): Promise<(readonly Entry[])[]> {
  const aggregates = new Map<string, Buffer>();
  for (const id of ids) {
    if (decodeEntityId(id).embeddedIndex === 0) aggregates.set(id.toString("hex"), id);
  }
  const documents = await embeddedDocuments(db, [...aggregates.values()]);
  return ids.map((id) => {
    const { height, index } = decodeEntityId(id);
    const inside = documents.get(id.toString("hex")) ?? [];
    return inside.map((document, place) => ({ id: encodeEntityId(height, index, place + 1), document }));
  });
}

async function readPendingEmbedded(db: Db, group: PendingGroup, ids: readonly Buffer[]): Promise<(readonly Entry[])[]> {
  const aggregates = new Map(ids.filter((id) => !isInsideAggregate(id)).map((id) => [id.toString("hex"), id]));
  const documents = await pendingEmbeddedDocuments(db, group, [...aggregates.values()]);
  return ids.map((id) => {
    const inside = documents.get(id.toString("hex")) ?? [];
    return inside.map((document, place) => ({ id: pendingIdInside(id, place + 1), document }));
  });
}
