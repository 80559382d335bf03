import { encodeEntityId, MAX_HEIGHT } from "../../catapult/json/entity-id.js";
import { JsonWriter, literal } from "../../catapult/values/json-writer.js";
import { type Columns, int8, nullable } from "../binary/rows.js";
import { type Bodies, type Entry, rowsWith } from "../bodies/bodies.js";
import type { IdForm } from "../bodies/id-form.js";
import type { Db } from "../database.js";
import { type BoundArguments, Statement } from "../statement.js";
import { SKIP_POINTER_STEP } from "./collections.js";
import type { IdRange, Order, PageRequest } from "./list.js";
import {
  type EntryTable,
  type PageArguments,
  type RunArguments,
  type Selected,
  statementOfPage,
  statementOfRun,
} from "./page-statement.js";

/** Maximum number of entries per page in all interfaces. */
export const MAX_PAGE_SIZE = 100;

/** Entries up to the end of a page that is found by a skip pointer at most, as a power of two. */
const MIN_LIMIT = 256;

export type { Entry } from "../bodies/bodies.js";

/** Heights of a search: one height, or an inclusive range. All given conditions must match. */
export interface HeightFilter {
  readonly height?: number | undefined;
  readonly fromHeight?: number | undefined;
  readonly toHeight?: number | undefined;
}

/** Ids begin with the height, so a range of heights is a range of ids. Empty if the conditions exclude each other. */
export function idsOfHeights({ height, fromHeight, toHeight }: HeightFilter): IdRange {
  const from = Math.max(fromHeight ?? 0, height ?? 0);
  const to = Math.min(toHeight ?? MAX_HEIGHT, height ?? MAX_HEIGHT);
  return {
    from: height === undefined && fromHeight === undefined ? undefined : encodeEntityId(Math.min(from, MAX_HEIGHT)),
    to:
      height === undefined && toHeight === undefined
        ? undefined
        : encodeEntityId(Math.min(to, MAX_HEIGHT), 2 ** 32 - 1, 2 ** 24 - 1),
  };
}

/**
 * Does not compile where a query leaves out a condition of its filter, which it would ignore: `others` is what is left
 * of the filter after all conditions were named, as in `const { address, types, ...others } = filter`.
 */
export function noOthers(_others: Readonly<Record<string, never>>): void {}

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

/** Entries after an offset, in the requested order. */
export interface RunRequest {
  /** Maximum number of entries. */
  readonly first: number;
  readonly order: Order;
  /** 12 bytes. */
  readonly offset?: Buffer | undefined;
}

/** A row of a page: an entry, or the total. */
interface PageRow {
  readonly total: number | bigint | null;
  readonly id: unknown;
}

/**
 * The lists of the entries of a table, in the order of their ids: one for each filter.
 *
 * Cases of a page, by the number of entries before it (after the offset or the end of the range, in the requested order):
 * - at most SKIP_POINTER_STEP, or the list is not counted: the index is walked from there;
 * - more: the page's ordinals are computed, and the index is walked from a skip pointer (or the start of a bucket)
 *   below them. The total is a counter; within a range it is the difference of two ranks, each found by a skip pointer.
 */
export class Lists<Filter, Item extends Entry = Entry> {
  readonly #bodies: Bodies<Item>;
  readonly #page: Statement<PageArguments<Filter>, Columns>;
  readonly #run: Statement<RunArguments<Filter>, Columns>;

  /** @param select which entries match a filter, of which it sees parameters and not the values */
  constructor(
    of: EntryTable & { readonly bodies: Bodies<Item> },
    select: (filter: BoundArguments<Filter>) => Selected,
  ) {
    const { bodies } = of;
    this.#bodies = bodies;
    this.#page = new Statement(rowsWith(bodies, { total: nullable(int8) }), (args) =>
      statementOfPage(of, select(args.filter), args),
    );
    this.#run = new Statement(rowsWith(bodies, {}), (args) => statementOfRun(of, select(args.filter), args));
  }

  /** One page, its entries and its exact total, in one statement and so from one snapshot. */
  async readPage(db: Db, filter: Filter, request: PageRequest, range: IdRange = {}): Promise<Page<Item>> {
    const { order, pageSize } = request;
    if (request.isWithoutTotal) {
      const data = await this.readRun(db, filter, { ...request, first: pageSize }, range);
      return { data, pagination: describePage(request, Number.NaN) };
    }
    const skip = (request.pageNumber - 1) * pageSize;
    const args = {
      ...{ filter, order, skip, count: pageSize },
      ...{ isFar: skip > SKIP_POINTER_STEP, limit: atMost(skip + pageSize) },
      ...positionsOf(this.#bodies.ids, request, range),
    };
    const rows = (await this.#page.read(db, args)) as unknown as readonly PageRow[];
    const isTotal = ({ total }: PageRow) => total !== null;
    const total = Number(rows.find(isTotal)?.total ?? 0);
    const entries = rows.filter((row) => !isTotal(row));
    return new EntryPage(entries, this.#bodies, describePage(request, total));
  }

  /** Entries without their total: the next ones cost the same at any depth, so that a whole list can be read. */
  async readRun(db: Db, filter: Filter, request: RunRequest, range: IdRange = {}): Promise<readonly Item[]> {
    const { first, order } = request;
    const positions = positionsOf(this.#bodies.ids, request, range);
    const rows = await this.#run.read(db, { filter, order, count: first, limit: atMost(first), ...positions });
    return rows.map((row) => this.#bodies.entry(row));
  }
}

function positionsOf(
  ids: IdForm,
  { offset, order }: { readonly offset?: Buffer | undefined; readonly order: Order },
  { from, to }: IdRange,
) {
  return {
    low: from && ids.from(from),
    high: to && ids.after(to),
    edge: offset && (order === "asc" ? ids.after(offset) : ids.from(offset)),
  };
}

/** Enough for this number of entries. It is part of the text, so that the planner knows how few they are. */
function atMost(entries: number): string {
  return String(Math.max(MIN_LIMIT, 2 ** Math.ceil(Math.log2(entries))));
}

/** The pagination fields of a list of `totalEntries`. */
export function describePage(request: PageRequest, totalEntries: number): Pagination {
  const { pageNumber, pageSize } = request;
  return { pageNumber, pageSize, totalEntries, totalPages: Math.ceil(totalEntries / pageSize) };
}

const LIST_START = literal("[");
const NEXT = literal(",");
const LIST_END = literal("]");

/** A page whose entries are created only if they are accessed. */
class EntryPage<Item extends Entry> implements Page<Item> {
  readonly pagination: Pagination;
  readonly #rows: readonly PageRow[];
  readonly #bodies: Bodies<Item>;
  #data: readonly Item[] | undefined;

  constructor(rows: readonly PageRow[], bodies: Bodies<Item>, pagination: Pagination) {
    this.#rows = rows;
    this.#bodies = bodies;
    this.pagination = pagination;
  }

  get data(): readonly Item[] {
    this.#data ??= this.#rows.map((row) => this.#bodies.entry(row));
    return this.#data;
  }

  json(before: string, after: string): readonly string[] {
    writer.clear();
    writer.json(before);
    writer.literal(LIST_START);
    for (const [position, row] of this.#rows.entries()) {
      if (position > 0) writer.literal(NEXT);
      this.#bodies.write(writer, row);
    }
    writer.literal(LIST_END);
    writer.json(after);
    return writer.parts();
  }
}

/** Of the page that is being written: a larger one for each would cost more than the bodies. */
const writer = new JsonWriter();
