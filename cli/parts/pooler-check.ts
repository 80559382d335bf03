import pg from "pg";
import { UsageError } from "../process/usage-error.js";

/** No statement here takes long; in a pool of one connection the last one waits until then. In ms. */
const TIMEOUT_MS = 3_000;
/** PostgreSQL: no such prepared statement, and one of this name exists: it was prepared on another connection. */
const LOST_STATEMENT = /^(26000|42P05)$/;
/** PgBouncer, about a parameter that it does not pass on. */
const REJECTED_PARAMETER = /unsupported startup parameter/;
const IGNORE = "add ignore_startup_parameters = statement_timeout to PgBouncer's configuration";
const STATEMENT = { name: "symbol_gateway_pooler_check", text: "select pg_backend_pid() as pid where $1::int = 1" };

/** What is between this program and PostgreSQL: nothing that matters, or a pooler in transaction mode. */
type Path = "direct" | "pooled" | "pooled without prepared statements";

/**
 * Checks that a URL leads to the server itself, not through a pooler in transaction mode: locks and LISTEN need a
 * connection of their own. A database that is not reachable yet is not an error: the caller waits for it anyway.
 * @param setting that has the URL
 * @throws UsageError that says what to change
 */
export async function requireServer(setting: string, url: string): Promise<void> {
  const path = await pathTo(setting, url);
  if (path === undefined || path === "direct") return;
  throw new UsageError(
    `${setting} leads through a pooler in transaction mode, such as PgBouncer: locks and LISTEN do not work there. ` +
      "Set it to PostgreSQL itself; DATABASE_READ_URL of a gateway may lead through the pooler.",
  );
}

/**
 * Checks that statements can be read through a URL, also by a pooler in transaction mode.
 * @throws UsageError that says what to change
 */
export async function requirePreparedStatements(setting: string, url: string): Promise<void> {
  if ((await pathTo(setting, url)) !== "pooled without prepared statements") return;
  throw new UsageError(
    `${setting} leads through a pooler in transaction mode that does not keep prepared statements: it needs PgBouncer ` +
      "1.21 or later with max_prepared_statements = 200.",
  );
}

/** @returns undefined if the server is unreachable */
async function pathTo(setting: string, url: string): Promise<Path | undefined> {
  const open = () =>
    new pg.Client({
      connectionString: url,
      application_name: "symbol-gateway pooler check",
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      // As the connections of gateways send it.
      statement_timeout: TIMEOUT_MS,
    }).on("error", () => undefined);
  const [one, other] = [open(), open()];
  try {
    await one.connect();
    await other.connect();
    return await pathOf(one, other);
  } catch (error) {
    if (REJECTED_PARAMETER.test(String(error)))
      throw new UsageError(`${setting}: ${(error as Error).message}: ${IGNORE}.`);
    return undefined;
  } finally {
    await Promise.all([one, other].map((client) => client.end().catch(() => undefined)));
  }
}

/** A server that is used by two clients, or a client that uses two servers, shows that transactions are pooled. */
async function pathOf(one: pg.Client, other: pg.Client): Promise<Path> {
  const serverOf = async (client: pg.Client, statement: object) => {
    const { rows } = await client.query<{ pid: number }>({ ...statement, text: STATEMENT.text, values: [1] });
    return rows[0]?.pid;
  };
  try {
    const first = await serverOf(one, STATEMENT);
    await other.query("begin");
    const others = await serverOf(other, {});
    const second = await serverOf(one, STATEMENT);
    return first === second && first !== others ? "direct" : "pooled";
  } catch (error) {
    if (LOST_STATEMENT.test(String((error as { code?: unknown }).code))) return "pooled without prepared statements";
    throw error;
  }
}
