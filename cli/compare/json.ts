/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** A position at which two responses differ. */
export interface Difference {
  /** Such as `account.mosaics[72C0212E67A08BCE].amount`; empty for the whole response. */
  readonly path: string;
  /** Undefined if absent. */
  readonly ours: Json | undefined;
  readonly theirs: Json | undefined;
  /** The same entries in another order, which is not specified, but clients may rely on it. */
  readonly isOrder?: true;
}

/** How entries of a list are compared. */
export interface ListForm {
  /** Identifies an entry in both gateways, in place of its id. */
  readonly keyOf: (entry: Json) => string;
  /** The ordering value, such as height; undefined for lists whose order the gateways may choose. */
  readonly order?: { readonly by: string; readonly rankOf: (entry: Json) => number };
}

type KeyOf = ListForm["keyOf"];

const ENTITY_ID = /^[0-9A-Fa-f]{24}$/;
const text = (name: string) => (entry: Json) => String(at(entry, name));

/** Arrays whose order is not specified, by the name of their member. */
const UNORDERED: Readonly<Record<string, KeyOf>> = {
  names: String,
  accountNames: text("address"),
  mosaicNames: text("mosaicId"),
  // The order is reported as a difference of its own.
  multisigEntries: (entry) => String(at(entry, "multisig", "accountAddress")),
};

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

/** All positions at which two bodies differ. Ids of entries are ignored: each gateway has its own. */
export function bodyDifferences(ours: Json | undefined, theirs: Json | undefined, path = ""): Difference[] {
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    const longest = ours.length > theirs.length ? ours : theirs;
    return longest.flatMap((_, place) => bodyDifferences(ours[place], theirs[place], `${path}[${place}]`));
  }
  if (!isObject(ours) || !isObject(theirs)) return isSame(ours, theirs) ? [] : [{ path, ours, theirs }];
  return namesOf(ours, theirs).flatMap((name) => {
    const [left, right] = [at(ours, name), at(theirs, name)];
    if (name === "id" && isIdOrAbsent(left) && isIdOrAbsent(right)) return [];
    const inner = path === "" ? name : `${path}.${name}`;
    // In a transaction, the order of mosaics is signed.
    const isOfAccount = name === "mosaics" && /(^|\.)account$/.test(path);
    const keyOf = isOfAccount ? text("id") : UNORDERED[name];
    if (!keyOf || !Array.isArray(left) || !Array.isArray(right)) return bodyDifferences(left, right, inner);
    const found = pairedDifferences(left, right, keyOf, inner);
    const [order, other] = [left.map(keyOf), right.map(keyOf)];
    const isMoved = name === "multisigEntries" && isSame(order.toSorted(), other.toSorted()) && !isSame(order, other);
    return isMoved ? [{ path: inner, ours: order, theirs: other, isOrder: true as const }, ...found] : found;
  });
}

/** Differences of two lists whose entries are paired by a key; with equal keys, the first with the first. */
export function pairedDifferences(
  ours: readonly Json[],
  theirs: readonly Json[],
  keyOf: KeyOf,
  path = "",
  mayBeAbsent: (entry: Json) => boolean = () => false,
): Difference[] {
  const [left, right] = [byKey(ours, keyOf), byKey(theirs, keyOf)];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((key) => {
    const [one, other] = [left.get(key), right.get(key)];
    const isAbsent = one === undefined || other === undefined;
    return isAbsent && mayBeAbsent((one ?? other) as Json) ? [] : bodyDifferences(one, other, `${path}[${key}]`);
  });
}

/** Entries by key; a repeated key gets a number appended. */
function byKey(entries: readonly Json[], keyOf: KeyOf): Map<string, Json> {
  const found = new Map<string, Json>();
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const place = (counts.get(key) ?? 0) + 1;
    counts.set(key, place);
    found.set(place === 1 ? key : `${key} #${place}`, entry);
  }
  return found;
}

/**
 * Differences of two pages of one list. Within what the order of a list leaves open, gateways may order entries
 * freely, and so put other entries on a full page:
 * - an ordered list: entries of the same value (the same height). The values on both pages must be the same, and an
 *   entry may be absent from a full page only if its value continues beyond the page.
 * - other lists: all entries. If both pages are full, only entries on both are compared.
 */
export function pageDifferences(ours: Json, theirs: Json, { keyOf, order }: ListForm): Difference[] {
  const [left, right] = [at(ours, "data"), at(theirs, "data")];
  if (!Array.isArray(left) || !Array.isArray(right)) return bodyDifferences(ours, theirs);
  const found = bodyDifferences({ ...(ours as object), data: [] }, { ...(theirs as object), data: [] });
  if (left.length !== right.length) found.push({ path: "data.length", ours: left.length, theirs: right.length });
  const [ranks, otherRanks] = [left, right].map((entries) => (order ? entries.map(order.rankOf) : [])) as [
    number[],
    number[],
  ];
  const place = ranks.findIndex((rank, index) => index < otherRanks.length && rank !== otherRanks[index]);
  if (place >= 0) found.push({ path: `data[${place}].${order?.by}`, ours: ranks[place], theirs: otherRanks[place] });
  const isFull = (page: Json, entries: readonly Json[]) => entries.length >= Number(at(page, "pagination", "pageSize"));
  const ends = [ranks[0], ranks.at(-1), otherRanks[0], otherRanks.at(-1)];
  const mayBeAbsent = (entry: Json) =>
    isFull(ours, left) && isFull(theirs, right) && (!order || ends.includes(order.rankOf(entry)));
  return [...found, ...pairedDifferences(left, right, keyOf, "data", mayBeAbsent)];
}

/** Differences between the members of two bodies and their types, regardless of values. Empty lists match any list. */
export function formDifferences(ours: Json | undefined, theirs: Json | undefined): Difference[] {
  return bodyDifferences(formOf(ours), formOf(theirs)).filter(
    (found) => !/\[0\]$/.test(found.path) || isTwoSided(found),
  );
}

/** The same body with one entry of each list, and types in place of values. */
function formOf(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.slice(0, 1).map(formOf);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, formOf(inner)]));
  return value === null ? "null" : typeof value;
}

const isTwoSided = ({ ours, theirs }: Difference) => ours !== undefined && theirs !== undefined;
const namesOf = (...objects: readonly object[]) => [...new Set(objects.flatMap((object) => Object.keys(object)))];

function isIdOrAbsent(value: Json | undefined): boolean {
  return value === undefined || (typeof value === "string" && ENTITY_ID.test(value));
}

function isSame(left: Json | undefined, right: Json | undefined): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
