import { sql } from "kysely";
import { encodeEntityId, entityIdOf, formatEntityId } from "../../catapult/json/entity-id.js";
import { BLOCK_BODIES } from "../../database/bodies/block-bodies.js";
import { TRANSACTION_BODIES } from "../../database/bodies/transaction-bodies.js";
import { openDatabase } from "../../database/connection.js";
import { copyDatabase, type TestDatabase } from "../support/database.js";

const AT_ONCE = 2_000;

/**
 * A copy of a filled database for hand-written handlers, in which `blocks` and `transactions` have a column `document`
 * with the REST body of each row.
 */
export async function copyWithDocuments(url: string): Promise<TestDatabase> {
  const copy = await copyDatabase(url);
  const db = openDatabase({ url: copy.url, poolSize: 1, statementTimeoutMs: 0 });
  try {
    await sql`alter table blocks add column document text`.execute(db);
    await sql`alter table transactions add column document text`.execute(db);
    const { rows } = await sql<{ height: number }>`select max(height)::int4 as height from blocks`.execute(db);
    for (let first = 1; first <= (rows[0]?.height ?? 0); first += AT_ONCE) {
      const last = first + AT_ONCE - 1;
      const blocks = await sql<{ height: number; record: Buffer }>`
        select d.height, ${BLOCK_BODIES.record} as record from blocks d
        where d.height between ${first} and ${last}`.execute(db);
      const documents = blocks.rows.map(({ height, record }) => {
        return BLOCK_BODIES.entry(formatEntityId(encodeEntityId(height)), record).document;
      });
      await sql`update blocks b set document = u.document
        from unnest(${blocks.rows.map(({ height }) => height)}::int4[], ${documents}::text[]) u (height, document)
        where b.height = u.height`.execute(db);
      await storeTransactions(db, first, last);
    }
    await sql`vacuum full blocks`.execute(db);
    await sql`vacuum full transactions`.execute(db);
    await sql`vacuum analyze`.execute(db);
    return copy;
  } finally {
    await db.destroy();
  }
}

async function storeTransactions(db: ReturnType<typeof openDatabase>, first: number, last: number): Promise<void> {
  const { rows } = await sql<{ id: number | bigint; record: Buffer }>`
    select d.id, ${TRANSACTION_BODIES.record} as record from transactions d
    where d.id >= ${first}::int8 << 32 and d.id < (${last}::int8 + 1) << 32`.execute(db);
  const documents = rows.map(({ id, record }) => {
    return TRANSACTION_BODIES.entry(formatEntityId(entityIdOf(BigInt(id))), record).document;
  });
  await sql`update transactions t set document = u.document
    from unnest(${rows.map(({ id }) => BigInt(id))}::int8[], ${documents}::text[]) u (id, document)
    where t.id = u.id`.execute(db);
}
