import { type RawBuilder, sql } from "kysely";
import { AGGREGATE } from "../../catapult/entity/entity-layout.js";
import { TRANSACTION_BODIES, type TransactionEntry } from "../bodies/transaction-bodies.js";
import type { Db } from "../database.js";
import { flaggedNumber, flaggedTypes, idKey, KeyKind } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import { idsOfHeights, Lists, noOthers, type Page } from "../lists/page.js";
import type { BoundArguments, Parameter } from "../statement.js";
import { AGGREGATE_MARKS, isAmong, readSizes, searchTransactions } from "./transactions.js";

/** Conditions on top-level transactions together with those embedded in them. */
export interface TransactionSearch {
  /** Whether all conditions have to match, or any. Without conditions every transaction matches. */
  readonly match: "all" | "any";
  /** 32 bytes. */
  readonly hash?: Buffer | undefined;
  /** Accounts (24 bytes) that the transaction concerns: one condition each. */
  readonly addresses?: readonly Buffer[] | undefined;
  /** A mosaic that it transfers. */
  readonly mosaicId?: bigint | undefined;
  /** It, or one embedded in it, is of one of these types. */
  readonly types?: readonly number[] | undefined;
  /** Whether it is an aggregate with cosignatures, or one that acts for others than its signer. */
  readonly isCosigned?: boolean | undefined;
  /** Inclusive. */
  readonly toHeight?: number | undefined;
}

/** A run of matches, the newest first, and the exact number of all. At most `MAX_BYTES` of them, but at least one. */
export interface TransactionMatches {
  readonly total: number;
  readonly data: readonly TransactionEntry[];
}

/** Of the transactions of a response, with what is embedded in them: an aggregate may have 100 kB. */
const MAX_BYTES = 65_536;

/** Matches after the first `skip`. Reads two pages if `skip` is no multiple of `first`: from one snapshot. */
export async function findMatchingTransactions(
  db: Db,
  search: TransactionSearch,
  { first, skip }: { readonly first: number; readonly skip: number },
): Promise<TransactionMatches> {
  const pageNumber = Math.floor(skip / first) + 1;
  const rest = skip % first;
  const read = (number: number) => readMatches(db, search, { pageNumber: number, pageSize: first, order: "desc" });
  const [page, next] = await Promise.all([read(pageNumber), rest > 0 ? read(pageNumber + 1) : undefined]);
  const data = [...page.data, ...(next?.data ?? [])].slice(rest, rest + first);
  return { total: page.pagination.totalEntries, data: await withinBytes(db, data) };
}

/** The first entries: those before which there are less than `MAX_BYTES`. */
async function withinBytes(db: Db, entries: readonly TransactionEntry[]): Promise<readonly TransactionEntry[]> {
  const sizes = await readSizes(
    db,
    entries.map(({ id }) => id),
  );
  let before = 0;
  const end = entries.findIndex((_entry, position) => {
    const isBeyond = before >= MAX_BYTES;
    before += sizes[position] ?? 0;
    return isBeyond;
  });
  return end < 0 ? entries : entries.slice(0, end);
}

/** With one address or no condition, a list that is counted, and so flat at any depth; otherwise one that is walked. */
function readMatches(db: Db, search: TransactionSearch, request: PageRequest): Promise<Page<TransactionEntry>> {
  const { toHeight, match, hash, addresses = [], mosaicId, types, isCosigned = false, ...others } = search;
  noOthers(others);
  const mosaic = mosaicId === undefined ? undefined : idKey(mosaicId);
  const [address, ...further] = addresses;
  const isCounted = further.length === 0 && !hash && !mosaic && !types && !isCosigned;
  if (isCounted) return searchTransactions(db, { toHeight, address }, request);
  return matches.readPage(
    db,
    { match, hash, addresses, mosaic, types, isCosigned },
    request,
    idsOfHeights({ toHeight }),
  );
}

/** The conditions that heights are not. */
interface Conditions extends Pick<TransactionSearch, "match" | "hash" | "types"> {
  readonly addresses: readonly Buffer[];
  /** The key of a mosaic. */
  readonly mosaic: Buffer | undefined;
  readonly isCosigned: boolean;
}

const TABLE = { table: "transactions", bodies: TRANSACTION_BODIES } as const;

const matches = new Lists<Conditions, TransactionEntry>(TABLE, (search) => {
  const conditions = conditionsOf(search);
  return { ids: search.match === "any" ? anyOf(conditions) : joinConditions(conditions) };
});

/** A condition in two forms: a query of all ids that match, and a predicate about the id of a row. */
interface Condition {
  /** Selects `id`, perhaps more than once. */
  readonly ids: RawBuilder<unknown>;
  readonly matches: (id: RawBuilder<unknown>) => RawBuilder<unknown>;
}

function anyOf(conditions: readonly Condition[]): RawBuilder<unknown> {
  return sql`select u.id from (${sql.join(
    conditions.map(({ ids }) => ids),
    sql` union `,
  )}) u`;
}

/** The first condition is walked, the others are looked up. */
function joinConditions([first, ...others]: readonly Condition[]): RawBuilder<unknown> {
  const walked = sql`select distinct c.id from (${(first as Condition).ids}) c`;
  if (others.length === 0) return walked;
  const looked = others.map(({ matches }) => matches(sql`w.id`));
  return sql`select w.id from (${walked}) w where ${sql.join(looked, sql` and `)}`;
}

/** The narrowest first. */
function conditionsOf({ hash, addresses, mosaic, types, isCosigned }: BoundArguments<Conditions>): Condition[] {
  return [
    ...(hash ? [ofHash(hash)] : []),
    ...addresses.map(ofAddress),
    ...(mosaic ? [ofMosaic(mosaic)] : []),
    ...(types ? [ofTypes(types)] : []),
    ...(isCosigned ? [COSIGNED] : []),
  ];
}

function ofHash(hash: Parameter): Condition {
  const ids = sql`select id from transactions where hash = ${hash}`;
  return { ids, matches: (id) => sql`${id} = (${ids})` };
}

function ofAddress(address: Parameter): Condition {
  const account = flaggedNumber({ kind: KeyKind.address, key: address }, false);
  const ids = sql`select id from transaction_addresses where account = ${account}`;
  return {
    ids,
    matches: (id) => sql`exists (select from transaction_addresses where account = ${account} and id = ${id})`,
  };
}

/** Ids of an aggregate and all inside it; the lower 12 bits are the index in the aggregate. */
const inside = (id: RawBuilder<unknown>) => sql`id >= ${id} and id < ${id} + 4096`;
const topLevel = sql`id - (id & 4095) as id`;

function ofMosaic(key: Parameter): Condition {
  const numbers = [KeyKind.id, KeyKind.aliasedMosaic].flatMap((kind) =>
    [false, true].map((embedded) => flaggedNumber({ kind, key }, embedded)),
  );
  const isOfMosaic = isAmong("mosaic", numbers);
  return {
    ids: sql`select ${topLevel} from transaction_mosaics where ${isOfMosaic}`,
    matches: (id) => sql`exists (select from transaction_mosaics where ${isOfMosaic} and ${inside(id)})`,
  };
}

function ofTypes(types: readonly Parameter[]): Condition {
  const isOfType = isAmong("type", flaggedTypes(types));
  return {
    ids: sql`select ${topLevel} from transactions where ${isOfType}`,
    matches: (id) => sql`exists (select from transactions where ${isOfType} and ${inside(id)})`,
  };
}

/**
 * After its header and its embedded transactions, an aggregate has nothing but cosignatures. An embedded transaction of
 * the aggregate's signer has the same number with the flag of embedded ones, which is 1.
 */
const isCosigned = sql`t.type in (${AGGREGATE_MARKS})
  and (t.size > t.embedded_size + ${sql.lit(AGGREGATE.headerSize)}
    or exists (select from transactions e where e.id > t.id and e.id < t.id + 4096 and e.signer <> t.signer + 1))`;
const COSIGNED: Condition = {
  ids: sql`select t.id from transactions t where ${isCosigned}`,
  matches: (id) => sql`exists (select from transactions t where ${isCosigned} and t.id = ${id})`,
};
