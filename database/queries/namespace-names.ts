import { type RawBuilder, sql } from "kysely";
import { hex } from "../../catapult/entity/hex.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import type { Db } from "../database.js";
import { idKey } from "../lists/collections.js";
import { MAX_PAGE_SIZE } from "../lists/page.js";
import { isActiveAt } from "./state-entries.js";
import { readTransactionRun } from "./transactions.js";

/** The last part of a namespace's name, with its position in the hierarchy. */
export interface NamespaceName {
  readonly id: bigint;
  /** Undefined for a root. */
  readonly parentId: bigint | undefined;
  readonly name: string;
}

/** Names of namespaces and all their parents by their ids: the requested ones first, then the parents. */
export async function findNamespaceNames(db: Db, namespaceIds: readonly bigint[]): Promise<NamespaceName[]> {
  if (namespaceIds.length === 0) return [];
  const { rows } = await sql<{ namespace_id: Buffer; parent_id: Buffer | null; name: string }>`
    with recursive requested (namespace_id, level) as (
      select unnest(${namespaceIds.map(idKey)}::bytea[]), 0
      union
      select r.parent_id, a.level + 1 from requested a
      cross join lateral (
        select parent_id from namespace_registrations where namespace_id = a.namespace_id order by id limit 1) r
      where r.parent_id is not null and a.level < 3)
    select a.namespace_id, r.parent_id, r.name
    from (select namespace_id, min(level) as level from requested group by namespace_id) a
    cross join lateral (
      select parent_id, name from namespace_registrations where namespace_id = a.namespace_id order by id limit 1) r
    order by a.level, a.namespace_id desc`.execute(db);
  return rows.map(({ namespace_id, parent_id, name }) => ({
    id: namespace_id.readBigUInt64BE(),
    parentId: parent_id?.readBigUInt64BE(),
    name,
  }));
}

/** Id of the transaction (12 bytes) that registered a root last; undefined if none did. */
export async function findRootRegistration(db: Db, rootId: bigint): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom("namespace_registrations")
    .select("id")
    .where("namespace_id", "=", idKey(rootId))
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** A child of a namespace, or a root. */
export interface ChildName {
  readonly id: bigint;
  /** The last part of its name. */
  readonly name: string;
}

/** Above all characters that names have (`a` to `z`, digits, `_` and `-`). */
const ABOVE_ALL_NAMES = "~";

/**
 * Children of a namespace (or roots) that were ever registered and whose name begins with a prefix, by name, after one
 * of them. A name is looked up after another, so that it does not count how often one was registered.
 */
export async function findChildNames(
  db: Db,
  { parentId, prefix }: { readonly parentId: bigint | undefined; readonly prefix: string },
  { first, after }: { readonly first: number; readonly after?: string | undefined },
): Promise<ChildName[]> {
  const ofParent = parentId === undefined ? sql`r.parent_id is null` : sql`r.parent_id = ${idKey(parentId)}`;
  const next = (above: RawBuilder<boolean>) => sql`
    select r.name collate "C" as name, r.namespace_id from namespace_registrations r
    where ${ofParent} and ${above} and r.name collate "C" < ${prefix + ABOVE_ALL_NAMES}
    order by r.name collate "C" limit 1`;
  const start = after !== undefined && after >= prefix ? sql<boolean>`> ${after}` : sql<boolean>`>= ${prefix}`;
  const { rows } = await sql<{ name: string; namespace_id: Buffer }>`
    with recursive names (name, namespace_id) as (
      (${next(sql`r.name collate "C" ${start}`)})
      union all
      select n.name, n.namespace_id from names before
      cross join lateral (${next(sql`r.name collate "C" > before.name`)}) n)
    select name, namespace_id from names limit ${first}`.execute(db);
  return rows.map(({ name, namespace_id }) => ({ id: namespace_id.readBigUInt64BE(), name }));
}

/**
 * Names of namespaces that currently point to an address, by address as upper-case hex; full names, such as
 * `root.child`.
 */
export async function findAccountNames(db: Db, addresses: readonly Buffer[]): Promise<Map<string, string[]>> {
  return findAliasNames(db, sql`alias_address`, addresses);
}

/** Names of namespaces that currently point to a mosaic, by mosaic id as 16 upper-case hex digits; full names. */
export async function findMosaicNames(db: Db, mosaicIds: readonly bigint[]): Promise<Map<string, string[]>> {
  return findAliasNames(db, sql`alias_mosaic_id`, mosaicIds.map(idKey));
}

async function findAliasNames(
  db: Db,
  column: RawBuilder<unknown>,
  values: readonly Buffer[],
): Promise<Map<string, string[]>> {
  const names = new Map<string, string[]>();
  if (values.length === 0) return names;
  const { rows } = await sql<{ alias: Buffer; name: string }>`
    select n.${column} as alias, concat_ws('.', r0.name, r1.name, r2.name) as name
    from namespaces n
    join lateral ${registrationOf("level0")} r0 on true
    left join lateral ${registrationOf("level1")} r1 on true
    left join lateral ${registrationOf("level2")} r2 on true
    where n.${column} = any(${[...values]}::bytea[])
      and ${isActiveAt("n.end_height", sql`(select height from head)`)}
      and (n.level1 is null or r1.name is not null) and (n.level2 is null or r2.name is not null)
    order by n.id`.execute(db);
  for (const { alias, name } of rows) {
    const key = hex(alias);
    names.set(key, [...(names.get(key) ?? []), name]);
  }
  return names;
}

function registrationOf(level: "level0" | "level1" | "level2"): RawBuilder<unknown> {
  return sql`(select name from namespace_registrations where namespace_id = n.${sql.ref(level)} order by id limit 1)`;
}

/** Members of the REST body of a mosaic alias. */
interface MosaicAliasBody {
  readonly namespaceId: string;
  readonly mosaicId: string;
  readonly aliasAction: number;
}

const FIRST_BLOCK = 1;
const LINK = 1;

/**
 * The full name of the first namespace that block 1 links to a mosaic, or undefined: unlike names of later links, it
 * never changes.
 */
export async function findFirstNameOfMosaic(db: Db, mosaicId: bigint): Promise<string | undefined> {
  const filter = { fromHeight: FIRST_BLOCK, toHeight: FIRST_BLOCK, types: [TRANSACTION_TYPE.mosaic_alias] };
  const links = await readTransactionRun(db, filter, { first: MAX_PAGE_SIZE, order: "asc" });
  const link = links
    .map(({ body }) => (JSON.parse(body) as { transaction: MosaicAliasBody }).transaction)
    .find((one) => one.aliasAction === LINK && BigInt(`0x${one.mosaicId}`) === mosaicId);
  if (!link) return undefined;
  const namespaceId = BigInt(`0x${link.namespaceId}`);
  const names = new Map((await findNamespaceNames(db, [namespaceId])).map((one) => [one.id, one]));
  const parts: string[] = [];
  for (let one = names.get(namespaceId); one; one = one.parentId === undefined ? undefined : names.get(one.parentId)) {
    parts.unshift(one.name);
  }
  return parts.join(".");
}
