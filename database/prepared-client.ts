import { tracingChannel } from "node:diagnostics_channel";
import pg from "pg";
import { splitMessages } from "./message-splitter.js";
import { endWhenSilent, KEEP_ALIVE_AFTER_MS, type SilenceLimit } from "./silence.js";
import { StatementNames } from "./statement-names.js";

/** A statement that runs, as tracing sees it; values are not part of it. */
export interface TracedStatement {
  readonly text: string;
}

/** Reports every statement with parameters to tracing. Without a subscriber it costs nothing. */
export const statementChannel = tracingChannel<unknown, TracedStatement>("symbol-gateway.statement");

export interface PreparedClientConfig extends pg.ClientConfig {
  readonly silence: SilenceLimit;
  /** Of all connections of a pool; by default, a connection has its own. */
  readonly statementNames?: StatementNames;
}

/**
 * A connection on which repeated statements are prepared by the server: it parses and plans them once instead of each
 * time, which costs more than running them. Only statements with parameters are prepared: those without are `begin`,
 * `commit` and the like.
 *
 * Internally, results are passed by callbacks, because the driver's own promises keep each result until the next full
 * garbage collection, which halves a gateway's throughput.
 */
export class PreparedClient extends pg.Client {
  readonly statementNames: StatementNames;

  constructor(config: PreparedClientConfig) {
    super({ keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS, ...config });
    this.statementNames = config.statementNames ?? new StatementNames();
    splitMessages(this);
    endWhenSilent(this, config.silence);
  }

  override query = ((first: unknown, values?: unknown, callback?: unknown) => {
    const query = super.query as (...args: unknown[]) => unknown;
    if (typeof first !== "string" || !Array.isArray(values) || callback)
      return query.call(this, first, values, callback);
    if (!statementChannel.hasSubscribers) return this.#run(query, first, values);
    return statementChannel.tracePromise(() => this.#run(query, first, values), { text: first });
  }) as pg.Client["query"];

  #run(query: (...args: unknown[]) => unknown, text: string, values: readonly unknown[]): Promise<unknown> {
    const name = values.length > 0 ? this.statementNames.of(text) : undefined;
    return new Promise((resolve, reject) => {
      const settle = (error: Error | null, result: unknown) => (error ? reject(error) : resolve(result));
      const statement = new pg.Query(text, values as unknown[], settle as never) as pg.Query & {
        name?: string | undefined;
      };
      // As a member of a configuration it would be copied property by property, with their descriptors.
      statement.name = name;
      query.call(this, statement);
    });
  }
}
