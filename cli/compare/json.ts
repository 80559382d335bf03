/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** A position at which two responses differ. */
export interface Difference {
  /** Such as `account.mosaics[72C0212E67A08BCE].amount`; empty for the whole response. */
  readonly path: string;
  /** Undefined if absent. */
  readonly ours: Json | undefined;
  readonly theirs: Json | undefined;
}

type KeyOf = (entry: Json) => string;

const ENTITY_ID = /^[0-9A-Fa-f]{24}$/;
const paths = (all: string) => all.split(" ").map((path) => path.split("."));
const text = (name: string) => (entry: Json) => String(at(entry, name));

/** Members that identify entries of lists in both gateways: each entry has some of them. */
const IDENTITY = paths(
  "hash meta.merkleComponentHash meta.aggregateHash meta.index block.height statement.height statement.unresolved " +
    "statement.source.primaryId statement.source.secondaryId account.address accountRestrictions.address mosaic.id " +
    "mosaicRestrictionEntry.compositeHash namespace.level0 namespace.level1 namespace.level2 namespace.startHeight id " +
    "metadataEntry.compositeHash lock.hash lock.compositeHash lock.endHeight",
);
/** Members that order lists of the chain. */
const HEIGHT = paths("meta.height block.height statement.height");

/** Arrays whose order is not specified, by their position, and what identifies an entry. */
const UNORDERED: readonly (readonly [RegExp, KeyOf])[] = [
  [/^(data)?$/, identityOf],
  [/(^|\.)names$/, String],
  [/(^|\.)accountNames$/, text("address")],
  [/(^|\.)mosaicNames$/, text("mosaicId")],
  // In a transaction, the order of mosaics is signed.
  [/(^|\.)account\.mosaics$/, text("id")],
  [/(^|\.)multisigEntries$/, (entry) => String(at(entry, "multisig", "accountAddress"))],
];

/** A member of a member; undefined if it is absent, or a value on the way is no object. */
export function at(value: Json | undefined, ...names: readonly string[]): Json | undefined {
  return names.reduce<Json | undefined>(
    (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );
}

/** Whether a value is an object and not an array. */
export function isObject(value: unknown): value is { readonly [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What identifies an entry of a list in both gateways, in place of its id; empty if nothing does. */
export function identityOf(entry: Json): string {
  const values = IDENTITY.map((names) => at(entry, ...names) ?? "");
  return values
    .map((value) => (ENTITY_ID.test(String(value)) ? "" : value))
    .join(" ")
    .trim();
}

/** All positions at which two bodies differ. Ids of entries are ignored: each gateway has its own. */
function differencesAt(path: string, ours: Json | undefined, theirs: Json | undefined): Difference[] {
  const [left, right] = [partsOf(ours, path), partsOf(theirs, path)];
  if (!left || !right || Array.isArray(ours) !== Array.isArray(theirs))
    return ours === theirs || JSON.stringify(ours) === JSON.stringify(theirs) ? [] : [{ path, ours, theirs }];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((part) =>
    differencesAt(part, left.get(part), right.get(part)),
  );
}

/** Members and entries by their position; undefined for other values. */
function partsOf(value: Json | undefined, path: string): Map<string, Json> | undefined {
  if (isObject(value)) {
    const isEntityId = ([name, inner]: readonly [string, Json]) => name === "id" && ENTITY_ID.test(String(inner));
    const members = Object.entries(value).filter((member) => !isEntityId(member));
    return new Map(members.map(([name, inner]) => [path === "" ? name : `${path}.${name}`, inner]));
  }
  if (!Array.isArray(value)) return undefined;
  const [, keyOf] = UNORDERED.find(([array]) => array.test(path)) ?? [];
  const keys = value.map((entry, place) => keyOf?.(entry) || String(place));
  const parts = new Map<string, Json>();
  const counts = new Map<string, number>();
  for (const [place, key] of keys.entries()) {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    parts.set(`${path}[${count === 1 ? key : `${key} #${count}`}]`, value[place]);
  }
  // This order is not specified either, but clients may rely on it.
  if (path.endsWith("multisigEntries")) parts.set(`${path}.order`, keys.join(" "));
  return parts;
}

/**
 * All positions at which two bodies differ. In lists, entries of the same rank (the same height; all entries of a list
 * without order) may be in any order, and so a full page may have others: those at its ends are compared only if they
 * are on both pages. The ranks on both pages must be the same.
 * @param mosaicId of accounts ordered by their balance: the mosaic
 */
export function bodyDifferences(ours: Json, theirs: Json, mosaicId?: string): Difference[] {
  const found = differencesAt("", ours, theirs);
  const [left, right] = [at(ours, "data"), at(theirs, "data")];
  if (!Array.isArray(left) || !Array.isArray(right)) return found;
  const rankOf = (entry: Json) => (mosaicId ? balanceOf(entry, mosaicId) : heightOf(entry));
  const [ranks, otherRanks] = [left.map(rankOf), right.map(rankOf)];
  const place = ranks.findIndex((rank, index) => index < otherRanks.length && rank !== otherRanks[index]);
  const rankPath = `data[${place}].${mosaicId ? "balance" : "height"}`;
  const isFull = (page: Json, { length }: readonly Json[]) => length >= Number(at(page, "pagination", "pageSize"));
  const areFull = isFull(ours, left) && isFull(theirs, right);
  const ends = [ranks[0], ranks.at(-1), otherRanks[0], otherRanks.at(-1)];
  const isBeyond = ({ path, ...entry }: Difference) =>
    /^data\[[^\]]*\]$/.test(path) && isOneSided(entry) && ends.includes(rankOf((entry.ours ?? entry.theirs)!));
  return [
    ...(left.length === right.length ? [] : [{ path: "data.length", ours: left.length, theirs: right.length }]),
    ...(place < 0 ? [] : [{ path: rankPath, ours: ranks[place], theirs: otherRanks[place] }]),
    ...found.filter((difference) => !areFull || !isBeyond(difference)),
  ];
}

function heightOf(entry: Json): number {
  return Number(HEIGHT.map((names) => at(entry, ...names)).find((height) => height !== undefined) ?? 0);
}

function balanceOf(entry: Json, mosaicId: string): number {
  const mosaics = at(entry, "account", "mosaics");
  const found = Array.isArray(mosaics) ? mosaics.find((mosaic) => at(mosaic, "id") === mosaicId) : undefined;
  return Number(at(found, "amount") ?? 0);
}

/** Differences between the members of two bodies and their types, regardless of values. Empty lists match any list. */
export function formDifferences(ours: Json, theirs: Json): Difference[] {
  const found = differencesAt("", formOf(ours), formOf(theirs));
  return found.filter((difference) => !difference.path.endsWith("[0]") || !isOneSided(difference));
}

/** The same body with one entry of each list, and types in place of values. */
function formOf(value: Json): Json {
  if (Array.isArray(value)) return value.slice(0, 1).map(formOf);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, formOf(inner)]));
  return value === null ? "null" : typeof value;
}

/** Whether only one gateway has this position. */
export function isOneSided({ ours, theirs }: Pick<Difference, "ours" | "theirs">): boolean {
  return (ours === undefined) !== (theirs === undefined);
}
