import { TRANSACTION_TYPE } from "../../catapult/entity/entity-layout.js";
import type { Db } from "../database.js";
import { MAX_PAGE_SIZE } from "../lists/page.js";
import { findNamespaceNames } from "./namespace-names.js";
import { readTransactionRun } from "./transactions.js";

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
  const filter = { fromHeight: FIRST_BLOCK, toHeight: FIRST_BLOCK, types: [TRANSACTION_TYPE.mosaicAlias] };
  const links = await readTransactionRun(db, filter, { first: MAX_PAGE_SIZE, order: "asc" });
  const link = links
    .map(({ document }) => (JSON.parse(document) as { transaction: MosaicAliasBody }).transaction)
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
