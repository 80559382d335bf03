import path from "node:path";
import { pipeline } from "node:stream/promises";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { createTestDatabase, type TestDatabase, withClient } from "../support/database.js";
import { startProcess } from "../support/process.js";

const { BENCH_BEFORE } = process.env;

/** The program of another commit, compiled in the folder that `BENCH_BEFORE` names, to compare with in the same run. */
export const PREVIOUS = BENCH_BEFORE && path.resolve(BENCH_BEFORE, "dist/cli/main.js");

/** Runs a command of a program to its end, by default of this version. @throws Error with its output if it fails */
export async function runProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  script?: string,
): Promise<void> {
  const command = startProcess(args, { env, ...(script && { script, isUnsupervised: true }) });
  const { code } = await command.exited;
  if (code !== 0) throw new Error(`The command ${args.join(" ")} failed:\n${command.output.slice(-2_000)}`);
}

/** A database of another version with the bytes of the blocks of a database of this one, and nothing else. */
export async function createPreviousDatabase(program: string, url: string): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await runProgram(["migrate"], { DATABASE_URL: database.url }, program);
  for (const table of ["head", "raw_blocks", "finalized_blocks"]) await copyRows(url, database.url, table);
  return database;
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
