import { bodyDifferences, byKey, type Difference, isObject, type Json, memberOf } from "./differences.js";
import type { ListForm, ListOrder } from "./request.js";

interface ListBody {
  readonly data: readonly Json[];
  readonly pageSize: number;
}

/** The parts of a page; undefined if the body is not a page. */
function readPage(body: Json | undefined): ListBody | undefined {
  const data = memberOf(body, "data");
  const pageSize = memberOf(memberOf(body, "pagination"), "pageSize");
  return Array.isArray(data) && typeof pageSize === "number" ? { data, pageSize } : undefined;
}

/**
 * Differences of two pages of one list. Within what the order of a list leaves open, gateways may order entries
 * freely, and so put other entries on a full page:
 * - an ordered list: entries of the same value (the same height). The values on both pages must be the same, and an
 * entry
 *   may be absent from a full page only if its value continues beyond the page.
 * - other lists: all entries. If both pages are full, only entries on both are compared.
 */
export function listDifferences(ours: Json, theirs: Json, { keyOf, order }: ListForm): Difference[] {
  const [left, right] = [readPage(ours), readPage(theirs)];
  if (!left || !right || !isObject(ours) || !isObject(theirs)) return bodyDifferences(ours, theirs);
  const { data: _, ...ourRest } = ours;
  const { data: __, ...theirRest } = theirs;
  const found = bodyDifferences(ourRest, theirRest);
  if (left.data.length !== right.data.length) {
    found.push({ path: "data.length", ours: left.data.length, theirs: right.data.length });
  }
  if (order) found.push(...orderDifferences(left.data, right.data, order));
  const areFull = left.data.length >= left.pageSize && right.data.length >= right.pageSize;
  const mayBeAbsent = areFull ? atEndsOf([left.data, right.data], order) : () => false;
  const [ourEntries, theirEntries] = [byKey(left.data, keyOf), byKey(right.data, keyOf)];
  for (const key of new Set([...ourEntries.keys(), ...theirEntries.keys()])) {
    const [one, other] = [ourEntries.get(key), theirEntries.get(key)];
    if (one !== undefined && other !== undefined) found.push(...bodyDifferences(one, other, `data[${key}]`));
    else if (!mayBeAbsent((one ?? other) as Json)) found.push({ path: `data[${key}]`, ours: one, theirs: other });
  }
  return found;
}

/** The first position at which the ordering values of the lists differ. */
function orderDifferences(ours: readonly Json[], theirs: readonly Json[], { by, rankOf }: ListOrder): Difference[] {
  for (const [place, entry] of ours.slice(0, theirs.length).entries()) {
    const [value, other] = [rankOf(entry), rankOf(theirs[place]!)];
    if (value !== other) return [{ path: `data[${place}].${by}`, ours: value, theirs: other }];
  }
  return [];
}

/** Returns which entries may be missing from one of two full pages: those with the values at the ends of a page. */
function atEndsOf(pages: readonly (readonly Json[])[], order: ListOrder | undefined): (entry: Json) => boolean {
  if (!order) return () => true;
  const ends = new Set(pages.flatMap((page) => [page[0], page.at(-1)]).map((entry) => order.rankOf(entry as Json)));
  return (entry) => ends.has(order.rankOf(entry));
}
