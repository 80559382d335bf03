import path from "node:path";
import { pipeline } from "node:stream/promises";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { startProcess } from "../support/process.js";
import { GatewayProgram } from "./gateway-program.js";
import { withClient } from "./table-copies.js";

/** The program of an earlier version in the folder of a compiled checkout. */
export function programIn(folder: string): string {
  return path.resolve(folder, "dist/cli/main.js");
}

/**
 * A database of an earlier version with the bytes of the same blocks, from which its `backfill --source raw` builds
 * all else.
 * @param url a database of this version
 * @throws Error with the output of a command that fails
 */
export async function createPreviousDatabase(folder: string, url: string): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await run(programIn(folder), ["migrate"], { DATABASE_URL: database.url });
  for (const table of ["head", "raw_blocks"]) await copyRows(url, database.url, table);
  return database;
}

/** A gateway of an earlier version, on a database of its own with the same blocks and accounts. */
export class PreviousVersion {
  readonly database: TestDatabase;
  readonly gateway: GatewayProgram;

  private constructor(database: TestDatabase, gateway: GatewayProgram) {
    this.database = database;
    this.gateway = gateway;
  }

  /**
   * @param folder a compiled checkout of that version
   * @param url a filled database of this version
   * @throws Error with the output of a command that fails
   */
  static async start(
    folder: string,
    url: string,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<PreviousVersion> {
    const program = programIn(folder);
    const database = await createPreviousDatabase(folder, url);
    const env = { DATABASE_URL: database.url, STATE_SOURCE: "node" };
    await run(program, ["backfill", "--source", "raw"], env);
    await withClient(database.url, (client) => client.query("alter table accounts alter read_height set default 0"));
    await copyRows(url, database.url, "accounts");
    await withClient(database.url, async (client) => {
      await client.query("delete from pending_states");
      await client.query("update head set state_height = height");
      await client.query("vacuum analyze");
    });
    return new PreviousVersion(database, await GatewayProgram.start(database.url, settings, { program }));
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.database.drop();
  }
}

async function run(script: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  const command = startProcess(args, { env, script, isUnsupervised: true });
  const { code } = await command.exited;
  if (code !== 0) throw new Error(`The command ${args.join(" ")} of the previous version failed:\n${command.output}`);
}

/** Copies the rows of a table into that of another database, in the columns that both have. */
async function copyRows(from: string, to: string, table: string): Promise<void> {
  await withClient(from, (source) =>
    withClient(to, async (target) => {
      const columnsOf = async (client: typeof source) => {
        const { rows } = await client.query<{ name: string }>(
          `select attname as name from pg_attribute
           where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
          [table],
        );
        return rows.map(({ name }) => name);
      };
      const known = new Set(await columnsOf(target));
      const columns = (await columnsOf(source)).filter((name) => known.has(name)).join(", ");
      const rows = source.query(copyTo(`copy ${table} (${columns}) to stdout (format binary)`));
      await pipeline(rows, target.query(copyFrom(`copy ${table} (${columns}) from stdin (format binary)`)));
    }),
  );
}
