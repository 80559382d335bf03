import { type RawBuilder, sql } from "kysely";
import { readValue, rendered, type Write } from "../../catapult/values/body-writer.js";
import type { JsonWriter } from "../../catapult/values/json-writer.js";
import { type Columns, type ColumnType, RowType } from "../binary/rows.js";
import type { IdForm } from "./id-form.js";

/** An entry of a list with its id (12 bytes) and its REST body as JSON text. */
export interface Entry {
  readonly id: Buffer;
  readonly body: string;
  /** The body as an object, if that is to be had without its text. */
  readonly view?: unknown;
}

/** How the REST bodies of a table's entries are read: in rows that have the id and the columns. */
export interface Bodies<Item extends Entry = Entry, Row = unknown> {
  readonly ids: IdForm;
  /** What a body is rendered from besides the id, by name and type. */
  readonly columns: Columns;
  /** Expressions over the row `d` of the entry, and `r` of its block; a column without one is that of the table. */
  readonly values: Readonly<Record<string, RawBuilder<unknown>>>;
  /** The columns of the table that all of this is read from, besides the id. */
  readonly stored: readonly string[];
  /** Selects the row `r` for a row `d`: what is read of the block, whose row is so read once. */
  readonly block?: RawBuilder<unknown>;
  entry(row: Row): Item;
  /** Writes the body of a row. */
  write(writer: JsonWriter, row: Row): void;
}

/** Rows with bodies: the id, after `before`. */
export function rowsWith<Before extends Columns>(
  bodies: Bodies,
  before: Before,
): RowType<Before & { readonly id: ColumnType<unknown> } & Columns> {
  return new RowType({ ...before, id: bodies.ids.type, ...bodies.columns });
}

/** The columns of {@link rowsWith} without `before`, of the row `d`, whose id is `id`. */
export function selected({ columns, values }: Bodies, id: RawBuilder<unknown>): RawBuilder<unknown> {
  const rest = Object.keys(columns).map((name) => sql`${values[name] ?? sql.ref(`d.${name}`)} as ${sql.ref(name)}`);
  return sql.join([sql`${id} as id`, ...rest]);
}

/** Joins the row `r` of what is selected. `offset 0` keeps the planner from joining all blocks with all rows. */
export function joinedBlock({ block }: Bodies): RawBuilder<unknown> {
  return block ? sql`cross join lateral (${block} offset 0) r` : sql``;
}

/** An entry whose body is rendered when it is requested. */
export class RenderedEntry<Source> implements Entry {
  readonly id: Buffer;
  protected readonly source: Source;
  readonly #write: Write<Source, unknown>;
  #body: string | undefined;
  #view: unknown;

  constructor(id: Buffer, write: Write<Source, unknown>, source: Source) {
    this.id = id;
    this.#write = write;
    this.source = source;
  }

  get body(): string {
    this.#body ??= rendered(this.#write, this.source);
    return this.#body;
  }

  /** The body as an object, whose members are read from the bytes when they are accessed. */
  get view(): unknown {
    this.#view ??= readValue(this.#write, this.source);
    return this.#view;
  }
}
