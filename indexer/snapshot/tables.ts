import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import type { Db } from "../../database/database.js";
import type { SingleConnection } from "../../database/single-connection.js";
import { SnapshotError } from "./errors.js";
import type { FrameMeta, FrameWriter } from "./frame.js";
import type { SnapshotProgress } from "./header.js";
import type { Snapshot } from "./snapshot.js";
import { verifyState } from "./verify-state.js";

const compress = promisify(deflateRaw);
const decompress = promisify(inflateRaw);

/** Bytes of rows that are compressed at one time. */
const PART_BYTES = 1024 * 1024;
const MAX_PART_BYTES = 1024 * 1024 * 1024;

/**
 * Tables that are not part of the index: what was run on this database, what remains to be done to it, and what
 * belongs to its operator.
 */
const NOT_SAVED: readonly string[] = [
  "kysely_migration",
  "kysely_migration_lock",
  "deferred_indexes",
  "webhooks",
  "webhook_messages",
];

interface TableMeta extends FrameMeta {
  readonly kind: "table";
  readonly name: string;
  readonly columns: readonly string[];
}

interface SequenceMeta extends FrameMeta {
  readonly kind: "sequence";
  readonly name: string;
  readonly value: string;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const NO_BODY = Buffer.alloc(0);

/** The saved tables with their columns, in an order that depends on nothing else. */
async function tablesOf({ client }: SingleConnection): Promise<{ name: string; columns: string[] }[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attnum > 0
       and not a.attisdropped and a.attgenerated = '' and c.relname <> all($1)
     group by c.relname order by c.relname`,
    [NOT_SAVED],
  );
  return rows;
}

/** Writes every table as COPY sends it. @throws SnapshotError when the state or the indexes are incomplete */
export async function writeTables(
  connection: SingleConnection,
  db: Db,
  writer: FrameWriter,
  options: { readonly signal: AbortSignal; readonly onProgress: (progress: SnapshotProgress) => void },
): Promise<void> {
  const { client } = connection;
  const deferred = await db.selectFrom("deferred_indexes").select("name").limit(1).execute();
  if (deferred.length > 0) throw new SnapshotError("A backfill is incomplete: run it, or an indexer, to its end first");
  await verifyState(db);
  const tables = await tablesOf(connection);
  const total = await estimatedBytes(connection);
  let done = 0;
  for (const { name, columns } of tables) {
    await writer.write({ kind: "table", name, columns }, NO_BODY);
    const rows = client.query(copyTo(`copy ${quoted(name)} (${columns.map(quoted).join(", ")}) to stdout`));
    let parts: Buffer[] = [];
    let bytes = 0;
    const put = async () => {
      options.signal.throwIfAborted();
      await writer.write({ kind: "rows", table: name }, await compress(Buffer.concat(parts)));
      done += bytes;
      parts = [];
      bytes = 0;
      options.onProgress({ stage: "saving", done: Math.min(total, done), total, unit: "bytes" });
    };
    for await (const part of rows as AsyncIterable<Buffer>) {
      parts.push(part);
      bytes += part.length;
      if (bytes >= PART_BYTES) await put();
    }
    if (bytes > 0) await put();
  }
  const { rows } = await client.query<{ name: string; value: string }>(
    "select sequencename as name, last_value::text as value from pg_sequences where schemaname = current_schema() and last_value is not null",
  );
  for (const { name, value } of rows) await writer.write({ kind: "sequence", name, value }, NO_BODY);
}

/** Size of the tables as stored: for the progress only. */
async function estimatedBytes({ client }: SingleConnection): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `select coalesce(sum(pg_table_size(oid)), 0)::text as bytes from pg_class
     where relnamespace = current_schema()::regnamespace and relkind = 'r'`,
  );
  return Math.max(1, Number(rows[0]?.bytes ?? 0));
}

/** The migrations of a database's schema. */
export async function migrationsOf({ client }: Pick<SingleConnection, "client">): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>("select name from kysely_migration order by name");
  return rows.map(({ name }) => name);
}

/**
 * Replaces the content of every table by that of a snapshot, within the transaction of `connection`.
 * @throws SnapshotError when a table differs from the saved one
 */
export async function readTables(
  connection: SingleConnection,
  snapshot: Snapshot,
  { signal, onRows }: { readonly signal: AbortSignal; readonly onRows: () => void },
): Promise<void> {
  const { client } = connection;
  const own = new Map((await tablesOf(connection)).map(({ name, columns }) => [name, columns]));
  await client.query(`truncate ${[...own.keys()].map(quoted).join(", ")}`);
  const frames = snapshot.frames();
  let frame = await frames.next();
  while (!frame.done && frame.value.meta.kind !== "end") {
    signal.throwIfAborted();
    const { meta } = frame.value;
    if (meta.kind === "table") {
      const { name, columns } = meta as TableMeta;
      const differs = own.get(name)?.toSorted().join() !== columns.toSorted().join();
      if (differs) throw new SnapshotError(`Table ${name} of the snapshot has other columns than that of the database`);
      const rows = async function* () {
        for (
          frame = await frames.next();
          !frame.done && frame.value.meta.kind === "rows";
          frame = await frames.next()
        ) {
          signal.throwIfAborted();
          onRows();
          yield await decompress(frame.value.body, { maxOutputLength: MAX_PART_BYTES });
        }
      };
      const statement = `copy ${quoted(name)} (${columns.map(quoted).join(", ")}) from stdin`;
      await pipeline(Readable.from(rows()), client.query(copyFrom(statement)));
      continue;
    }
    if (meta.kind === "sequence") {
      const { name, value } = meta as SequenceMeta;
      await client.query("select setval($1::regclass, $2::int8)", [quoted(name), value]);
    }
    frame = await frames.next();
  }
}
