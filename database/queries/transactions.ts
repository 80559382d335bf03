import { TRANSACTION_TYPE } from "../../catapult/entity/entity-layout.js";
import { merkleComponentHash } from "../../catapult/entity/merkle-component.js";
import { entityNumber, formatEntityId, MAX_STORED_HEIGHT, numberOf } from "../../catapult/json/entity-id.js";
import { recordOf } from "../bodies/bodies.js";
import {
  embeddedEntries,
  LOOK_UP_BODIES,
  TOP_BODIES,
  TRANSACTION_BODIES,
  type TransactionEntry,
  WHOLE_AGGREGATE,
} from "../bodies/transaction-bodies.js";
import type { Db } from "../database.js";
import {
  Collection,
  idKey,
  KeyKind,
  listOf,
  listOfKey,
  listOfKeyAndType,
  markedNumber,
  markedType,
  type NamedKey,
  TRANSACTION_LISTS,
} from "../lists/collections.js";
import { noOthers } from "../lists/filter.js";
import { type HeightFilter, idsOfHeights } from "../lists/heights.js";
import { ENTITY_IDS } from "../lists/id-form.js";
import type { CountedList, PageRequest } from "../lists/list.js";
import { readRows } from "../lists/operation-db.js";
import { entriesOf, type Page, type RunRequest, readPage, readRun, type Source } from "../lists/page.js";
import { nextStart, type Rows } from "../rows.js";
import { type Sql, sql } from "../sql.js";

/** Filter of transactions; all given conditions must match. `address` is not combined with the other two keys. */
export interface TransactionFilter extends HeightFilter {
  readonly address?: Buffer | undefined;
  readonly signerPublicKey?: Buffer | undefined;
  readonly recipientAddress?: Buffer | undefined;
  readonly types?: readonly number[] | undefined;
  /** Includes those embedded in aggregates; default false. */
  readonly embedded?: boolean | undefined;
  readonly transferMosaicId?: bigint | undefined;
  /** Only transactions that contain this id; by default also those that name the mosaic by an alias. */
  readonly asWritten?: boolean | undefined;
  /** Inclusive bounds of the amount of that mosaic, atomic units. */
  readonly fromTransferAmount?: bigint | undefined;
  readonly toTransferAmount?: bigint | undefined;
}

/** The conditions besides heights, which are a range of ids. */
type Conditions = Omit<TransactionFilter, keyof HeightFilter>;

/** A page of confirmed transactions by their position in the chain. */
export async function searchTransactions(
  db: Db,
  filter: TransactionFilter,
  request: PageRequest,
): Promise<Page<TransactionEntry>> {
  return readPage(db, transactionSource(filter), request, idsOfHeights(filter));
}

/** Confirmed transactions after an offset, without a total. */
export function readTransactionRun(
  db: Db,
  filter: TransactionFilter,
  request: RunRequest,
): Promise<readonly TransactionEntry[]> {
  return readRun(db, transactionSource(filter), request, idsOfHeights(filter));
}

/** The types of aggregates in the column of `transactions`. */
export const AGGREGATE_MARKS = sql.join(
  [TRANSACTION_TYPE.aggregateComplete, TRANSACTION_TYPE.aggregateBonded].map((type) =>
    sql.lit(markedType(type, false)),
  ),
);

const table = "transactions";
/** The bodies of a search, with or without embedded transactions. */
const bodiesOf = ({ embedded }: Conditions) => (embedded ? TRANSACTION_BODIES : TOP_BODIES);

function transactionSource(filter: Conditions): Source<TransactionEntry> {
  const source = { table, idForm: ENTITY_IDS, bodies: bodiesOf(filter) } as const;
  const lists = countedLists(filter);
  if (lists) return { ...source, lists };
  const top = combinedIds(filter, false);
  if (!filter.embedded) return { ...source, ids: top };
  const embedded = combinedIds(filter, true);
  return { ...source, ids: sql`${top} union all ${embedded}`, walks: [top, embedded] };
}

/**
 * The disjoint lists whose union matches the filter, if it has one condition (besides heights and `embedded`), or
 * address and types; otherwise undefined. A transaction has one type, so lists of different types are disjoint.
 */
function countedLists(filter: Conditions): CountedList[] | undefined {
  const { address, signerPublicKey, recipientAddress, transferMosaicId, types: listed, ...rest } = filter;
  const { embedded: all = false, asWritten = false, fromTransferAmount, toTransferAmount, ...others } = rest;
  noOthers(others);
  if (fromTransferAmount !== undefined || toTransferAmount !== undefined) return undefined;
  const types = listed && [...new Set(listed)];
  const given = [address, signerPublicKey, recipientAddress, types, transferMosaicId].filter((v) => v !== undefined);

  if (given.length === 0) {
    const list = listOf(all ? Collection.transactionsAll : Collection.transactionsTop);
    return [{ ...entriesOf(table, ENTITY_IDS, bodiesOf(filter), all ? undefined : isTop), list }];
  }
  if (address && types && given.length === 2) {
    const key = { kind: KeyKind.address, key: address };
    return types.flatMap((type) =>
      listsOf(all, (embedded, { byAddressAndType }) => ({
        ids: sql`
          select id from transaction_addresses where account = ${markedNumber(key, embedded)} and type = ${type}`,
        list: listOfKeyAndType(byAddressAndType, key, type),
      })),
    );
  }
  if (given.length > 1) return undefined;
  if (types) return types.flatMap((type) => listsOfType(type, all));
  if (address) return listsOfKey("address", address, all);
  if (signerPublicKey) return listsOfKey("signer", signerPublicKey, all);
  if (recipientAddress) return listsOfKey("recipient", recipientAddress, all);
  return mosaicKeys(transferMosaicId as bigint, asWritten).flatMap((key) =>
    listsOf(all, (embedded, { byMosaic }) => ({
      ids: sql`select id from transaction_mosaics where mosaic = ${markedNumber(key, embedded)}`,
      list: listOfKey(byMosaic, key),
    })),
  );
}

type TransactionLists = (typeof TRANSACTION_LISTS)[keyof typeof TRANSACTION_LISTS];

/** The list of top-level transactions, and with `all` the one of embedded transactions too. */
function listsOf(all: boolean, of: (embedded: boolean, lists: TransactionLists) => CountedList): CountedList[] {
  const top = of(false, TRANSACTION_LISTS.top);
  return all ? [top, of(true, TRANSACTION_LISTS.embedded)] : [top];
}

/** The lists of a type: one, or with `all` those of top-level and of embedded transactions. */
export function listsOfType(type: number, all: boolean): CountedList[] {
  return listsOf(all, (embedded, { byType }) => ({
    ids: sql`select id from transactions where type = ${markedType(type, embedded)}`,
    list: listOf(byType, type),
  }));
}

/** Lists by accounts: table, column, kind of the key, collection. */
const ACCOUNT_LISTS = {
  address: ["transaction_addresses", "account", KeyKind.address, "byAddress"],
  signer: ["transactions", "signer", KeyKind.publicKey, "bySigner"],
  recipient: ["transactions", "recipient", KeyKind.address, "byRecipient"],
} as const;

function listsOfKey(by: keyof typeof ACCOUNT_LISTS, bytes: Buffer, all: boolean): CountedList[] {
  const [from, column, kind, collection] = ACCOUNT_LISTS[by];
  const key = { kind, key: bytes };
  return listsOf(all, (embedded, lists) => ({
    ids: sql`select id from ${sql.table(from)} where ${sql.ref(column)} = ${markedNumber(key, embedded)}`,
    list: listOfKey(lists[collection], key),
  }));
}

/** The lists of the requested mosaic; a transaction is in at most one of them. */
function mosaicKeys(mosaicId: bigint, asWritten: boolean): NamedKey[] {
  const key = idKey(mosaicId);
  const written = { kind: KeyKind.id, key };
  return asWritten ? [written] : [written, { kind: KeyKind.aliasedMosaic, key }];
}

/** Whether it is in a block itself: the condition of an index. */
const isTop = sql<boolean>`type & 1 = 0`;

/** Several conditions: the narrowest table is walked, the others are looked up by id. */
function combinedIds(filter: Conditions, embedded: boolean): Sql {
  const { address, signerPublicKey, recipientAddress, types, transferMosaicId, embedded: _, ...rest } = filter;
  const { asWritten = false, fromTransferAmount, toTransferAmount, ...others } = rest;
  noOthers(others);
  const conditions = [sql`t.type & 1 = ${sql.lit(embedded ? 1 : 0)}`];
  const marked = (kind: NamedKey["kind"], key: Buffer) => markedNumber({ kind, key }, embedded);
  if (signerPublicKey) conditions.push(sql`t.signer = ${marked(KeyKind.publicKey, signerPublicKey)}`);
  if (recipientAddress) conditions.push(sql`t.recipient = ${marked(KeyKind.address, recipientAddress)}`);
  let from = sql`transactions t`;
  if (address) {
    from = sql`${from} join transaction_addresses a on a.id = t.id`;
    conditions.push(sql`a.account = ${marked(KeyKind.address, address)}`);
    if (types) conditions.push(sql`a.type = any(${[...types]}::int4[])`);
  } else if (types) {
    conditions.push(sql`t.type = any(${types.map((type) => markedType(type, embedded))}::int4[])`);
  }
  if (transferMosaicId !== undefined) {
    from = sql`${from} join transaction_mosaics m on m.id = t.id`;
    const keys = mosaicKeys(transferMosaicId, asWritten).map((key) => markedNumber(key, embedded));
    conditions.push(sql`m.mosaic in (${sql.join(keys)})`);
    if (fromTransferAmount !== undefined) conditions.push(sql`m.amount >= ${fromTransferAmount}`);
    if (toTransferAmount !== undefined) conditions.push(sql`m.amount <= ${toTransferAmount}`);
  }
  return sql`select t.id from ${from} where ${sql.join(conditions, " and ")}`;
}

const select = ({ record }: typeof TOP_BODIES) => sql`select d.id, ${recordOf(record)} as record from transactions d`;
const found = select(TRANSACTION_BODIES);
const foundTop = select(TOP_BODIES);
const foundByHash = sql`${select(LOOK_UP_BODIES)} where d.hash = ${null}`;

const entriesIn = (rows: Rows): TransactionEntry[] =>
  rows.map((bytes, id) => TRANSACTION_BODIES.entry(ENTITY_IDS.read(bytes, id), bytes, nextStart(bytes, id)));

/** Confirmed top-level or embedded transactions by id (12 bytes). */
export async function findTransactionsByIds(db: Db, ids: readonly Buffer[]): Promise<TransactionEntry[]> {
  if (ids.length === 0) return [];
  const numbers = ids.map(numberOf).filter((number) => number !== undefined);
  return entriesIn(await readRows(db, sql`${found} where d.id = any(${numbers}::int8[]) order by d.id`));
}

/** Confirmed top-level transactions by hash (32 bytes). */
export async function findTransactionsByHashes(db: Db, hashes: readonly Buffer[]): Promise<TransactionEntry[]> {
  if (hashes.length === 0) return [];
  // By far the most frequent case: as a constant text it costs half as much.
  if (hashes.length === 1) return entriesIn(await readRows(db, foundByHash.withLast(hashes[0])));
  return entriesIn(await readRows(db, sql`${foundTop} where d.hash = any(${[...hashes]}::bytea[]) order by d.id`));
}

/** The embedded transactions of aggregates, by the aggregate's id as 24 hex digits, in order. */
export async function findEmbedded(db: Db, ids: readonly Buffer[]): Promise<Map<string, TransactionEntry[]>> {
  const numbers = ids.map(numberOf).filter((number) => number !== undefined);
  if (numbers.length === 0) return new Map();
  const rows = await readRows(
    db,
    sql`select d.id, ${WHOLE_AGGREGATE} as record from transactions d
      where d.id = any(${numbers}::int8[]) and d.embedded_size > 0`,
  );
  return new Map(
    rows.map((bytes, id) => [formatEntityId(ENTITY_IDS.read(bytes, id)), embeddedEntries(bytes, nextStart(bytes, id))]),
  );
}

/**
 * The first top-level transactions of a block: at most `count`, and at least one, of which all but the last have less
 * than `bytes` together.
 */
export async function findFirstTransactions(
  db: Db,
  height: number,
  { count, bytes }: { readonly count: number; readonly bytes: number },
): Promise<TransactionEntry[]> {
  const rows = await readRows(
    db,
    sql`
      select d.id, ${recordOf(TOP_BODIES.record)} as record
      from (
        select *, sum(size) over (order by id) - size as bytes_before
        from (
          select * from transactions
          where id >= ${entityNumber(height)}::int8 and id < ${entityNumber(height + 1)}::int8 and type & 1 = 0
          order by id limit ${count}::int8) f) d
      where d.bytes_before < ${bytes}::int8
      order by d.id`,
  );
  return entriesIn(rows);
}

/** Sizes of transactions by id (12 bytes), in bytes, in the order of the request; undefined for a missing one. */
export async function readSizes(db: Db, ids: readonly Buffer[]): Promise<(number | undefined)[]> {
  const { rows } = await sql<{ size: number | null }>`
    select d.size from unnest(${ids.map((id) => numberOf(id) ?? null)}::int8[]) with ordinality i (id, place)
    left join transactions d on d.id = i.id order by i.place`.execute(db);
  return rows.map(({ size }) => size ?? undefined);
}

/** The hashes of a block's top-level transactions, in order. */
export async function readTransactionHashes(db: Db, height: number): Promise<Buffer[]> {
  const { rows } = await sql<{ hash: Buffer }>`
    select hash from transactions
    where id >= ${entityNumber(height)}::int8 and id < ${entityNumber(height + 1)}::int8 and type & 1 = 0
    order by id`.execute(db);
  return rows.map(({ hash }) => hash);
}

/** A top-level transaction in a block's tree of transactions. */
export interface TreeTransaction {
  readonly hash: Buffer;
  /** 32 bytes. */
  readonly leaf: Buffer;
}

/** The top-level transactions of a block in order; none if there is no such block. Aggregates are read for their cosigners. */
export async function transactionsTree(db: Db, height: number): Promise<TreeTransaction[]> {
  if (height >= MAX_STORED_HEIGHT) return [];
  const { rows } = await sql<{ hash: Buffer; aggregate: Buffer | null }>`
    select d.hash, case when d.type in (${AGGREGATE_MARKS})
      then substring(r.block from d.position + 1 for d.size) end as aggregate
    from transactions d, raw_blocks r
    where d.id >= ${entityNumber(height)} and d.id < ${entityNumber(height + 1)} and d.type & 1 = 0
      and r.height = ${height}
    order by d.id`.execute(db);
  return rows.map(({ hash, aggregate }) => ({
    hash,
    leaf: aggregate ? merkleComponentHash(hash, aggregate) : hash,
  }));
}
