import { sql } from "kysely";
import { ACCOUNT_BODY } from "../../catapult/state/account.js";
import { ACCOUNT_RESTRICTIONS_BODY } from "../../catapult/state/account-restriction.js";
import { idKey } from "../../catapult/state/composite-hash.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { HASH_LOCK_BODY, SECRET_LOCK_BODY } from "../../catapult/state/lock.js";
import { METADATA_BODY } from "../../catapult/state/metadata.js";
import { MOSAIC_BODY } from "../../catapult/state/mosaic.js";
import { MOSAIC_RESTRICTION_BODY } from "../../catapult/state/mosaic-restriction.js";
import { MULTISIG_BODY } from "../../catapult/state/multisig.js";
import { ALIAS_TYPE, ETERNAL_HEIGHT, NAMESPACE_BODY, type NamespaceRow } from "../../catapult/state/namespace.js";
import { decodeState } from "../../catapult/state/state.js";
import type { StateSource } from "../../catapult/state/state-codec.js";
import { STATE } from "../../catapult/state/state-table.js";
import { rendered, type Write } from "../../catapult/values/body-writer.js";
import type { Db } from "../../database/database.js";
import { namespaces } from "../../database/queries/state-lists.js";

const BODIES: Readonly<Record<Exclude<StateKind, "namespace">, { readonly write: Write<StateSource, unknown> }>> = {
  account: ACCOUNT_BODY,
  mosaic: MOSAIC_BODY,
  multisig: MULTISIG_BODY,
  hashLock: HASH_LOCK_BODY,
  secretLock: SECRET_LOCK_BODY,
  accountRestriction: ACCOUNT_RESTRICTIONS_BODY,
  mosaicRestriction: MOSAIC_RESTRICTION_BODY,
  metadata: METADATA_BODY,
};

/**
 * The REST body of a state value; for a namespace as if it had not ended.
 * @param key that the value was requested by: of a child namespace its own, although the value is its root's
 */
export function renderState(kind: StateKind, value: Buffer, key: Buffer, id = ""): unknown {
  const source = { id: Buffer.from(id, "hex"), value: withKey(value, key) };
  if (kind !== "namespace") return JSON.parse(rendered(BODIES[kind].write, source));
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
      : rows.map((row) =>
          rendered(BODIES[kindOf(table) as keyof typeof BODIES].write, { ...row, value: withKey(row.value, row.key) }),
        );
  return texts.map((text) => JSON.parse(text));
}

const kindOf = (table: string) => STATE_KINDS.find((kind) => STATE[kind].table === table)!;
const keyColumnOf = (table: string) => STATE[kindOf(table)].keyColumn;
