import { type ConnectionProvider, Kysely, type KyselyProps } from "kysely";
import type { BinaryConnection } from "./binary/driver.js";
import type { Database, Db } from "./database.js";

type Lend = ConnectionProvider["provideConnection"];

/** Lends a connection to one consumer at a time, in the order in which they came. */
export class ConnectionQueue {
  #last: Promise<void> = Promise.resolve();
  #closed: Error | undefined;

  /** What `lend` lends, in these queue. */
  of(lend: Lend): ConnectionProvider {
    return {
      provideConnection: (consumer) => {
        const own = this.#last.then(() => {
          if (this.#closed) throw this.#closed;
          return lend(consumer);
        });
        this.#last = own.then(ignore, ignore);
        return own;
      },
    };
  }

  /**
   * Rejects further consumers, also those that wait. Resolves when none runs any more: one that fails does not end the others.
   * @param reason the error that they get
   */
  close(reason = new Error("the operation of this statement has ended")): Promise<void> {
    this.#closed ??= reason;
    return this.#last;
  }
}

/** What a database that uses the connections of another has from it. */
interface Origin {
  /** The one that was opened. */
  readonly db: Db;
  readonly parts: Omit<KyselyProps, "executor">;
}

const origins = new WeakMap<Db, Origin>();
const snapshots = new WeakSet<Db>();

/** To be called for each database that is opened, before others are derived from it. */
export function setParts(db: Db, parts: Origin["parts"]): void {
  origins.set(db, { db, parts });
}

/** The database that was opened, of one that is derived from it. Caches by database use it. */
export function findOrigin(db: Db): Db {
  return origins.get(db)?.db ?? db;
}

/** Makes `derived` known as a database that uses the connections of `db`. */
export function setOrigin(derived: Db, db: Db): void {
  const origin = origins.get(db);
  if (origin) origins.set(derived, origin);
}

/**
 * The same database for work that uses one connection at a time: what it sends at once runs one after another.
 * @param queue of the work, if it reads several databases
 * @throws RangeError when `db` was not created by `openDatabase`
 */
export function queuedDb(db: Db, queue = new ConnectionQueue()): Db {
  const executor = db.getExecutor();
  return derive(
    db,
    queue.of((consumer) => executor.provideConnection(consumer)),
  );
}

/**
 * The same database for work that uses at most `count` connections at a time; what else it sends waits, first come, first
 * served.
 * @throws RangeError when `db` was not created by `openDatabase`
 */
export function connectionShare(db: Db, count: number): Db {
  const executor = db.getExecutor();
  const waiting: (() => void)[] = [];
  let free = count;
  return derive(db, {
    provideConnection: async (consumer) => {
      if (free > 0) free -= 1;
      else await new Promise<void>((start) => waiting.push(start));
      try {
        return await executor.provideConnection(consumer);
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free += 1;
      }
    },
  });
}

function derive(db: Db, provider: ConnectionProvider): Db {
  const origin = origins.get(db);
  if (!origin) throw new RangeError("this database was not opened by openDatabase");
  const derived = new Kysely<Database>({
    ...origin.parts,
    executor: db.getExecutor().withConnectionProvider(provider),
  });
  origins.set(derived, origin);
  return derived;
}

/**
 * Runs `work` on one snapshot of the database: all that it reads is of one state of the chain. It has one connection,
 * until its promise settles, and cannot write. Within such work it is the same snapshot.
 * @throws RangeError when `db` was not created by `openDatabase`
 */
export async function inOneState<Result>(db: Db, work: (db: Db) => Promise<Result>): Promise<Result> {
  if (snapshots.has(db)) return work(db);
  return db.getExecutor().provideConnection(async (connection) => {
    const own = connection as BinaryConnection;
    const queue = new ConnectionQueue();
    const snapshot = derive(
      db,
      queue.of((consumer) => consumer(own)),
    );
    snapshots.add(snapshot);
    await own.send("begin isolation level repeatable read, read only");
    try {
      return await work(snapshot);
    } finally {
      await queue.close();
      await own.send("commit");
    }
  });
}

function ignore(): void {}
