import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../database/database.js";
import { Collection, idKey, listNumber, TYPE_RANGE } from "../../database/lists/collections.js";
import { KeyKind } from "../../database/lists/keys.js";
import { writeCounters } from "./write-synthetic-chain.js";

/*
 * A large chain, made by the database itself: n is the number of a transaction from 0. Twenty are in a block; of five, the
 * third is an aggregate with the fourth and the fifth in it.
 */

const IN_A_BLOCK = 20;
const OTHER_COUNTERS = 50_000;

/** The account that has signed every third transaction; others have signed one in some thousand. */
export const BUSY = 0;
/** One that had a part in every fourth transaction of the first fifth of the chain, and in few since. */
export const EARLY = 1;
/** An account that has a part in a few thousand transactions. */
export const ORDINARY = 17;
export const TRANSFER = 16724;
export const AGGREGATE = 16705;
/** In nine of ten transfers; the other one in the tenth. */
export const COMMON_MOSAIC = 1n;
export const RARE_MOSAIC = 2n;
/** Amounts are below this. */
export const AMOUNTS = 100_000;

/** Public key (32 bytes) of an account. */
export function manyKey(account: number): Buffer {
  return Buffer.concat([Buffer.alloc(28, 0x5a), uint32(account)]);
}

/** Address (24 bytes) of an account. */
export function manyAddress(account: number): Buffer {
  return Buffer.concat([Buffer.alloc(20, 0x98), uint32(account)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const TRANSACTION_COLLECTIONS = Object.entries(Collection)
  .filter(([name]) => name.startsWith("transactions"))
  .map(([, collection]) => collection);

/** Writes transactions 0 to `count` - 1 with all that they are searched by into an empty, migrated database. */
export async function writeManyTransactions(db: Db, count: number): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`set synchronous_commit = off`.execute(connection);
    await sql`set maintenance_work_mem = '256MB'`.execute(connection);
    await sql`set work_mem = '128MB'`.execute(connection);
    await withoutIndexes(connection, ["transactions", "transaction_addresses", "transaction_mosaics"], () =>
      writeRows(connection, count),
    );
    // As autovacuum does in time: only then does an index alone tell which rows are there.
    await sql`vacuum analyze`.execute(connection);
    await writeCounters(connection, { collections: TRANSACTION_COLLECTIONS, keys: countedKeys() });
    await writeOtherCounters(connection);
    await writeHead(connection, count);
    for (const setting of ["synchronous_commit", "maintenance_work_mem", "work_mem"]) {
      await sql`reset ${sql.raw(setting)}`.execute(connection);
    }
    await sql`analyze list_counters, milestones`.execute(connection);
  });
}

/** Pages of several lists are found by halving the chain's height. */
async function writeHead(db: Db, count: number): Promise<void> {
  const hash = Buffer.alloc(32);
  await db
    .insertInto("head")
    .values({
      id: 1,
      height: Math.ceil(count / IN_A_BLOCK),
      hash,
      score: 0n,
      finalized_epoch: 1,
      finalized_point: 1,
      finalized_height: 1,
      finalized_hash: hash,
      event_sequence: 0,
    })
    .execute();
}

/** Accounts with keys, more than take part. */
const ACCOUNTS = 4_096;
const MOSAICS = 2;
/** Numbers of keys: of addresses, of public keys, and of mosaics, whose ids begin with 1. */
const addressNumber = (account: number) => 1 + account;
const publicKeyNumber = (account: number) => 1 + ACCOUNTS + account;
const mosaicNumber = (mosaic: number) => 2 * ACCOUNTS + mosaic;

/** Only of these are there counters and milestones: the others would take a minute. */
function countedKeys(): number[] {
  const accounts = [BUSY, EARLY, ORDINARY];
  const types = [AGGREGATE];
  return [
    0,
    ...accounts.map(publicKeyNumber),
    ...accounts.map(addressNumber),
    ...types,
    ...accounts.flatMap((account) => types.map((type) => addressNumber(account) * TYPE_RANGE + type)),
    ...[COMMON_MOSAIC, RARE_MOSAIC].map((id) => mosaicNumber(Number(id))),
  ];
}

/** Makes the tables of counters and milestones as large as they would be. */
async function writeOtherCounters(db: Db): Promise<void> {
  const rows = sql.lit(OTHER_COUNTERS);
  const list = sql`${listNumber(1, 0)}::int8 * (10 + n % 20) + 1000000 + n`;
  await sql`insert into list_counters (list, count) select ${list}, 1 from generate_series(1, ${rows}) n`.execute(db);
  await sql`insert into milestones (list, ordinal, id)
    select ${list}, 128, n::int8 << 32 from generate_series(1, ${rows}) n`.execute(db);
}

async function writeKeys(db: Db): Promise<void> {
  const rows = [
    ...Array.from({ length: ACCOUNTS }, (_, account) => [KeyKind.address, manyAddress(account)] as const),
    ...Array.from({ length: ACCOUNTS }, (_, account) => [KeyKind.publicKey, manyKey(account)] as const),
    ...Array.from({ length: MOSAICS }, (_, mosaic) => [KeyKind.id, idKey(BigInt(1 + mosaic))] as const),
  ].map(([kind, key], index) => ({ id: 1 + index, height: 1, kind, key }));
  for (let start = 0; start < rows.length; start += 1_000) {
    await db
      .insertInto("keys")
      .values(rows.slice(start, start + 1_000))
      .execute();
  }
}

async function writeRows(db: Db, count: number): Promise<void> {
  const block = sql`(1 + n / ${sql.lit(IN_A_BLOCK)})::int8`;
  // Embedded ones have the place of their aggregate in the block.
  const place = sql`n % ${sql.lit(IN_A_BLOCK)} - greatest(n % 5 - 2, 0)`;
  const id = sql`(${block} << 32 | ((${place})::int8 << 12) | greatest(n % 5 - 2, 0))`;
  const embedded = sql`n % 5 > 2`;
  const isEarly = sql`n < ${sql.lit(count / 5)} and n % 4 = 1`;
  const signer = sql`(case when ${isEarly} then 1 when n % 3 = 0 then 0 else hashint4(n::int4) & 4095 end)`;
  const recipient = sql`(case when ${isEarly} then 1 when n % 4 = 0 then 0 else hashint4(n::int4 + 7) & 4095 end)`;
  const type = sql`(case when n % 5 = 2 then ${sql.lit(AGGREGATE)} else ${sql.lit(TRANSFER)} end)`;
  const marked = (number: RawBuilder<unknown>) => sql`2 * (${number}) + case when ${embedded} then 1 else 0 end`;
  const numbers = sql`generate_series(0, ${sql.lit(count - 1)}) n`;
  const isTransfer = sql`n % 5 <> 2`;
  const [firstAddress, firstKey, firstMosaic] = [addressNumber(0), publicKeyNumber(0), mosaicNumber(0)].map(sql.lit);

  await writeKeys(db);
  await sql`insert into transactions (id, deadline, signer, recipient, type, size, hash, document)
    select ${id}, n, ${marked(sql`${firstKey} + ${signer}`)},
      case when ${isTransfer} then ${marked(sql`${firstAddress} + ${recipient}`)} end, ${marked(type)}, 160,
      case when not ${embedded} then int8send(n) || decode(repeat('ab', 24), 'hex') end, '{}' from ${numbers}`.execute(
    db,
  );
  await sql`insert into transaction_addresses (id, account, type)
    select ${id}, ${marked(sql`${firstAddress} + ${signer}`)}, ${type} from ${numbers}
    union all
    select ${id}, ${marked(sql`${firstAddress} + ${recipient}`)}, ${type} from ${numbers}
    where ${isTransfer} and ${signer} <> ${recipient}`.execute(db);
  await sql`insert into transaction_mosaics (id, amount, mosaic)
    select ${id}, hashint4(n::int4) & 65535, ${marked(sql`${firstMosaic} + case when n % 10 = 0 then 2 else 1 end`)}
    from ${numbers} where ${isTransfer}`.execute(db);
}

/** Writes so many transactions that wait, each group in the same way, and as many statuses of refused ones. */
export async function writeManyPending(db: Db, count: number): Promise<void> {
  const id = sql`int8send(n / 5) || decode('00', 'hex') || decode(lpad(to_hex(n % 5), 6, '0'), 'hex')`;
  const embedded = sql`n % 5 > 0`;
  const account = sql`hashint4(n::int4) & 255`;
  const key = sql`decode(repeat('5a', 28), 'hex') || int4send(${account})`;
  const address = sql`decode(repeat('98', 20), 'hex') || int4send(${account})`;
  const type = sql`(case when n % 5 = 0 then ${sql.lit(AGGREGATE)} else ${sql.lit(TRANSFER)} end)`;
  const numbers = sql`generate_series(1, ${sql.lit(count)}) n`;
  for (const group of ["unconfirmed", "partial"] as const) {
    await sql`insert into ${sql.table(`${group}_transactions`)}
        (id, embedded, hash, type, signer_public_key, recipient_address, deadline, document)
      select ${id}, ${embedded}, case when not ${embedded} then int8send(n) || decode(repeat('cd', 24), 'hex') end,
        ${type}, ${key}, ${address}, n, '{}' from ${numbers}`.execute(db);
    await sql`insert into ${sql.table(`${group}_transaction_addresses`)} (address, id, embedded, type)
      select ${address}, ${id}, ${embedded}, ${type} from ${numbers}`.execute(db);
    await sql`insert into ${sql.table(`${group}_transaction_mosaics`)} (mosaic_id, id, embedded, amount)
      select int8send(1 + n % 50), ${id}, ${embedded}, n from ${numbers} where ${embedded}`.execute(db);
  }
  await sql`insert into transaction_statuses (hash, code, deadline, from_node, recorded_at)
    select int8send(n) || decode(repeat('ef', 24), 'hex'), 'Failure', n, true, now() from ${numbers}`.execute(db);
  await sql`vacuum analyze`.execute(db);
}

/** Indexes are made behind the rows, and nothing is written to the log: this takes a part of the time. */
async function withoutIndexes(db: Db, tables: readonly string[], write: () => Promise<void>): Promise<void> {
  const { rows } = await sql<{ name: string; definition: string; constraint: string | null; table: string }>`
    select i.relname as name, pg_get_indexdef(x.indexrelid) as definition, t.relname as table,
      case when c.oid is not null then format('alter table %I add constraint %I %s', t.relname, c.conname,
        pg_get_constraintdef(c.oid)) end as constraint
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
      left join pg_constraint c on c.conindid = x.indexrelid
    where t.relname = any(${[...tables]}) and t.relnamespace = current_schema()::regnamespace`.execute(db);
  for (const table of tables) await sql`alter table ${sql.table(table)} set unlogged`.execute(db);
  for (const { name, table, constraint } of rows) {
    if (constraint) await sql`alter table ${sql.table(table)} drop constraint ${sql.id(name)}`.execute(db);
    else await sql`drop index ${sql.id(name)}`.execute(db);
  }
  await write();
  for (const { definition, constraint } of rows) await sql.raw(constraint ?? definition).execute(db);
}
