import { type Json, memberOf } from "./differences.js";
import type { ListForm } from "./request.js";

function at(entry: Json, ...names: readonly string[]): Json | undefined {
  return names.reduce<Json | undefined>(memberOf, entry);
}

function keyed(...paths: readonly (readonly string[])[]): ListForm {
  return { keyOf: (entry: Json) => paths.map((names) => at(entry, ...names) ?? "").join(" ") };
}

function byHeight(form: ListForm, ...names: readonly string[]): ListForm {
  return { ...form, order: { by: "height", rankOf: (entry) => Number(at(entry, ...names)) } };
}

/** How entries of the lists are paired. Lists of the chain are ordered by height, those of state are not. */
export const LISTS = {
  blocks: byHeight(keyed(["block", "height"]), "block", "height"),
  transactions: byHeight(keyed(["meta", "hash"], ["meta", "aggregateHash"], ["meta", "index"]), "meta", "height"),
  /** In the order of arrival, which differs between gateways. */
  pendingTransactions: keyed(["meta", "hash"], ["meta", "aggregateHash"], ["meta", "index"]),
  transactionStatements: byHeight(
    keyed(["statement", "height"], ["statement", "source", "primaryId"], ["statement", "source", "secondaryId"]),
    "statement",
    "height",
  ),
  resolutions: byHeight(keyed(["statement", "height"], ["statement", "unresolved"]), "statement", "height"),
  accounts: keyed(["account", "address"]),
  mosaics: keyed(["mosaic", "id"]),
  namespaces: keyed(
    ["namespace", "level0"],
    ["namespace", "level1"],
    ["namespace", "level2"],
    ["namespace", "startHeight"],
  ),
  namespaceNames: keyed(["id"]),
  metadata: keyed(["metadataEntry", "compositeHash"]),
  hashLocks: keyed(["lock", "hash"], ["lock", "endHeight"]),
  secretLocks: keyed(["lock", "compositeHash"], ["lock", "endHeight"]),
  accountRestrictions: keyed(["accountRestrictions", "address"]),
  mosaicRestrictions: keyed(["mosaicRestrictionEntry", "compositeHash"]),
  statuses: keyed(["hash"]),
} as const satisfies Readonly<Record<string, ListForm>>;

/** Accounts ordered by their balance of a mosaic. */
export function accountsByBalance(mosaicId: string): ListForm {
  const amountOf = (entry: Json) => {
    const mosaics = at(entry, "account", "mosaics");
    const found = Array.isArray(mosaics) ? mosaics.find((mosaic) => memberOf(mosaic, "id") === mosaicId) : undefined;
    return Number(memberOf(found, "amount") ?? 0);
  };
  return { ...LISTS.accounts, order: { by: "balance", rankOf: amountOf } };
}
