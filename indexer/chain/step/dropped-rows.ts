import { sql } from "kysely";
import { encodeEntityId, entityNumber } from "../../../catapult/json/entity-id.js";
import type { Db } from "../../../database/database.js";
import { addCollectionEntries } from "./collection-entries.js";
import { countRemoved, ListGatherer } from "./counters.js";
import { reopenDays } from "./daily-sums.js";

/**
 * Drops all rows of every block above `keptHeight`, and keeps the blocks' bytes. Counted entries are read from the rows
 * themselves, so counters stay exact.
 */
export async function dropRows(trx: Db, keptHeight: number): Promise<void> {
  const first = entityNumber(keptHeight + 1);
  const lists = new ListGatherer();
  addCollectionEntries(await readCountedRows(trx, keptHeight), lists.add);
  await countRemoved(trx, lists.lists(), keptHeight + 1);
  for (const table of [
    "transactions",
    "transaction_addresses",
    "transaction_mosaics",
    "transaction_statements",
    "address_resolution_statements",
    "mosaic_resolution_statements",
    "unknown_entities",
  ] as const) {
    await sql`delete from ${sql.table(table)} where id >= ${first}`.execute(trx);
  }
  await trx.deleteFrom("receipts").where("statement_id", ">=", first).execute();
  await trx.deleteFrom("balance_changes").where("height", ">", keptHeight).execute();
  // Days are found by the times of blocks.
  await reopenDays(trx, keptHeight);
  await trx.deleteFrom("blocks").where("height", ">", keptHeight).execute();
  await trx
    .deleteFrom("namespace_registrations")
    .where("id", ">=", encodeEntityId(keptHeight + 1))
    .execute();
  await trx.deleteFrom("keys").where("height", ">", keptHeight).execute();
}

async function readCountedRows(trx: Db, keptHeight: number) {
  const first = entityNumber(keptHeight + 1);
  const withId = <Row extends { readonly id: number | bigint }>(row: Row) => ({ ...row, id: BigInt(row.id) });
  const statements = (
    table: "transaction_statements" | "address_resolution_statements" | "mosaic_resolution_statements",
  ) => trx.selectFrom(table).select("id").where("id", ">=", first).execute();
  const rows = {
    blocks: await trx
      .selectFrom("blocks")
      .select(["height", "signer", "beneficiary", "harvester"])
      .where("height", ">", keptHeight)
      .execute(),
    transactions: await trx
      .selectFrom("transactions")
      .select(["id", "signer", "recipient", "type"])
      .where("id", ">=", first)
      .execute(),
    transaction_addresses: await trx.selectFrom("transaction_addresses").selectAll().where("id", ">=", first).execute(),
    transaction_mosaics: await trx
      .selectFrom("transaction_mosaics")
      .select(["mosaic", "id"])
      .where("id", ">=", first)
      .execute(),
    transaction_statements: await statements("transaction_statements"),
    receipts: await trx
      .selectFrom("receipts")
      .select(["statement_id", "type", "sender", "recipient", "target", "artifact"])
      .where("statement_id", ">=", first)
      .execute(),
    address_resolution_statements: await statements("address_resolution_statements"),
    mosaic_resolution_statements: await statements("mosaic_resolution_statements"),
  };
  return {
    blocks: rows.blocks,
    transactions: rows.transactions.map(withId),
    transaction_addresses: rows.transaction_addresses.map(withId),
    transaction_mosaics: rows.transaction_mosaics.map(withId),
    transaction_statements: rows.transaction_statements.map(withId),
    receipts: rows.receipts.map((row) => ({ ...row, statement_id: BigInt(row.statement_id) })),
    address_resolution_statements: rows.address_resolution_statements.map(withId),
    mosaic_resolution_statements: rows.mosaic_resolution_statements.map(withId),
  };
}

/** Empties all tables of blocks, except for their bytes. */
export async function dropAllRows(trx: Db): Promise<void> {
  await sql`truncate blocks, transactions, transaction_addresses, transaction_mosaics, transaction_statements, receipts,
    address_resolution_statements, mosaic_resolution_statements, namespace_registrations, balance_changes,
    unknown_entities, keys, list_counters, skip_pointers, daily_sums`.execute(trx);
  await trx.updateTable("head").set({ summed_height: 0 }).execute();
}
