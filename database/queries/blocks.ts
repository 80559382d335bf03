import { type RawBuilder, sql } from "kysely";
import { encodeEntityId, MAX_HEIGHT, MAX_STORED_HEIGHT } from "../../catapult/json/entity-id.js";
import type { Columns } from "../binary/rows.js";
import { BLOCK_BODIES } from "../bodies/block-bodies.js";
import { joinedBlock, rowsWith, selected } from "../bodies/bodies.js";
import type { Db } from "../database.js";
import { Collection, KeyKind, keyNumber, listOf, listOfKey } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import { type Entry, type HeightFilter, idsOfHeights, Lists, noOthers, type Page } from "../lists/page.js";
import { entriesOf, type Selected } from "../lists/page-statement.js";
import { ListValue, type Parameter, Statement } from "../statement.js";
import type { RawBlockTable } from "../tables/chain.js";

/** Filter of blocks; all given conditions must match. Timestamps in ms since the epoch adjustment, inclusive. */
export interface BlockFilter extends HeightFilter {
  readonly signerPublicKey?: Buffer | undefined;
  readonly beneficiaryAddress?: Buffer | undefined;
  /** The address of the main account whose own or linked key signed the block. */
  readonly harvesterAddress?: Buffer | undefined;
  readonly fromTimestamp?: number | undefined;
  readonly toTimestamp?: number | undefined;
}

/** A page of blocks by height. */
export async function searchBlocks(db: Db, filter: BlockFilter, request: PageRequest): Promise<Page<Entry>> {
  const { signerPublicKey: signer, beneficiaryAddress: beneficiary, harvesterAddress: harvester, ...bounds } = filter;
  const { height, fromHeight, toHeight, fromTimestamp, toTimestamp, ...others } = bounds;
  noOthers(others);
  const byHeight = idsOfHeights({ height, fromHeight, toHeight });
  const byTime = await heightsOfTimestamps(db, { fromTimestamp, toTimestamp });
  const range = {
    from: narrower(byHeight.from, byTime.from, (a, b) => a > b),
    to: narrower(byHeight.to, byTime.to, (a, b) => a < b),
  };
  return lists.readPage(db, { signer, beneficiary, harvester }, request, range);
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

const { blocksBySigner: BY_SIGNER, blocksByBeneficiary: BY_BENEFICIARY, blocksByHarvester: BY_HARVESTER } = Collection;
const TABLE = { table: "blocks", bodies: BLOCK_BODIES } as const;

interface ListFilter {
  readonly signer?: Buffer | undefined;
  readonly beneficiary?: Buffer | undefined;
  readonly harvester?: Buffer | undefined;
}

const lists = new Lists<ListFilter>(TABLE, (filter): Selected => {
  const { signer, beneficiary, harvester } = filter;
  const address = (key: Parameter) => ({ kind: KeyKind.address, key });
  const keys = [
    ...(signer ? [{ column: sql`signer`, key: { kind: KeyKind.publicKey, key: signer }, of: BY_SIGNER }] : []),
    ...(beneficiary ? [{ column: sql`beneficiary`, key: address(beneficiary), of: BY_BENEFICIARY }] : []),
    ...(harvester ? [{ column: sql`harvester`, key: address(harvester), of: BY_HARVESTER }] : []),
  ];
  const conditions = keys.map(({ column, key }) => sql`${column} = ${keyNumber(key)}`);
  const [only, ...others] = keys;
  if (!only) return { lists: [{ ...entriesOf(TABLE), list: listOf(Collection.blocks) }] };
  if (others.length > 0) return entriesOf(TABLE, sql.join(conditions, sql` and `));
  const ids = sql`select height as id from blocks where ${conditions[0]}`;
  return { lists: [{ ids, list: listOfKey(only.of, only.key) }] };
});

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
  const [row] = await named.read(db, { height, hash });
  return row && BLOCK_BODIES.entry(row);
}

/** The REST bodies of blocks by height; missing ones are omitted. */
export async function findBlocks(db: Db, heights: readonly number[]): Promise<Entry[]> {
  if (heights.length === 0) return [];
  const [only, ...others] = heights;
  const rows =
    others.length === 0 ? await named.read(db, { height: only }) : await ofHeights.read(db, new ListValue(heights));
  return rows.map((row) => BLOCK_BODIES.entry(row));
}

const ROWS = rowsWith(BLOCK_BODIES, {});

/** Selects blocks by a condition of their height, and others. */
function select(height: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select ${selected(BLOCK_BODIES, sql`d.height`)} from blocks d ${joinedBlock(BLOCK_BODIES)} where d.height ${height}`;
}

const ofHeights = new Statement<ListValue, Columns>(ROWS, (heights) => select(sql`= any(${heights}::int8[])`));

const named = new Statement<BlockName, Columns>(ROWS, ({ height, hash }) => {
  if (height) return select(hash ? sql`= ${height}::int8 and d.hash = ${hash}` : sql`= ${height}::int8`);
  return select(hash ? sql`= (select height from blocks where hash = ${hash})` : sql`= (select height from head)`);
});

/** Addresses (24 bytes) of the main accounts that harvested blocks, by height, in the order of the request. */
export async function readHarvesters(db: Db, heights: readonly number[]): Promise<(Buffer | undefined)[]> {
  const rows = await db
    .selectFrom("blocks")
    .innerJoin("keys", "keys.id", "blocks.harvester")
    .select(["blocks.height", "keys.key"])
    .where("blocks.height", "in", [...heights])
    .execute();
  const found = new Map(rows.map(({ height, key }) => [height, key]));
  return heights.map((height) => found.get(height));
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

/**
 * The hash of the newest block up to a height, or of the first block, and the height of the head in the same moment: a
 * roll-back may come between two statements. Undefined before the first block.
 */
export async function findNewestUpTo(db: Db, height: number) {
  return db
    .selectFrom("head")
    .innerJoin("blocks", (join) =>
      join.on("blocks.height", "=", sql<number>`greatest(1, least(head.height, ${height}::int8))`),
    )
    .select(["head.height as headHeight", "blocks.hash"])
    .executeTakeFirst();
}

/** The hashes of the blocks `from` to `to` (inclusive), by height. */
export async function findBlockHashes(db: Db, from: number, to: number): Promise<Map<number, Buffer>> {
  const rows = await db
    .selectFrom("blocks")
    .select(["height", "hash"])
    .where("height", ">=", from)
    .where("height", "<=", to)
    .execute();
  return new Map(rows.map(({ height, hash }) => [height, hash]));
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

/** The first and the last bytes with a prefix. */
export interface PrefixRange {
  readonly first: Buffer;
  readonly last: Buffer;
}

/** Hashes have no order in the index: those of the newest rows are compared. */
export const NEWEST_ROWS = 100_000;

/** Heights of blocks whose hashes begin with a prefix, among the newest. */
export async function findBlockHeightsByPrefix(db: Db, { first, last }: PrefixRange, limit: number): Promise<number[]> {
  const { rows } = await sql<{ height: number }>`
    select height from (select height, hash from blocks order by height desc limit ${NEWEST_ROWS}) newest
    where hash >= ${first} and hash <= ${last} limit ${limit}`.execute(db);
  return rows.map(({ height }) => height);
}

/** Fee multipliers of the newest blocks up to a height, the newest first: at most `count`. */
export async function latestFeeMultipliers(db: Db, count: number, upTo = MAX_STORED_HEIGHT): Promise<number[]> {
  const rows = await db
    .selectFrom("blocks")
    .select("fee_multiplier")
    .where("height", "<=", upTo)
    .orderBy("height", "desc")
    .limit(count)
    .execute();
  return rows.map((row) => row.fee_multiplier);
}
