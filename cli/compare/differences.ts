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

/** Pairs entries by a key, regardless of their order. */
type KeyOf = (entry: Json) => string;

const ENTITY_ID = /^[0-9A-Fa-f]{24}$/;
const text = (name: string) => (entry: Json) => String(memberOf(entry, name));

/** Arrays whose order is not specified, by the name of their member. */
const UNORDERED: Readonly<Record<string, KeyOf>> = {
  names: String,
  accountNames: text("address"),
  mosaicNames: text("mosaicId"),
};
/** The same below a member `account`: in a transaction, the order of mosaics is signed. */
const UNORDERED_IN_ACCOUNTS: Readonly<Record<string, KeyOf>> = { mosaics: text("id") };
/** Arrays whose order is reported as a separate difference. */
const ORDER_REPORTED: Readonly<Record<string, KeyOf>> = {
  multisigEntries: (entry) => String(memberOf(memberOf(entry, "multisig") ?? null, "accountAddress")),
};

/** A member of an object; undefined if it is absent, or if the value is not an object. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Whether a value is an object and not an array. */
export function isObject(value: unknown): value is { readonly [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** All positions at which two bodies differ. Ids of entries are ignored: each gateway has its own. */
export function bodyDifferences(ours: Json | undefined, theirs: Json | undefined, path = ""): Difference[] {
  const found: Difference[] = [];
  collect(ours, theirs, path, undefined, found);
  return found;
}

function collect(
  ours: Json | undefined,
  theirs: Json | undefined,
  path: string,
  keyOf: KeyOf | undefined,
  found: Difference[],
): void {
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    if (keyOf) found.push(...pairedDifferences(ours, theirs, path, keyOf));
    else {
      for (let place = 0; place < Math.max(ours.length, theirs.length); place++) {
        collect(ours[place], theirs[place], `${path}[${place}]`, undefined, found);
      }
    }
  } else if (isObject(ours) && isObject(theirs)) {
    for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
      const [left, right] = [memberOf(ours, name), memberOf(theirs, name)];
      if (name === "id" && isIdOrAbsent(left) && isIdOrAbsent(right)) continue;
      const at = path === "" ? name : `${path}.${name}`;
      const reported = ORDER_REPORTED[name];
      if (reported && Array.isArray(left) && Array.isArray(right)) {
        const [order, otherOrder] = [left.map(reported), right.map(reported)];
        if (isSame([...order].sort(), [...otherOrder].sort()) && !isSame(order, otherOrder)) {
          found.push({ path: at, ours: order, theirs: otherOrder, isOrder: true });
        }
      }
      const isInAccount = /(^|\.)account$/.test(path);
      collect(
        left,
        right,
        at,
        reported ?? UNORDERED[name] ?? (isInAccount ? UNORDERED_IN_ACCOUNTS[name] : undefined),
        found,
      );
    }
  } else if (!isSame(ours, theirs)) found.push({ path, ours, theirs });
}

/** Differences of two lists whose entries are paired by a key; with equal keys, the first with the first. */
export function pairedDifferences(
  ours: readonly Json[],
  theirs: readonly Json[],
  path: string,
  keyOf: KeyOf,
): Difference[] {
  const [left, right] = [byKey(ours, keyOf), byKey(theirs, keyOf)];
  const found: Difference[] = [];
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    collect(left.get(key), right.get(key), `${path}[${key}]`, undefined, found);
  }
  return found;
}

/** Entries by key; a repeated key gets a number appended. */
export function byKey(entries: readonly Json[], keyOf: KeyOf): Map<string, Json> {
  const found = new Map<string, Json>();
  for (const entry of entries) {
    const key = keyOf(entry);
    let place = 1;
    while (found.has(place === 1 ? key : `${key} #${place}`)) place += 1;
    found.set(place === 1 ? key : `${key} #${place}`, entry);
  }
  return found;
}

/** Differences between the members of two bodies and their types, regardless of values. Empty lists match any list. */
export function formDifferences(ours: Json | undefined, theirs: Json | undefined, path = ""): Difference[] {
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    return ours.length && theirs.length ? formDifferences(ours[0], theirs[0], `${path}[0]`) : [];
  }
  if (isObject(ours) && isObject(theirs)) {
    const names = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
    return [...names].flatMap((name) =>
      formDifferences(memberOf(ours, name), memberOf(theirs, name), path === "" ? name : `${path}.${name}`),
    );
  }
  return typeOf(ours) === typeOf(theirs) ? [] : [{ path, ours, theirs }];
}

function typeOf(value: Json | undefined): string {
  return value === null ? "null" : Array.isArray(value) ? "list" : typeof value;
}

function isIdOrAbsent(value: Json | undefined): boolean {
  return value === undefined || (typeof value === "string" && ENTITY_ID.test(value));
}

function isSame(left: Json | undefined, right: Json | undefined): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
