import { JsonWriter, literal } from "../../catapult/json/json-writer.js";
import type { Bodies, Entry } from "../bodies/bodies.js";
import { bytesAt, nextStart, type RowOrder, type Rows } from "../rows.js";
import type { IdForm } from "./id-form.js";

/** Position of a page in its list. */
export interface Pagination {
  readonly pageNumber: number;
  readonly pageSize: number;
  /** Number of entries in the whole list, whatever the page. */
  readonly totalEntries: number;
  readonly totalPages: number;
}

/** Some entries of a list, in its order. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly pagination: Pagination;
  /** The REST bodies of the entries as one JSON array, between two texts, if available without them: see `JsonWriter.parts`. */
  readonly json?: (before: string, after: string) => readonly string[];
}

/** How the rows of a page are read. */
interface RowSource<Item extends Entry> {
  readonly idForm: IdForm;
  readonly bodies: Bodies<Item>;
}

/** The columns of a page. */
export const Column = { total: 0, id: 1, record: 2 } as const;

/** Rows from `first` to `end` (exclusive). */
interface RowRange {
  readonly first: number;
  readonly end: number;
}

/** The entries of some rows, in their order. */
export function entriesOfRows<Item extends Entry>(
  rows: Rows,
  { first, end }: RowRange,
  { idForm, bodies }: RowSource<Item>,
): readonly Item[] {
  return Array.from({ length: end - first }, (_, place) => {
    const row = first + place;
    const bytes = rows.bytes(row);
    return bodies.entry(idForm.read(bytes, rows.start(row, Column.id)), bytes, rows.start(row, Column.record));
  });
}

/** By id: stored ids sort like their bytes. The row of the total, whose id is null, is the last one. */
export const ascending: RowOrder = (a, startOfA, b, startOfB) => {
  const [idOfA, idOfB] = [bytesAt(a, nextStart(a, startOfA)), bytesAt(b, nextStart(b, startOfB))];
  if (!idOfA || !idOfB) return idOfA ? -1 : 1;
  return idOfA.compare(idOfB);
};
/** The same in the opposite order: the row of the total is the first one. */
export const descending: RowOrder = (a, startOfA, b, startOfB) => ascending(b, startOfB, a, startOfA);

const LIST_START = literal("[");
const NEXT = literal(",");
const LIST_END = literal("]");
const shared = new JsonWriter();

/** A page whose entries are created only if they are accessed. */
export class EntryPage<Item extends Entry> implements Page<Item> {
  readonly pagination: Pagination;
  readonly #rows: Rows;
  readonly #range: RowRange;
  readonly #source: RowSource<Item>;
  #data: readonly Item[] | undefined;

  constructor(rows: Rows, range: RowRange, source: RowSource<Item>, pagination: Pagination) {
    this.#rows = rows;
    this.#range = range;
    this.#source = source;
    this.pagination = pagination;
  }

  get data(): readonly Item[] {
    this.#data ??= entriesOfRows(this.#rows, this.#range, this.#source);
    return this.#data;
  }

  json(before: string, after: string): readonly string[] {
    const rows = this.#rows;
    const { first, end } = this.#range;
    const { write } = this.#source.bodies;
    shared.clear();
    shared.json(before);
    shared.literal(LIST_START);
    for (let row = first; row < end; ++row) {
      if (row > first) shared.literal(NEXT);
      write(shared, rows.bytes(row), rows.start(row, Column.record));
    }
    shared.literal(LIST_END);
    shared.json(after);
    return shared.parts();
  }
}
