import { type Insertable, type RawBuilder, sql } from "kysely";
import { decodeEntityId, numberFrom } from "../../catapult/json/entity-id.js";
import type { Database, Db } from "../../database/database.js";
import {
  Collection,
  KeyKind,
  listNumber,
  SKIP_POINTER_STEP,
  TRANSACTION_LISTS,
} from "../../database/lists/collections.js";
import { encodeSyntheticBlock, type SyntheticSlice } from "./synthetic-bytes.js";
import { SYNTHETIC_NETWORK, SYNTHETIC_SEED, type SyntheticBlock, syntheticScore } from "./synthetic-chain.js";

/** Below PostgreSQL's limit of 65,535 parameters in a statement. */
const ROWS_AT_A_TIME = 2000;
const BLOCKS_AT_A_TIME = 500;
/** Blocks of a finalization epoch. */
const EPOCH_BLOCKS = 100;

/**
 * Writes blocks into an empty, migrated database, with everything that the indexer would store: keys, counters, skip pointers,
 * finalized blocks and the head row. Counters and skip pointers are computed by the database from the rows, so they share
 * no code with the indexer.
 * @returns the head's height
 */
export async function writeSyntheticChain(db: Db, blocks: Iterable<SyntheticBlock>): Promise<number> {
  const keys = new Keys();
  let waiting: SyntheticBlock[] = [];
  let last: SyntheticBlock | undefined;
  for (const block of blocks) {
    waiting.push(block);
    last = block;
    if (waiting.length < BLOCKS_AT_A_TIME) continue;
    await writeBlocks(db, waiting, keys);
    waiting = [];
  }
  await writeBlocks(db, waiting, keys);
  if (!last) throw new RangeError("A chain has at least one block");
  await writeBalance(db, keys);
  await insert(db, "keys", keys.rows);
  await writeCounters(db);
  await writeHead(db, last);
  await sql`analyze`.execute(db);
  return last.row.height;
}

/** Numbers of keys in the order in which they are asked for. */
class Keys {
  readonly rows: { id: number; height: number; kind: number; key: Buffer }[] = [];
  readonly #numbers = new Map<string, number>();

  number(kind: KeyKind, key: Buffer, height: number): number {
    const name = `${kind} ${key.toString("hex")}`;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const id = this.rows.length + 1;
    this.#numbers.set(name, id);
    this.rows.push({ id, height, kind, key });
    return id;
  }
}

/** The first block distributes one unit of something: a history of balances that begins there is complete. */
async function writeBalance(db: Db, keys: Keys): Promise<void> {
  const [mosaic, account] = [
    keys.number(KeyKind.id, Buffer.alloc(8, 1), 1),
    keys.number(KeyKind.address, Buffer.alloc(24, 1), 1),
  ];
  await db.insertInto("balance_changes").values({ mosaic, account, height: 1, change: 1, received: null }).execute();
}

async function writeBlocks(db: Db, blocks: readonly SyntheticBlock[], keys: Keys): Promise<void> {
  const encoded = blocks.map((block) => ({ block, bytes: encodeSyntheticBlock(block) }));
  const transactions = encoded.flatMap(({ block, bytes }) =>
    block.transactions.map((transaction, index) => ({ ...transaction, slice: bytes.transactions[index]! })),
  );
  const statements = blocks.flatMap((block) => block.statements);
  const heightOf = (id: Buffer) => decodeEntityId(id).height;
  const address = (bytes: Buffer, id: Buffer) => keys.number(KeyKind.address, bytes, heightOf(id));
  const marked = (number: number, embedded: boolean) => 2 * number + (embedded ? 1 : 0);
  await insert(
    db,
    "raw_blocks",
    encoded.map(({ block: { row }, bytes: { block, statement } }) => {
      return { height: row.height, block, statement, sub_cache_merkle_roots: Buffer.alloc(0) };
    }),
  );
  await insert(
    db,
    "blocks",
    encoded.map(({ block: { row }, bytes }) => ({
      timestamp: row.timestamp,
      fee_multiplier: row.fee_multiplier,
      total_fee: BigInt(row.total_fee),
      height: row.height,
      signer: keys.number(KeyKind.publicKey, row.signer_public_key, row.height),
      beneficiary: keys.number(KeyKind.address, row.beneficiary_address, row.height),
      harvester: keys.number(KeyKind.address, row.harvester_address, row.height),
      transactions_count: row.transactions_count,
      total_transactions_count: row.total_transactions_count,
      statements_count: row.statements_count,
      header_size: bytes.headerSize,
      difficulty: row.difficulty,
      score: row.score,
      hash: row.hash,
      generation_hash: row.generation_hash,
    })),
  );
  await insert(
    db,
    "transactions",
    transactions.map(({ row, slice }) => ({
      id: numberFrom(row.id),
      deadline: row.deadline,
      signer: marked(keys.number(KeyKind.publicKey, row.signer_public_key, heightOf(row.id)), row.embedded),
      recipient: row.recipient_address && marked(address(row.recipient_address, row.id), row.embedded),
      type: marked(row.type, row.embedded),
      hash: row.hash,
      ...slice,
    })),
  );
  const addresses = transactions.flatMap(({ row: { id, embedded, type }, addresses }) =>
    addresses.map((bytes) => ({ id: numberFrom(id), account: marked(address(bytes, id), embedded), type })),
  );
  await insert(db, "transaction_addresses", addresses);
  await insert(
    db,
    "transaction_mosaics",
    transactions.flatMap(({ mosaics }) =>
      mosaics.map(({ id, mosaic_id, embedded, amount }) => ({
        id: numberFrom(id),
        amount,
        mosaic: marked(keys.number(KeyKind.id, mosaic_id, heightOf(id)), embedded),
      })),
    ),
  );
  await insert(
    db,
    "transaction_statements",
    encoded.flatMap(({ block, bytes }) =>
      sliced(
        block.statements.map(({ row }) => row),
        bytes.statements,
      ),
    ),
  );
  await insert(
    db,
    "receipts",
    statements.flatMap(({ receipts }) =>
      receipts.map((row) => {
        const party = (bytes: Buffer | null) => bytes && address(bytes, row.statement_id);
        return {
          statement_id: numberFrom(row.statement_id),
          amount: row.amount,
          sender: party(row.sender_address),
          recipient: party(row.recipient_address),
          target: party(row.target_address),
          artifact: row.artifact_id && keys.number(KeyKind.id, row.artifact_id, heightOf(row.statement_id)),
          type: row.type,
        };
      }),
    ),
  );
  await insert(
    db,
    "address_resolution_statements",
    encoded.flatMap(({ block, bytes }) => sliced(block.addressResolutions, bytes.addressResolutions)),
  );
  await insert(
    db,
    "mosaic_resolution_statements",
    encoded.flatMap(({ block, bytes }) => sliced(block.mosaicResolutions, bytes.mosaicResolutions)),
  );
}

/** Rows of statements, with their place in the bytes of the block's statement instead of their bodies. */
function sliced<Row extends { readonly id: Buffer; readonly hash: Buffer; readonly document: string }>(
  rows: readonly Row[],
  slices: readonly SyntheticSlice[],
) {
  return rows.map((row, index) => {
    const { hash, document, ...columns } = numbered(row);
    return { ...columns, ...slices[index]! };
  });
}

const numbered = <Row extends { readonly id: Buffer }>(row: Row) => ({ ...row, id: numberFrom(row.id) });

async function insert<Name extends keyof Database>(
  db: Db,
  table: Name,
  rows: readonly Insertable<Database[Name]>[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_AT_A_TIME) {
    await db
      .insertInto(table)
      .values(rows.slice(start, start + ROWS_AT_A_TIME))
      .execute();
  }
}

/** Key (a number) and id of every entry of every collection. */
function collections(): [Collection, RawBuilder<unknown>][] {
  const whole = (table: string, id = "id", where = sql`true`) =>
    sql`select 0 as key, ${sql.ref(id)} as id from ${sql.table(table)} where ${where}`;
  const blocks = (key: string) => sql`select ${sql.ref(key)} as key, height as id from blocks`;
  const statements = (key: string) =>
    sql`select distinct ${sql.ref(key)} as key, statement_id as id from receipts where ${sql.ref(key)} is not null`;
  const marked = (table: string, column: string, embedded: number) =>
    sql`select ${sql.ref(column)} / 2 as key, id from ${sql.table(table)}
      where ${sql.ref(column)} % 2 = ${sql.lit(embedded)}`;
  const lists = [TRANSACTION_LISTS.top, TRANSACTION_LISTS.embedded] as const;
  return [
    [Collection.blocks, whole("blocks", "height")],
    [Collection.blocksBySigner, blocks("signer")],
    [Collection.blocksByBeneficiary, blocks("beneficiary")],
    [Collection.blocksByHarvester, blocks("harvester")],
    [Collection.transactionsTop, whole("transactions", "id", sql`type % 2 = 0`)],
    [Collection.transactionsAll, whole("transactions")],
    ...lists.flatMap((of, embedded): [Collection, RawBuilder<unknown>][] => [
      [of.bySigner, marked("transactions", "signer", embedded)],
      [of.byRecipient, marked("transactions", "recipient", embedded)],
      [of.byType, marked("transactions", "type", embedded)],
      [of.byAddress, marked("transaction_addresses", "account", embedded)],
      [
        of.byAddressAndType,
        sql`select (account / 2)::int8 * 65536 + type as key, id from transaction_addresses
          where account % 2 = ${sql.lit(embedded)}`,
      ],
      [of.byMosaic, marked("transaction_mosaics", "mosaic", embedded)],
    ]),
    [Collection.transactionStatements, whole("transaction_statements")],
    [Collection.transactionStatementsByType, statements("type")],
    [Collection.transactionStatementsByRecipient, statements("recipient")],
    [Collection.transactionStatementsBySender, statements("sender")],
    [Collection.transactionStatementsByTarget, statements("target")],
    [Collection.transactionStatementsByArtifact, statements("artifact")],
    [Collection.addressResolutions, whole("address_resolution_statements")],
    [Collection.mosaicResolutions, whole("mosaic_resolution_statements")],
  ];
}

/** The lists whose counters and skip pointers are written. */
interface CounterChoice {
  readonly collections: readonly Collection[];
  readonly keys: readonly number[];
}

/** Writes counters and skip pointers: all, or a selection. */
export async function writeCounters(db: Db, only?: CounterChoice): Promise<void> {
  for (const [collection, all] of collections()) {
    if (only && !only.collections.includes(collection)) continue;
    const chosen = only ? sql`where key = any(${[...only.keys]}::int8[])` : sql``;
    const entries = sql`select ${listNumber(collection, 0)}::int8 + key as list, id from (${all}) a ${chosen}`;
    await sql`insert into list_counters (list, count)
      select list, count(*) from (${entries}) e group by list`.execute(db);
    await sql`insert into skip_pointers (list, ordinal, id)
      select list, ordinal, id
      from (select list, id, row_number() over (partition by list order by id) as ordinal from (${entries}) e) n
      where ordinal % ${sql.lit(SKIP_POINTER_STEP)} = 0`.execute(db);
  }
}

async function writeHead(db: Db, { row: { height, hash } }: SyntheticBlock): Promise<void> {
  await sql`insert into finalized_blocks (epoch, point, height, hash)
    select height / ${sql.lit(EPOCH_BLOCKS)} + 1, 1, height, hash from blocks
    where height % ${sql.lit(EPOCH_BLOCKS)} = 0`.execute(db);
  const finalized = await db
    .selectFrom("finalized_blocks")
    .selectAll()
    .orderBy("height", "desc")
    .limit(1)
    .executeTakeFirst();
  await db
    .insertInto("head")
    .values({
      id: 1,
      height,
      hash,
      score: syntheticScore(height),
      finalized_epoch: finalized?.epoch ?? 1,
      finalized_point: finalized?.point ?? 1,
      finalized_height: finalized?.height ?? 1,
      finalized_hash: finalized?.hash ?? hash,
      event_sequence: 0,
      network_identifier: SYNTHETIC_NETWORK,
      generation_hash_seed: SYNTHETIC_SEED,
    })
    .execute();
}
