import type { KyselyPlugin, RawBuilder } from "kysely";
import { readRows } from "./binary/driver.js";
import type { Columns, RowOf, RowType } from "./binary/rows.js";
import type { Db } from "./database.js";

/** A statement with arguments, whose rows are read in the binary form. */
export class Statement<Arguments, Of extends Columns> {
  readonly #rows: RowType<Of>;
  readonly #build: (args: Arguments) => RawBuilder<unknown>;

  /** @param build texts of few shapes, with all values as parameters: a connection prepares each text once */
  constructor(rows: RowType<Of>, build: (args: Arguments) => RawBuilder<unknown>) {
    this.#rows = rows;
    this.#build = build;
  }

  /** Runs it; `db` may be a transaction. */
  read(db: Db, args: Arguments): Promise<RowOf<Of>[]> {
    const run = () => readRows(db, this.#rows, this.#build(args));
    return turnsOf.get(db)?.run(run) ?? run();
  }
}

/** Watches the statements of an operation; an error that it throws rejects the statement or its result. */
export interface DatabaseWatch {
  /** A statement is about to run. */
  onStatement(): void;
  /** A statement returned this number of rows. */
  onRows(count: number): void;
}

/** Statements of one operation that run at once: those of a long list leave connections of the pool to others. */
const STATEMENTS_AT_ONCE = 3;

/** Lets the statements of an operation run, a few at a time, in the order in which they came. */
class Turns {
  #free = STATEMENTS_AT_ONCE;
  readonly #waiting: (() => void)[] = [];

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free === 0) await new Promise<void>((begin) => this.#waiting.push(begin));
    else this.#free -= 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

const turnsOf = new WeakMap<Db, Turns>();
const origins = new WeakMap<Db, Db>();

/** The same database for one operation: its statements are watched, and only a few of a {@link Statement} run at once. */
export function forOperation(db: Db, watch: DatabaseWatch): Db {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      watch.onStatement();
      return node;
    },
    transformResult: async ({ result }) => {
      watch.onRows(result.rows.length);
      return result;
    },
  };
  const own = db.withPlugin(plugin);
  setOrigin(own, originOf(db));
  turnsOf.set(own, new Turns());
  return own;
}

/** Makes `origin` the original database of one derived from it. */
export function setOrigin(derived: Db, origin: Db): void {
  origins.set(derived, origin);
}

/**
 * The original database of one created by {@link forOperation}, or of a snapshot; any other is returned as it is. Caches
 * by database use the original.
 */
export function originOf(db: Db): Db {
  return origins.get(db) ?? db;
}
