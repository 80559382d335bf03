import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { readIndexPoint } from "../../database/queries/head.js";
import { readNetworkIdentity } from "../../database/queries/network.js";
import { mayWriteIndex, readServerFacts, type ServerFacts } from "../../database/queries/server.js";
import { SingleConnection } from "../../database/single-connection.js";
import { compareSchema, FormerSchemaError, hasReader, NewerSchemaError } from "../../migrations/migrate.js";
import { findDatabaseUrl } from "../parts/database.js";
import { outsideFailure } from "../process/outside-failure.js";
import { UsageError } from "../process/usage-error.js";
import { redactUrl, type Settings } from "../settings/settings.js";
import { type Finding, note, ok, withoutStop, wrong } from "./finding.js";

/** Major versions of PostgreSQL on which the tests have run. */
const OLDEST = 15;
const NEWEST = 18;
const NUMBERS_A_VERSION = 10_000;

/** What the database says of the index, if it can be read. */
export interface CheckedDatabase {
  readonly findings: readonly Finding[];
  readonly network?: NetworkIdentity | undefined;
}

/** Checks the databases of the settings: reachable, version, encoding, role, rights, schema. */
export async function checkDatabases(settings: Settings): Promise<CheckedDatabase> {
  let url: string;
  try {
    url = await findDatabaseUrl(settings);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { findings: [wrong("database", withoutStop(error.message))] };
  }
  const main = await checkOne(url, "DATABASE_URL", checkPrimary);
  const { DATABASE_READ_URL: readUrl } = settings;
  const replica = readUrl ? await checkOne(readUrl, "DATABASE_READ_URL", async () => ({ findings: [] })) : undefined;
  return { ...main, findings: [...main.findings, ...(replica?.findings ?? [])] };
}

type Work = (
  connection: SingleConnection,
  facts: ServerFacts,
  subject: string,
  url: string,
) => Promise<CheckedDatabase>;

async function checkOne(url: string, setting: string, work: Work): Promise<CheckedDatabase> {
  const subject = `database ${redactUrl(url)}`;
  try {
    const connection = await SingleConnection.open(url, "symbol-gateway doctor");
    try {
      const facts = await readServerFacts(connection.db);
      const server = checkServer(facts, subject);
      const { findings, ...more } = await work(connection, facts, subject, url);
      return { ...more, findings: [...server, ...findings] };
    } finally {
      await connection.close();
    }
  } catch (error) {
    const failure = outsideFailure(error);
    if (!failure) throw error;
    return { findings: [wrong(subject, withoutStop(failure.sentence), `Check ${setting} and the server`)] };
  }
}

function checkServer({ version, versionName, encoding }: ServerFacts, subject: string): Finding[] {
  const major = Math.floor(version / NUMBERS_A_VERSION);
  const name = `PostgreSQL ${versionName}`;
  const range = `PostgreSQL ${OLDEST} to ${NEWEST}`;
  return [
    major < OLDEST
      ? wrong(subject, `${name} is too old`, `Use ${range}`)
      : major > NEWEST
        ? note(subject, `${name} has not been tried`, `Use ${range}`)
        : ok(subject, name),
    ...(encoding === "UTF8"
      ? []
      : [wrong(subject, `its encoding is ${encoding}`, "Create the database with encoding UTF8 (template template0)")]),
  ];
}

async function checkPrimary(
  { db }: SingleConnection,
  facts: ServerFacts,
  subject: string,
  url: string,
): Promise<CheckedDatabase> {
  const { role, isSuperuser, isStandby } = facts;
  if (isStandby)
    return { findings: [wrong(subject, "it is a standby, which takes no changes", "Set DATABASE_URL to the primary")] };
  const roles = isSuperuser
    ? [note(subject, `role ${role} is a superuser`, "Use a role that only owns the database")]
    : [];
  try {
    const { missing, unknown } = await compareSchema(url);
    if (unknown.length > 0) return { findings: [...roles, wrong(subject, new NewerSchemaError(unknown).message)] };
    const rights = checkCreation(facts, subject);
    if (missing.length > 0) {
      const finding = note(subject, `its schema lacks ${missing.join(", ")}`, "Run symbol-gateway migrate");
      return { findings: [...roles, ...rights, finding] };
    }
    if (!(await mayWriteIndex(db))) {
      const advice = `Make ${role} the owner of the tables: reassign owned by <their owner> to ${role}`;
      return { findings: [...roles, wrong(subject, `role ${role} may not write the tables of the index`, advice)] };
    }
    const { height, finalizedHeight } = await readIndexPoint(db);
    const finding =
      height === 0
        ? "role and schema are right, nothing is indexed yet"
        : `role and schema are right, indexed up to ${height}, final ${finalizedHeight}`;
    const reader = (await hasReader(url))
      ? []
      : [note(subject, "there is no role for the views", "See docs/sql.md, if you need them")];
    return {
      findings: [...roles, ...rights, ok(subject, finding), ...reader],
      network: await readNetworkIdentity(db),
    };
  } catch (error) {
    if (error instanceof FormerSchemaError) return { findings: [...roles, wrong(subject, error.message)] };
    throw error;
  }
}

/** A role that may not create tables can neither migrate nor fill an empty database. */
function checkCreation({ role, schema, mayCreate }: ServerFacts, subject: string): Finding[] {
  if (mayCreate) return [];
  const where = schema === null ? "sees no schema for tables" : `may not create tables in schema ${schema}, or schemas`;
  return [wrong(subject, `role ${role} ${where}`, `Make it the database's owner: alter database … owner to ${role}`)];
}
