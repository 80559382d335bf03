import { encodeEntityId, MAX_HEIGHT, MAX_STORED_HEIGHT } from "../../catapult/json/entity-id.js";
import { BLOCK_BODIES } from "../bodies/block-bodies.js";
import { recordOf } from "../bodies/bodies.js";
import type { Db } from "../database.js";
import { Collection, KeyKind, keyNumber, listOf, listOfKey } from "../lists/collections.js";
import { noOthers } from "../lists/filter.js";
import { type HeightFilter, idsOfHeights } from "../lists/heights.js";
import { BLOCK_IDS } from "../lists/id-form.js";
import type { PageRequest } from "../lists/list.js";
import { readRows } from "../lists/operation-db.js";
import { type Entry, entriesOf, type Page, readPage, type Source } from "../lists/page.js";
import { nextStart } from "../rows.js";
import { type Sql, sql } from "../sql.js";
import type { RawBlockTable } from "../tables/chain.js";

/** Filter of blocks; all given conditions must match. Timestamps in ms since the epoch adjustment, inclusive. */
export interface BlockFilter extends HeightFilter {
  readonly signerPublicKey?: Buffer | undefined;
  readonly beneficiaryAddress?: Buffer | undefined;
  readonly fromTimestamp?: number | undefined;
  readonly toTimestamp?: number | undefined;
}

/** A page of blocks by height. */
export async function searchBlocks(db: Db, filter: BlockFilter, request: PageRequest): Promise<Page<Entry>> {
  const { signerPublicKey, beneficiaryAddress, fromTimestamp, toTimestamp, ...heights } = filter;
  const { height, fromHeight, toHeight, ...others } = heights;
  noOthers(others);
  const byHeight = idsOfHeights({ height, fromHeight, toHeight });
  const byTime = await heightsOfTimestamps(db, { fromTimestamp, toTimestamp });
  const range = {
    from: narrower(byHeight.from, byTime.from, (a, b) => a > b),
    to: narrower(byHeight.to, byTime.to, (a, b) => a < b),
  };
  return readPage(db, blockSource({ signerPublicKey, beneficiaryAddress }), request, range);
}

/** The narrower of two bounds. */
function narrower(
  a: Buffer | undefined,
  b: Buffer | undefined,
  isNarrower: (a: number, b: number) => boolean,
): Buffer | undefined {
  if (!a || !b) return a ?? b;
  return isNarrower(a.compare(b), 0) ? a : b;
}

function blockSource({ signerPublicKey, beneficiaryAddress }: BlockFilter): Source {
  const [table, idForm, bodies] = ["blocks", BLOCK_IDS, BLOCK_BODIES] as const;
  const signer = signerPublicKey && { kind: KeyKind.publicKey, key: signerPublicKey };
  const beneficiary = beneficiaryAddress && { kind: KeyKind.address, key: beneficiaryAddress };
  const source = { table, idForm, bodies };
  if (signer && beneficiary) {
    const both = sql`signer = ${keyNumber(signer)} and beneficiary = ${keyNumber(beneficiary)}`;
    return { ...source, ...entriesOf(table, idForm, bodies, both) };
  }
  if (signer) {
    const ids = sql`select height as id from blocks where signer = ${keyNumber(signer)}`;
    return { ...source, lists: [{ ids, list: listOfKey(Collection.blocksBySigner, signer) }] };
  }
  if (beneficiary) {
    const ids = sql`select height as id from blocks where beneficiary = ${keyNumber(beneficiary)}`;
    return { ...source, lists: [{ ids, list: listOfKey(Collection.blocksByBeneficiary, beneficiary) }] };
  }
  return { ...source, lists: [{ ...entriesOf(table, idForm, bodies), list: listOf(Collection.blocks) }] };
}

/** Timestamps grow with the height, so a time range is a range of ids. */
async function heightsOfTimestamps(db: Db, { fromTimestamp, toTimestamp }: BlockFilter) {
  const first =
    fromTimestamp === undefined
      ? undefined
      : await db
          .selectFrom("blocks")
          .select("height")
          .where("timestamp", ">=", fromTimestamp)
          .orderBy("timestamp")
          .limit(1)
          .executeTakeFirst();
  const last =
    toTimestamp === undefined
      ? undefined
      : await db
          .selectFrom("blocks")
          .select("height")
          .where("timestamp", "<=", toTimestamp)
          .orderBy("timestamp", "desc")
          .limit(1)
          .executeTakeFirst();
  return {
    from: fromTimestamp === undefined ? undefined : encodeEntityId(first?.height ?? MAX_HEIGHT),
    to: toTimestamp === undefined ? undefined : encodeEntityId(last?.height ?? 0),
  };
}

/** Heights of the first block at or after a time, and of the last one before another, in ms since the epoch adjustment. */
export interface HeightsAtTimes {
  /** Undefined if there is no such block, like the next. */
  readonly first: number | undefined;
  readonly last: number | undefined;
}

/** The lowest height with a timestamp of at least `from`, and the highest with one below `before`. */
export async function heightsAtTimes(db: Db, from: number, before: number): Promise<HeightsAtTimes> {
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    select
      (select height from blocks where timestamp >= ${from} order by timestamp limit 1) as first,
      (select height from blocks where timestamp < ${before} order by timestamp desc limit 1) as last`.execute(db);
  return { first: rows[0]?.first ?? undefined, last: rows[0]?.last ?? undefined };
}

/** The REST body of the block at `height`, or undefined. */
export async function findBlock(db: Db, height: number): Promise<Entry | undefined> {
  const [found] = await findBlocks(db, [height]);
  return found;
}

/** Names a block by height, by hash, or by both; the newest one by neither. */
export interface BlockName {
  readonly height?: number | undefined;
  /** 32 bytes. */
  readonly hash?: Buffer | undefined;
}

/** The REST body of the block that has both the height and the hash, as far as they are given; undefined if none has. */
export async function findNamedBlock(db: Db, { height, hash }: BlockName): Promise<Entry | undefined> {
  if (height !== undefined && height > MAX_STORED_HEIGHT) return undefined;
  const ofHash = hash && sql`= (select height from blocks where hash = ${hash})`;
  const ofHeight = height === undefined ? sql`= (select height from head)` : sql`= ${height}::int8`;
  const both = hash && height !== undefined ? sql`= ${height}::int8 and d.hash = ${hash}` : undefined;
  const [found] = await readBlocks(db, both ?? ofHash ?? ofHeight);
  return found;
}

/** The REST bodies of blocks by height; missing ones are omitted. */
export async function findBlocks(db: Db, heights: readonly number[]): Promise<Entry[]> {
  if (heights.length === 0) return [];
  const [only, ...others] = heights;
  const of = others.length === 0 ? sql`= ${only}::int8` : sql`= any(${[...heights]}::int8[])`;
  return readBlocks(db, of);
}

async function readBlocks(db: Db, height: Sql): Promise<Entry[]> {
  const statement = sql`
    select d.height, ${recordOf(BLOCK_BODIES.record)} as record from blocks d where d.height ${height}`;
  const rows = await readRows(db, statement);
  return rows.map((bytes, id) => BLOCK_BODIES.entry(BLOCK_IDS.read(bytes, id), bytes, nextStart(bytes, id)));
}

/** The typed columns of the block at `height`, or undefined. */
export async function findBlockRow(db: Db, height: number) {
  return db.selectFrom("blocks").selectAll().where("height", "=", height).executeTakeFirst();
}

/** The hash of the block at `height`, or undefined. */
export async function findBlockHash(db: Db, height: number): Promise<Buffer | undefined> {
  if (height > MAX_STORED_HEIGHT) return undefined;
  const row = await db.selectFrom("blocks").select("hash").where("height", "=", height).executeTakeFirst();
  return row?.hash;
}

/** The height of the block with this hash, or undefined. */
export async function findBlockHeight(db: Db, hash: Buffer): Promise<number | undefined> {
  const row = await db.selectFrom("blocks").select("height").where("hash", "=", hash).executeTakeFirst();
  return row?.height;
}

/** Blocks `from` to `to` (inclusive) as the node sent them, in ascending order. */
export async function readRawBlocks(db: Db, from: number, to: number): Promise<RawBlockTable[]> {
  return db
    .selectFrom("raw_blocks")
    .selectAll()
    .where("height", ">=", from)
    .where("height", "<=", to)
    .orderBy("height")
    .execute();
}

/**
 * Blocks from `from` on as the node sent them, in ascending order: up to `to` (inclusive), stopping after `maxBytes`;
 * at least one, if it exists.
 */
export async function readRawBlocksWithin(
  db: Db,
  from: number,
  to: number,
  maxBytes: number,
): Promise<RawBlockTable[]> {
  const { rows } = await sql<RawBlockTable>`
    select r.height, r.block, r.statement, r.sub_cache_merkle_roots
    from (
      select height, sum(octet_length(block) + octet_length(statement)) over (
        order by height rows between unbounded preceding and 1 preceding) as before
      from raw_blocks where height >= ${from} and height <= ${to}) s
    join raw_blocks r on r.height = s.height
    where coalesce(s.before, 0) < ${maxBytes}
    order by r.height`.execute(db);
  return rows;
}
