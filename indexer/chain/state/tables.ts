import { ADDRESS_SIZE } from "../../../catapult/entity/address.js";
import { keyOfState } from "../../../catapult/state/key.js";
import type { StateKind } from "../../../catapult/state/kind.js";
import { ALIAS_TYPE, ETERNAL_HEIGHT } from "../../../catapult/state/namespace.js";
import type { StateByKind } from "../../../catapult/state/state.js";
import { STATE } from "../../../catapult/state/state-table.js";
import type { Fields } from "../../../catapult/values/struct.js";
import { idKey } from "../../../database/lists/collections.js";
import { keyInColumn } from "../../../database/queries/state-entries.js";
import type { EarlierEnds } from "../step/registrations.js";

/** A row by column. */
export type Columns = Readonly<Record<string, unknown>>;

/** What the rows of a state value show besides it. */
export interface RowContext {
  /** For the account of the rows: data that are not in its value. */
  readonly history: Buffer | undefined;
  /** Of a root namespace: the ends of its earlier registrations, as far as the chain shows. */
  readonly earlierEnds: EarlierEnds;
}

/** The rows of a state value: a column for each field that has one, and those that are more than a field. */
export function rowsOf<K extends StateKind>(
  kind: K,
  state: StateByKind[K],
  value: Buffer,
  context: RowContext,
): Columns[] {
  if (kind === "namespace") return namespaceRows(state as StateByKind["namespace"], value, context);
  const { fields, keyColumn } = STATE[kind];
  const columns: Record<string, unknown> = { value, [keyColumn]: keyInColumn(kind, keyOfState(kind, state)) };
  for (const [name, field] of Object.entries(fields as Fields)) {
    if (!("column" in field)) continue;
    const own = state[name as keyof StateByKind[K]] ?? null;
    columns[field.column as string] = "isId" in field && own !== null ? idKey(own as bigint) : own;
  }
  return [{ ...columns, ...OWN_COLUMNS[kind]?.(state, context) }];
}

/** The columns that are more than a field. */
const OWN_COLUMNS: { readonly [K in StateKind]?: (state: StateByKind[K], context: RowContext) => Columns } = {
  account: ({ supplementalPublicKeys: { linked } }, { history }) => ({
    linked_public_key: linked ?? null,
    history: history ?? null,
  }),
  mosaic: ({ startHeight, duration }) => ({
    end_height: duration === 0n ? null : heightOrNull(BigInt(startHeight) + duration),
  }),
  accountRestriction: ({ restrictions }) => ({
    restriction_flags: restrictions.flatMap(({ flags, values }) => values.map(() => flags)),
    // Addresses, or ids and types in little-endian order.
    restricted_values: restrictions.flatMap(({ values }) =>
      values.map((one) => (one.length === ADDRESS_SIZE ? one : Buffer.from(one).reverse())),
    ),
  }),
  mosaicRestriction: ({ restrictions }) => {
    const rules = restrictions.flatMap((one) => ("restriction" in one ? [one.restriction] : []));
    return {
      restriction_keys: restrictions.map(({ key }) => key),
      restriction_values: restrictions.map((one) => ("value" in one ? one.value : one.restriction.restrictionValue)),
      restriction_types: rules.map(({ restrictionType }) => restrictionType),
      reference_mosaic_ids: rules.map(({ referenceMosaicId }) => idKey(referenceMosaicId)),
    };
  },
};

/** A row for each namespace of a root. */
function namespaceRows(root: StateByKind["namespace"], value: Buffer, { earlierEnds }: RowContext): Columns[] {
  return root.entries.map(({ id, path, alias }) => {
    const [level0, level1, level2] = path.map(idKey);
    return {
      namespace_id: idKey(id),
      level0,
      level1: level1 ?? null,
      level2: level2 ?? null,
      registration_type: level1 ? 1 : 0,
      alias_type: ALIAS_TYPE[alias.kind],
      alias_mosaic_id: alias.kind === "mosaic" ? idKey(alias.mosaicId) : null,
      alias_address: alias.kind === "address" ? alias.address : null,
      owner_address: root.ownerAddress,
      start_height: root.startHeight,
      end_height: root.endHeight === ETERNAL_HEIGHT ? null : heightOrNull(root.endHeight),
      earlier_end_heights: earlierEnds(root),
      value: level1 ? null : value,
    };
  });
}

/** A height that no chain will reach counts as none. */
function heightOrNull(height: bigint): number | null {
  return height > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(height);
}
