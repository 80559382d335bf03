import { sql } from "kysely";
import { sha3 } from "../../catapult/entity/hashes.js";
import { inactiveReason } from "../../catapult/state/end.js";
import { STATE_KINDS } from "../../catapult/state/kind.js";
import { decodeState } from "../../catapult/state/state.js";
import { stateKindOf } from "../../database/queries/state.js";
import { keyInColumn } from "../../database/queries/state-entries.js";
import { readKept } from "../../indexer/state/kept.js";
import { STATE_TABLES } from "../../indexer/state/tables.js";
import { leafRemains } from "../../ledger/engine/omitted-part.js";
import type { IndexedDatabase } from "./indexer-fixture.js";

/** Kinds and positions of the entries that are marked as unproven. */
export async function marked({ db }: IndexedDatabase): Promise<string[]> {
  const rows = await db.selectFrom("unproven_states").selectAll().where("changed_height", "is", null).execute();
  return rows.map(({ kind, position }) => `${stateKindOf(kind)} ${position.toString("hex")}`).sort();
}

const hexOf = (value: Buffer) => value.toString("hex");

/** The same of the entries of state trees whose values are others than in an index with the right rules. */
export async function wrongEntries(
  index: IndexedDatabase,
  reference: IndexedDatabase,
  height: number,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const kind of STATE_KINDS) {
    const { table, keyColumn } = STATE_TABLES[kind];
    const read = async ({ db }: IndexedDatabase) => {
      const { rows } = await sql<{ key: Buffer; value: Buffer }>`
        select ${sql.ref(keyColumn)} as key, value from ${sql.table(table)} where value is not null`.execute(db);
      const kept = (await readKept(db, kind)).filter(({ history }) => leafRemains(kind, history));
      const remaining = new Set(kept.map(({ key }) => key.toString("hex")));
      const inTree = new Map(
        kept.flatMap(({ key, value }): [string, string][] => (value ? [[key.toString("hex"), hexOf(value)]] : [])),
      );
      for (const { key, value } of rows) {
        const name = keyInColumn(kind, key).toString("hex");
        const isActive = inactiveReason(kind, decodeState(kind, value), height) === undefined;
        if (isActive || remaining.has(name)) inTree.set(name, hexOf(value));
      }
      return inTree;
    };
    const [ours, theirs] = [await read(index), await read(reference)];
    for (const key of new Set([...ours.keys(), ...theirs.keys()])) {
      if (ours.get(key) !== theirs.get(key)) wrong.push(`${kind} ${sha3(Buffer.from(key, "hex")).toString("hex")}`);
    }
  }
  return wrong.sort();
}
