import { pipeline } from "node:stream/promises";
import { sql } from "kysely";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import type { Database } from "../../database/database.js";
import { SingleConnection } from "../../database/single-connection.js";
import { EVENTS_CHANNEL } from "../../database/tables/events.js";
import { BackfillRangeError } from "./errors.js";
import { readOtherHead } from "./other-index.js";

/** What no block determines; tables that others refer to come first. */
const TABLES = [
  "events",
  "event_addresses",
  "dropped_blocks",
  "unconfirmed_transactions",
  "unconfirmed_transaction_addresses",
  "unconfirmed_transaction_mosaics",
  "partial_transactions",
  "partial_transaction_addresses",
  "partial_transaction_mosaics",
  "partial_cosignatures",
  "awaited_transactions",
  "transaction_statuses",
  "webhooks",
  "webhook_messages",
] as const satisfies readonly (keyof Database)[];

/** What gateways write: they may do so until the last of them has another database. */
const ANNOUNCED = ["announcements", "rejected_announcements"] as const satisfies readonly (keyof Database)[];

/** What was copied. */
export interface TakenOver {
  /** Sequence of the newest event. */
  readonly eventSequence: number;
  /** Announcements that this database did not have. */
  readonly announcements: number;
}

/**
 * Copies from another index what no block determines: events with their sequences, so that clients resume where they
 * were, pending transactions, statuses, announcements, webhooks. The other index must have the same blocks and no
 * writer. If it was taken over before, only what its gateways have added since is copied. Columns that one of the two
 * versions lacks keep their defaults.
 * @param writes aborted once another process may write to the other index
 * @throws BackfillRangeError when this index has events of its own, or other blocks; the reason of `writes`
 */
export async function takeOver(databaseUrl: string, otherUrl: string, writes: AbortSignal): Promise<TakenOver> {
  const from = await SingleConnection.open(otherUrl, "symbol-gateway backfill");
  const to = await SingleConnection.open(databaseUrl, "symbol-gateway backfill");
  try {
    return await to.db.transaction().execute(async (trx) => {
      const theirs = await readOtherHead(from.db);
      const ours = await trx
        .selectFrom("head")
        .select(["height", "event_sequence"])
        .forUpdate()
        .executeTakeFirstOrThrow();
      const isFirst = ours.event_sequence === 0 && ours.height === theirs.height;
      if (!isFirst && ours.event_sequence < theirs.eventSequence) {
        throw new BackfillRangeError("This database has events of its own: fill an empty one from the other database");
      }
      if (isFirst) {
        for (const table of TABLES) await copyTable(from, to, table, table);
        await sql`select setval(pg_get_serial_sequence('webhooks', 'id'), (select coalesce(max(id), 0) + 1 from webhooks), false)`.execute(
          trx,
        );
        await trx.updateTable("head").set({ event_sequence: theirs.eventSequence }).execute();
        await sql`select pg_notify(${EVENTS_CHANNEL}, ${String(theirs.eventSequence)})`.execute(trx);
      }
      for (const table of ANNOUNCED) {
        await sql`create temporary table ${sql.table(`other_${table}`)} (like ${sql.table(table)} including defaults) on commit drop`.execute(
          trx,
        );
        await copyTable(from, to, table, `other_${table}`);
      }
      await sql`insert into rejected_announcements (hash, code, deadline, addresses)
        select hash, code, deadline, addresses from other_rejected_announcements o
        where not exists (select from transaction_statuses s where s.hash = o.hash)
          and not exists (select from rejected_announcements r where r.hash = o.hash)`.execute(trx);
      const added = await sql`insert into announcements select * from other_announcements o
        where not exists (select from transactions t where t.hash = o.hash) on conflict do nothing`.execute(trx);
      writes.throwIfAborted();
      return { eventSequence: theirs.eventSequence, announcements: Number(added.numAffectedRows ?? 0) };
    });
  } finally {
    await from.close();
    await to.close();
  }
}

/** Copies the columns that both tables have; nothing if the other database lacks the table. */
async function copyTable(from: SingleConnection, to: SingleConnection, table: string, target: string): Promise<void> {
  const theirs = new Set(await columnsOf(from, table));
  const columns = (await columnsOf(to, table))
    .filter((name) => theirs.has(name))
    .map(pg.escapeIdentifier)
    .join(", ");
  if (!columns) return;
  await pipeline(
    from.client.query(copyTo(`copy ${pg.escapeIdentifier(table)} (${columns}) to stdout`)),
    to.client.query(copyFrom(`copy ${pg.escapeIdentifier(target)} (${columns}) from stdin`)),
  );
}

async function columnsOf({ db }: SingleConnection, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select attname as name from pg_attribute
    where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped order by attnum`.execute(db);
  return rows.map(({ name }) => name);
}
