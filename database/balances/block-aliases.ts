import { sql } from "kysely";
import { decodeNamespaceId } from "../../catapult/entity/address.js";
import { BlockAliases } from "../../catapult/entity/block-aliases.js";
import { EMBEDDED, TRANSACTION } from "../../catapult/entity/entity-layout.js";
import { decodeStatements } from "../../catapult/entity/statement.js";
import { acceptedTransaction } from "../../catapult/entity/transaction.js";
import { decodeEntityId, encodeEntityNumber, entityNumber } from "../../catapult/json/entity-id.js";
import type { NamedAliases } from "../../catapult/state/balance-movements.js";
import { idBytes } from "../../catapult/state/composite-hash.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import type { Db } from "../database.js";
import { flaggedTypes, idKey } from "../lists/collections.js";

/** Offsets of the namespace id in transactions that link one: it is the first field after their headers. */
const TOP_NAMESPACE = TRANSACTION.headerSize;
const EMBEDDED_NAMESPACE = EMBEDDED.headerSize;
const LINK_TYPES = [TRANSACTION_TYPE.address_alias, TRANSACTION_TYPE.mosaic_alias];

type Transaction = ReturnType<typeof acceptedTransaction>;

/** Without an alias: what is none is resolved to itself. */
export const NO_ALIASES = new BlockAliases({
  transactions: [],
  statement: { addressResolutions: [], mosaicResolutions: [] },
});

/**
 * What aliases point to in blocks, by height, at every position in them: by the block's records and by its own links. A
 * block without an alias is left out.
 */
export async function readBlockAliases(
  db: Db,
  named: ReadonlyMap<number, NamedAliases>,
): Promise<Map<number, BlockAliases>> {
  const uses = [...named].flatMap(([height, { addresses, mosaics }]) => [
    ...addresses.map((address) => ({
      height,
      isAddress: true,
      unresolved: address,
      namespace: decodeNamespaceId(address),
    })),
    ...mosaics.map((id) => ({ height, isAddress: false, unresolved: idKey(id), namespace: id })),
  ]);
  if (uses.length === 0) return new Map();
  const [addresses, mosaics, links] = await Promise.all([
    readResolutions(
      db,
      "address_resolution_statements",
      uses.filter(({ isAddress }) => isAddress),
    ),
    readResolutions(
      db,
      "mosaic_resolution_statements",
      uses.filter(({ isAddress }) => !isAddress),
    ),
    readLinks(db, uses),
  ]);
  return new Map(
    [...new Set(uses.map(({ height }) => height))].map((height) => {
      const parts = { addresses: addresses.get(height), mosaics: mosaics.get(height) };
      return [height, new BlockAliases({ transactions: links.get(height) ?? [], statement: decodeStatements(parts) })];
    }),
  );
}

interface AliasUse {
  readonly height: number;
  readonly unresolved: Buffer;
}

/** Bytes of resolution statements, by height. */
async function readResolutions(
  db: Db,
  table: "address_resolution_statements" | "mosaic_resolution_statements",
  uses: readonly AliasUse[],
): Promise<Map<number, Buffer[]>> {
  if (uses.length === 0) return new Map();
  const { rows } = await sql<{ height: number; bytes: Buffer }>`
    select p.height::int4 as height, substring(r.statement from d.position + 1 for d.size) as bytes
    from unnest(
      ${uses.map(({ height }) => height)}::int8[],
      ${uses.map(({ unresolved }) => unresolved)}::bytea[]) p (height, unresolved)
    cross join lateral (
      select s.id, s.position, s.size from ${sql.table(table)} s
      where s.unresolved = p.unresolved and s.id >= p.height << 32 and s.id < (p.height + 1) << 32 offset 0) d
    join raw_blocks r on r.height = p.height
    order by d.id`.execute(db);
  return groupedByHeight(rows.map(({ height, bytes }) => [height, bytes]));
}

/** The transactions of blocks that link or unlink one of the namespaces, whole aggregates where they are embedded. */
async function readLinks(
  db: Db,
  uses: readonly { readonly height: number; readonly namespace: bigint }[],
): Promise<Map<number, Transaction[]>> {
  const heights = [...new Set(uses.map(({ height }) => height))];
  const namespaces = [...new Set(uses.map(({ namespace }) => namespace))];
  const types = sql.join(flaggedTypes(LINK_TYPES));
  const { rows } = await sql<{ id: number | bigint; bytes: Buffer }>`
    select t.id, substring(r.block from t.position + 1 for t.size) as bytes
    from (
      select distinct d.id - (d.id & 4095) as id
      from unnest(${heights.map((height) => entityNumber(height))}::int8[], ${heights.map((height) => entityNumber(height + 1))}::int8[]) h (low, high)
      cross join lateral (
        select id, position from transactions
        where type in (${types}) and id >= h.low and id < h.high offset 0) d
      join raw_blocks w on w.height = d.id >> 32
      where substring(w.block from d.position + 1 + case when d.id & 4095 = 0
          then ${sql.lit(TOP_NAMESPACE)} else ${sql.lit(EMBEDDED_NAMESPACE)} end for 8) = any(${namespaces.map(idBytes)}::bytea[])) l
    join transactions t on t.id = l.id
    join raw_blocks r on r.height = t.id >> 32
    order by t.id`.execute(db);
  return groupedByHeight(
    rows.map(({ id, bytes }) => {
      const { height, index } = decodeEntityId(encodeEntityNumber(BigInt(id)));
      return [height, acceptedTransaction(bytes, index)];
    }),
  );
}

/** Items by height, in their order. */
export function groupedByHeight<Item>(items: readonly (readonly [height: number, item: Item])[]): Map<number, Item[]> {
  const groups = new Map<number, Item[]>();
  for (const [height, item] of items) {
    const group = groups.get(height);
    if (group) group.push(item);
    else groups.set(height, [item]);
  }
  return groups;
}
