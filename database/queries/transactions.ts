import { type RawBuilder, sql } from "kysely";
import { merkleComponentHash } from "../../catapult/entity/merkle-component.js";
import { entityNumber, formatEntityId, MAX_STORED_HEIGHT, parseEntityNumber } from "../../catapult/json/entity-id.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import type { Columns } from "../binary/rows.js";
import { type Bodies, joinedBlock, rowsWith, selected } from "../bodies/bodies.js";
import {
  LOOK_UP_BODIES,
  TOP_BODIES,
  TRANSACTION_BODIES,
  type TransactionEntry,
  WHOLE_BODIES,
} from "../bodies/transaction-bodies.js";
import type { Db } from "../database.js";
import {
  Collection,
  flaggedNumber,
  flaggedType,
  idKey,
  KeyKind,
  listOf,
  listOfKey,
  listOfKeyAndType,
  type NamedKey,
  TRANSACTION_LISTS,
} from "../lists/collections.js";
import type { CountedList, PageRequest } from "../lists/list.js";
import { type HeightFilter, idsOfHeights, Lists, noOthers, type Page, type RunRequest } from "../lists/page.js";
import { entriesOf, type Selected } from "../lists/page-statement.js";
import { type BoundArguments, ListValue, type Parameter, Statement } from "../statement.js";
import { embeddedIs } from "../tables/embedded-flag.js";
import { NEWEST_ROWS, type PrefixRange } from "./blocks.js";

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

/** A page of confirmed transactions by their position in the chain. */
export async function searchTransactions(
  db: Db,
  filter: TransactionFilter,
  request: PageRequest,
): Promise<Page<TransactionEntry>> {
  return listsFor(filter).readPage(db, listFilter(filter), request, idsOfHeights(filter));
}

/** Confirmed transactions after an offset, without a total. */
export function readTransactionRun(
  db: Db,
  filter: TransactionFilter,
  request: RunRequest,
): Promise<readonly TransactionEntry[]> {
  return listsFor(filter).readRun(db, listFilter(filter), request, idsOfHeights(filter));
}

/** The types of aggregates in the column of `transactions`. */
export const AGGREGATE_MARKS = sql.join(
  [TRANSACTION_TYPE.aggregate_complete, TRANSACTION_TYPE.aggregate_bonded].map((type) => flaggedType(type, false)),
);

/** The conditions that heights are not. */
interface ListFilter extends Omit<TransactionFilter, "transferMosaicId" | keyof HeightFilter> {
  /** The key of a mosaic. */
  readonly mosaic?: Buffer | undefined;
}

function listFilter({ transferMosaicId, types, height, fromHeight, toHeight, ...rest }: TransactionFilter): ListFilter {
  return {
    ...rest,
    types: types && [...new Set(types)],
    mosaic: transferMosaicId === undefined ? undefined : idKey(transferMosaicId),
  };
}

const table = "transactions";
/** Lists with embedded transactions, and those without. */
const [allLists, topLists] = [TRANSACTION_BODIES, TOP_BODIES].map((bodies) => {
  const of = { table, bodies } as const;
  return new Lists<ListFilter, TransactionEntry>(of, (filter): Selected => {
    const lists = countedLists(of, filter);
    if (lists) return { lists };
    const top = combinedIds(filter, false);
    if (!filter.embedded) return { ids: top };
    const embedded = combinedIds(filter, true);
    return { ids: sql`${top} union all ${embedded}`, walks: [top, embedded] };
  });
}) as [Lists<ListFilter, TransactionEntry>, Lists<ListFilter, TransactionEntry>];

function listsFor({ embedded }: TransactionFilter): Lists<ListFilter, TransactionEntry> {
  return embedded ? allLists : topLists;
}

/**
 * The disjoint lists whose union matches the filter, if it has one condition (besides heights and `embedded`), or
 * address and types; otherwise undefined. A transaction has one type, so lists of different types are disjoint.
 */
function countedLists(
  of: { readonly table: "transactions"; readonly bodies: Bodies },
  filter: BoundArguments<ListFilter>,
): CountedList[] | undefined {
  const { address, signerPublicKey, recipientAddress, types, mosaic, embedded: all = false, ...rest } = filter;
  const { asWritten, fromTransferAmount, toTransferAmount, ...others } = rest;
  noOthers(others);
  if (fromTransferAmount !== undefined || toTransferAmount !== undefined) return undefined;
  const given = [address, signerPublicKey, recipientAddress, types, mosaic].filter((v) => v !== undefined);

  if (given.length === 0) {
    const list = listOf(all ? Collection.transactionsAll : Collection.transactionsTop);
    return [{ ...entriesOf(of, all ? undefined : embeddedIs("type", false)), list }];
  }
  if (address && types && given.length === 2) {
    const key = { kind: KeyKind.address, key: address };
    return types.flatMap((type) =>
      listsOf(all, (embedded, { byAddressAndType }) => ({
        ids: sql`
          select id from transaction_addresses where account = ${flaggedNumber(key, embedded)} and type = ${type}`,
        list: listOfKeyAndType(byAddressAndType, key, type),
      })),
    );
  }
  if (given.length > 1) return undefined;
  if (types) return types.flatMap((type) => listsOfType(type, all));
  if (address) return listsOfKey("address", address, all);
  if (signerPublicKey) return listsOfKey("signer", signerPublicKey, all);
  if (recipientAddress) return listsOfKey("recipient", recipientAddress, all);
  return mosaicKeys(mosaic as Parameter, asWritten).flatMap((key) =>
    listsOf(all, (embedded, { byMosaic }) => ({
      ids: sql`select id from transaction_mosaics where mosaic = ${flaggedNumber(key, embedded)}`,
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
export function listsOfType(type: number | Parameter, all: boolean): CountedList[] {
  return listsOf(all, (embedded, { byType }) => ({
    ids: sql`select id from transactions where type = ${flaggedType(type, embedded)}`,
    list: listOf(byType, type),
  }));
}

/** Lists by accounts: table, column, kind of the key, collection. */
const ACCOUNT_LISTS = {
  address: ["transaction_addresses", "account", KeyKind.address, "byAddress"],
  signer: ["transactions", "signer", KeyKind.publicKey, "bySigner"],
  recipient: ["transactions", "recipient", KeyKind.address, "byRecipient"],
} as const;

function listsOfKey(by: keyof typeof ACCOUNT_LISTS, bytes: Parameter, all: boolean): CountedList[] {
  const [from, column, kind, collection] = ACCOUNT_LISTS[by];
  const key = { kind, key: bytes };
  return listsOf(all, (embedded, lists) => ({
    ids: sql`select id from ${sql.table(from)} where ${sql.ref(column)} = ${flaggedNumber(key, embedded)}`,
    list: listOfKey(lists[collection], key),
  }));
}

/** The lists of a mosaic; a transaction is in at most one of them. */
function mosaicKeys(key: Parameter, asWritten: boolean | undefined): NamedKey<Parameter>[] {
  const written = { kind: KeyKind.id, key };
  return asWritten ? [written] : [written, { kind: KeyKind.aliasedMosaic, key }];
}

/**
 * Several conditions: the narrowest table is walked, the others are looked up by id. Each number says whether it is of
 * an embedded transaction, so only tables with a condition are read.
 */
function combinedIds(filter: BoundArguments<ListFilter>, embedded: boolean): RawBuilder<unknown> {
  const { address, signerPublicKey, recipientAddress, types, mosaic, embedded: _, ...rest } = filter;
  const { asWritten, fromTransferAmount, toTransferAmount, ...others } = rest;
  noOthers(others);
  const conditions: RawBuilder<unknown>[] = [];
  const flagged = (kind: NamedKey["kind"], key: Parameter) => flaggedNumber({ kind, key }, embedded);
  if (signerPublicKey) conditions.push(sql`t.signer = ${flagged(KeyKind.publicKey, signerPublicKey)}`);
  if (recipientAddress) conditions.push(sql`t.recipient = ${flagged(KeyKind.address, recipientAddress)}`);
  if (types && !address) {
    const all = types.map((type) => flaggedType(type, embedded));
    conditions.push(isAmong("t.type", all));
  }
  const tables = conditions.length > 0 ? [{ name: "transactions", as: "t" }] : [];
  if (address) {
    tables.push({ name: "transaction_addresses", as: "a" });
    conditions.push(sql`a.account = ${flagged(KeyKind.address, address)}`);
    if (types) conditions.push(isAmong("a.type", types));
  }
  if (mosaic) {
    tables.push({ name: "transaction_mosaics", as: "m" });
    const keys = mosaicKeys(mosaic, asWritten).map((key) => flaggedNumber(key, embedded));
    conditions.push(isAmong("m.mosaic", keys));
    if (fromTransferAmount !== undefined) conditions.push(sql`m.amount >= ${fromTransferAmount}`);
    if (toTransferAmount !== undefined) conditions.push(sql`m.amount <= ${toTransferAmount}`);
  }
  const [first, ...joined] = tables;
  if (!first) throw new Error("A list has no condition");
  const id = sql.ref(`${first.as}.id`);
  const from = joined.map(
    ({ name, as }) => sql` join ${sql.table(name)} ${sql.ref(as)} on ${sql.ref(`${as}.id`)} = ${id}`,
  );
  return sql`select ${id} from ${sql.table(first.name)} ${sql.ref(first.as)}${sql.join(from, sql``)}
    where ${sql.join(conditions, sql` and `)}`;
}

/** Whether a column has one of the values. */
export function isAmong(column: string, values: readonly (Parameter | RawBuilder<unknown>)[]): RawBuilder<boolean> {
  return values.length === 0 ? sql`false` : sql`${sql.ref(column)} in (${sql.join(values)})`;
}

/** Finds transactions by a list of values, or by one value; the query of `d` ends with the condition. */
function lookUp<Arguments>(
  bodies: Bodies<TransactionEntry>,
  where: (args: BoundArguments<Arguments>) => RawBuilder<unknown>,
): (db: Db, args: Arguments) => Promise<TransactionEntry[]> {
  const found = sql`select ${selected(bodies, sql`d.id`)} from transactions d ${joinedBlock(bodies)}`;
  const statement = new Statement<Arguments, Columns>(
    rowsWith(bodies, {}),
    (args) => sql`${found} where ${where(args)}`,
  );
  return async (db, args) => (await statement.read(db, args)).map((row) => bodies.entry(row));
}

const byIds = lookUp<ListValue>(TRANSACTION_BODIES, (ids) => sql`d.id = any(${ids}::int8[]) order by d.id`);
const byHashes = lookUp<ListValue>(TOP_BODIES, (hashes) => sql`d.hash = any(${hashes}::bytea[]) order by d.id`);
const byHash = lookUp<Buffer>(LOOK_UP_BODIES, (hash) => sql`d.hash = ${hash}`);
const wholeAggregates = lookUp<ListValue>(
  WHOLE_BODIES,
  (ids) => sql`d.id = any(${ids}::int8[]) and d.embedded_size > 0`,
);

/** Confirmed top-level or embedded transactions by id (12 bytes). */
export async function findTransactionsByIds(db: Db, ids: readonly Buffer[]): Promise<TransactionEntry[]> {
  if (ids.length === 0) return [];
  return byIds(db, parseNumbers(ids));
}

/** Confirmed top-level transactions by hash (32 bytes). */
export async function findTransactionsByHashes(db: Db, hashes: readonly Buffer[]): Promise<TransactionEntry[]> {
  const [only, ...others] = hashes;
  if (!only) return [];
  // By far the most frequent case: with embedded transactions, which it needs.
  return others.length === 0 ? byHash(db, only) : byHashes(db, new ListValue(hashes));
}

/** The embedded transactions of aggregates, by the aggregate's id as 24 hex digits, in order. */
export async function findEmbedded(db: Db, ids: readonly Buffer[]): Promise<Map<string, readonly TransactionEntry[]>> {
  if (ids.length === 0) return new Map();
  const aggregates = await wholeAggregates(db, parseNumbers(ids));
  return new Map(aggregates.map((aggregate) => [formatEntityId(aggregate.id), aggregate.embedded ?? []]));
}

/** The stored forms of ids; those that no stored id has are omitted. */
function parseNumbers(ids: readonly Buffer[]): ListValue {
  return new ListValue(ids.map(parseEntityNumber).filter((number) => number !== undefined));
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
  if (height >= MAX_STORED_HEIGHT) return [];
  const rows = await ofBlock.read(db, {
    ...{ low: entityNumber(height), high: entityNumber(height + 1) },
    ...{ count, bytes },
  });
  return rows.map((row) => TOP_BODIES.entry(row));
}

interface BlockArguments {
  readonly low: bigint;
  readonly high: bigint;
  readonly count: number;
  readonly bytes: number;
}

const ofBlock = new Statement<BlockArguments, Columns>(
  rowsWith(TOP_BODIES, {}),
  ({ low, high, count, bytes }) => sql`
    select ${selected(TOP_BODIES, sql`d.id`)}
    from (
      select id, hash, position, size, embedded_size, sum(size) over (order by id) - size as bytes_before
      from (
        select id, hash, position, size, embedded_size from transactions
        where id >= ${low}::int8 and id < ${high}::int8 and ${embeddedIs("type", false)}
        order by id limit ${count}::int8) f) d ${joinedBlock(TOP_BODIES)}
    where d.bytes_before < ${bytes}::int8
    order by d.id`,
);

/** Sizes of transactions by id (12 bytes), in bytes, in the order of the request; undefined for a missing one. */
export async function readSizes(db: Db, ids: readonly Buffer[]): Promise<(number | undefined)[]> {
  const { rows } = await sql<{ size: number | null }>`
    select d.size from unnest(${ids.map((id) => parseEntityNumber(id) ?? null)}::int8[]) with ordinality i (id, ordinal)
    left join transactions d on d.id = i.id order by i.ordinal`.execute(db);
  return rows.map(({ size }) => size ?? undefined);
}

/** The hashes of a block's top-level transactions, in order. */
export async function readTransactionHashes(db: Db, height: number): Promise<Buffer[]> {
  const { rows } = await sql<{ hash: Buffer }>`
    select hash from transactions
    where id >= ${entityNumber(height)}::int8 and id < ${entityNumber(height + 1)}::int8 and ${embeddedIs("type", false)}
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
    where d.id >= ${entityNumber(height)} and d.id < ${entityNumber(height + 1)} and ${embeddedIs("d.type", false)}
      and r.height = ${height}
    order by d.id`.execute(db);
  return rows.map(({ hash, aggregate }) => ({
    hash,
    leaf: aggregate ? merkleComponentHash(hash, aggregate) : hash,
  }));
}

/** Hashes of transactions that begin with a prefix, among the newest. */
export async function findTransactionHashesByPrefix(
  db: Db,
  { first, last }: PrefixRange,
  limit: number,
): Promise<Buffer[]> {
  const { rows } = await sql<{ hash: Buffer }>`
    select hash from (select hash from transactions order by id desc limit ${NEWEST_ROWS}) newest
    where hash >= ${first} and hash <= ${last} limit ${limit}`.execute(db);
  return rows.map(({ hash }) => hash);
}
