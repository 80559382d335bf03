import { bodyDifferences, byKey, type Difference, isObject, type Json, memberOf } from "./differences.js";
import type { ListForm } from "./request.js";

interface ListBody {
  readonly data: readonly Json[];
  readonly pageSize: number;
}

/** The parts of a page, or undefined for what is none. */
function readPage(body: Json | undefined): ListBody | undefined {
  const data = memberOf(body, "data");
  const pageSize = memberOf(memberOf(body, "pagination"), "pageSize");
  return Array.isArray(data) && typeof pageSize === "number" ? { data, pageSize } : undefined;
}

/**
 * Differences of two pages of one list. Within what the order of a list leaves open, the gateways may order entries as
 * they like, and so put other ones on a page that is full:
 * - a list by height: entries of the same height. The heights of a page must be the same, and an entry may be absent
 *   from a full page only where its height continues beyond the page.
 * - other lists: all entries. Where both pages are full, only entries that are on both are compared.
 */
export function listDifferences(ours: Json, theirs: Json, form: ListForm): Difference[] {
  const [left, right] = [readPage(ours), readPage(theirs)];
  if (!left || !right || !isObject(ours) || !isObject(theirs)) return bodyDifferences(ours, theirs);
  const { data: _, ...ourRest } = ours;
  const { data: __, ...theirRest } = theirs;
  const found = bodyDifferences(ourRest, theirRest);
  if (left.data.length !== right.data.length) {
    found.push({ path: "data.length", ours: left.data.length, theirs: right.data.length });
  }
  const { keyOf, heightOf } = form;
  if (heightOf) found.push(...heightDifferences(left.data.map(heightOf), right.data.map(heightOf)));
  const isFull = left.data.length >= left.pageSize && right.data.length >= right.pageSize;
  const [ourEntries, theirEntries] = [byKey(left.data, keyOf), byKey(right.data, keyOf)];
  const mayBeAbsent = isFull ? endsOf([left.data, right.data], heightOf) : () => false;
  for (const key of new Set([...ourEntries.keys(), ...theirEntries.keys()])) {
    const [one, other] = [ourEntries.get(key), theirEntries.get(key)];
    if (one !== undefined && other !== undefined) found.push(...bodyDifferences(one, other, `data[${key}]`));
    else if (!mayBeAbsent((one ?? other) as Json)) found.push({ path: `data[${key}]`, ours: one, theirs: other });
  }
  return found;
}

function heightDifferences(ours: readonly number[], theirs: readonly number[]): Difference[] {
  const place = ours.findIndex((height, at) => theirs[at] !== undefined && theirs[at] !== height);
  return place < 0 ? [] : [{ path: `data[${place}].height`, ours: ours[place]!, theirs: theirs[place]! }];
}

/** Says which entries one of two full pages may lack: those at the heights at the ends of a page. */
function endsOf(
  pages: readonly (readonly Json[])[],
  heightOf: ((entry: Json) => number) | undefined,
): (entry: Json) => boolean {
  if (!heightOf) return () => true;
  const ends = new Set(pages.flatMap((page) => [page[0], page.at(-1)]).map((entry) => heightOf(entry as Json)));
  return (entry) => ends.has(heightOf(entry));
}
