import { type RawBuilder, sql } from "kysely";
import type { StateSource } from "../../catapult/state/state-codec.js";
import type { Write } from "../../catapult/values/body-writer.js";
import { bytea, type Columns } from "../binary/rows.js";
import { type Bodies, RenderedEntry } from "./bodies.js";
import { BYTE_IDS, type IdForm } from "./id-form.js";

/** Bodies that are written from rows of state, which have their id. @param values as in `Bodies` */
export function rowBodies<Row extends { readonly id: Buffer }>(
  write: Write<Row, unknown>,
  columns: Columns,
  stored: readonly string[],
  values: Readonly<Record<string, RawBuilder<unknown>>> = {},
): Bodies {
  const bodies: Bodies<RenderedEntry<Row>, Row> = {
    ...{ ids: BYTE_IDS as IdForm, columns, values, stored },
    entry: (row) => new RenderedEntry(row.id, write, row),
    write: (writer, row) => void write(writer, row, 0),
  };
  return bodies as Bodies;
}

/** Bodies that are written from the bytes of state values. @param keyColumn the column with the key, if they show it */
export function stateBodies({ write }: { readonly write: Write<StateSource, unknown> }, keyColumn?: string): Bodies {
  if (keyColumn === undefined) return rowBodies(write, { value: bytea }, ["value"]);
  return rowBodies(write, { value: bytea }, ["value", keyColumn], {
    value: sql`d.value || ${sql.ref(`d.${keyColumn}`)}`,
  });
}
