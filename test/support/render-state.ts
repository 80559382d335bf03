import { sql } from "kysely";
import { idKey } from "../../catapult/state/composite-hash.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { ALIAS_TYPE, ETERNAL_HEIGHT, NAMESPACE_BODY, type NamespaceRow } from "../../catapult/state/namespace.js";
import { decodeState } from "../../catapult/state/state.js";
import type { StateSource } from "../../catapult/state/state-codec.js";
import { STATE } from "../../catapult/state/state-table.js";
import { rendered, type Write } from "../../catapult/values/body-writer.js";
import type { Db } from "../../database/database.js";
import { namespaces } from "../../database/queries/state-lists.js";

const writerOf = (kind: StateKind) => STATE[kind].body.write as Write<StateSource, unknown>;

/**
 * The REST body of a state value; for a namespace as if it had not ended.
 * @param key that the value was requested by: of a child namespace its own, although the value is its root's
 */
export function renderState(kind: StateKind, value: Buffer, key: Buffer, id = ""): unknown {
  const source = { id: Buffer.from(id, "hex"), value: withKey(value, key) };
  if (kind !== "namespace") return JSON.parse(rendered(writerOf(kind), source));
  const root = decodeState(kind, value);
  const entry = root.entries.find((one) => one.id === key.readBigUInt64LE());
  if (!entry) throw new Error(`The root's value has no namespace ${key.toString("hex")}`);
  const { alias, path } = entry;
  const row: NamespaceRow = {
    ...{ id: source.id, levels: Buffer.concat(path.map(idKey)), aliasType: ALIAS_TYPE[alias.kind] },
    alias: alias.kind === "mosaic" ? idKey(alias.mosaicId) : alias.kind === "address" ? alias.address : null,
    ...{ ownerAddress: root.ownerAddress, startHeight: root.startHeight, active: true, index: 0 },
    endHeight: root.endHeight === ETERNAL_HEIGHT ? null : root.endHeight,
  };
  return JSON.parse(rendered(NAMESPACE_BODY.write, row));
}

/** What bodies are written from: those without a composite hash do not read the key. */
const withKey = (value: Buffer, key: Buffer) => (key.length === 32 ? Buffer.concat([value, key]) : value);

/** The REST bodies of all rows of a table of state, in the order of their ids. */
// biome-ignore lint/suspicious/noExplicitAny: the tests know which members they read
export async function bodiesOfTable(db: Db, table: string): Promise<any[]> {
  const { rows } = await sql<StateSource & { readonly key: Buffer }>`
    select id, value, ${sql.ref(table === "namespaces" ? "namespace_id" : keyColumnOf(table))} as key
    from ${sql.table(table)} order by id`.execute(db);
  const texts =
    table === "namespaces"
      ? (
          await namespaces.find(
            db,
            rows.map(({ key }) => key.readBigUInt64BE()),
          )
        ).map(({ body }) => body)
      : rows.map((row) => rendered(writerOf(kindOf(table)), { ...row, value: withKey(row.value, row.key) }));
  return texts.map((text) => JSON.parse(text));
}

const kindOf = (table: string) => STATE_KINDS.find((kind) => STATE[kind].table === table)!;
const keyColumnOf = (table: string) => STATE[kindOf(table)].keyColumn;
