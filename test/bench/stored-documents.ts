import { sql } from "kysely";
import { decodeEntityId, numberFrom } from "../../catapult/json/entity-id.js";
import { openDatabase } from "../../database/connection.js";
import { findAccounts } from "../../database/queries/accounts.js";
import { findBlocks } from "../../database/queries/blocks.js";
import { readTransactionRun } from "../../database/queries/transactions.js";
import { copyDatabase, type TestDatabase } from "../support/database.js";

const AT_ONCE = 2_000;
/** More transactions than generated blocks have. */
const MAX_IN_BLOCKS = 1_000_000;

/**
 * A copy of a filled database for hand-written handlers, in which `blocks`, `transactions` and `accounts` have a column
 * `document` with the REST body of each row.
 */
export async function copyWithDocuments(url: string): Promise<TestDatabase> {
  const copy = await copyDatabase(url);
  const db = openDatabase({ url: copy.url, poolSize: 1, statementTimeoutMs: 0 });
  try {
    await sql`alter table blocks add column document text`.execute(db);
    await sql`alter table transactions add column document text`.execute(db);
    await sql`alter table accounts add column document text`.execute(db);
    const { rows } = await sql<{ height: number }>`select max(height)::int4 as height from blocks`.execute(db);
    for (let first = 1; first <= (rows[0]?.height ?? 0); first += AT_ONCE) {
      const last = first + AT_ONCE - 1;
      const heights = Array.from({ length: last - first + 1 }, (_, place) => first + place);
      const blocks = (await findBlocks(db, heights)).map(({ id, body }) => ({
        height: decodeEntityId(id).height,
        body,
      }));
      await sql`update blocks b set document = u.document
        from unnest(${blocks.map(({ height }) => height)}::int4[], ${blocks.map(({ body }) => body)}::text[]) u (height, document)
        where b.height = u.height`.execute(db);
      await storeTransactions(db, first, last);
    }
    await storeAccounts(db);
    await sql`vacuum full blocks`.execute(db);
    await sql`vacuum full transactions`.execute(db);
    await sql`vacuum analyze`.execute(db);
    return copy;
  } finally {
    await db.destroy();
  }
}

async function storeTransactions(db: ReturnType<typeof openDatabase>, first: number, last: number): Promise<void> {
  const transactions = await readTransactionRun(
    db,
    { fromHeight: first, toHeight: last, embedded: true },
    { first: MAX_IN_BLOCKS, order: "asc" },
  );
  await sql`update transactions t set document = u.document
    from unnest(${transactions.map(({ id }) => numberFrom(id))}::int8[],
      ${transactions.map(({ body }) => body)}::text[]) u (id, document)
    where t.id = u.id`.execute(db);
}

async function storeAccounts(db: ReturnType<typeof openDatabase>): Promise<void> {
  const addresses = (await db.selectFrom("accounts").select("address").execute()).map(({ address }) => address);
  for (let first = 0; first < addresses.length; first += AT_ONCE) {
    const some = addresses.slice(first, first + AT_ONCE);
    const bodies = (await findAccounts(db, some)).map(({ body }) => body);
    await sql`update accounts a set document = u.document
      from unnest(${some}::bytea[], ${bodies}::text[]) u (address, document)
      where a.address = u.address`.execute(db);
  }
}
