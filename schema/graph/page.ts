import type { ObjectRef } from "@pothos/core";
import { formatEntityId } from "../../catapult/json/entity-id.js";
import type { Db } from "../../database/database.js";
import type { Order, PageRequest } from "../../database/lists/list.js";
import { type Entry, MAX_PAGE_SIZE, type Page, type Pagination } from "../../database/lists/page.js";
import { invalidArgument } from "../errors/errors.js";
import { type ArgumentsOf, given } from "./arguments.js";
import { builder, type SchemaTypes } from "./builder.js";
import { members } from "./members.js";
import { JsonText } from "./scalars.js";

export type { Order } from "../../database/lists/list.js";
export type { Pagination } from "../../database/lists/page.js";

/** Page sizes in every interface. */
export const pageSizes = { min: 10, max: MAX_PAGE_SIZE, default: 10 } as const;

/** Maximum page number: a GraphQL Int. */
export const MAX_PAGE_NUMBER = 2 ** 31 - 1;

export const OrderType = builder.enumType("Order", {
  description: "Sort direction of a list; ids sort like the chain.",
  values: {
    asc: { value: "asc", description: "Oldest first." },
    desc: { value: "desc", description: "Newest first." },
  } as const,
});

/** A page of a list by number. */
export interface PageArguments {
  readonly pageNumber?: number | null | undefined;
  readonly pageSize?: number | null | undefined;
  readonly order?: Order | null | undefined;
  readonly offset?: Buffer | null | undefined;
}

export const PageInput = builder.inputRef<PageArguments>("PageInput").implement({
  description: "Selects a page of a list by its number.",
  fields: (t) => ({
    pageNumber: t.int({ defaultValue: 1, description: "From 1." }),
    pageSize: t.int({
      defaultValue: pageSizes.default,
      description: `Entries per page: ${pageSizes.min} to ${pageSizes.max}.`,
    }),
    order: t.field({ description: "Sort direction; desc by default.", type: OrderType, defaultValue: "desc" }),
    offset: t.field({
      type: "EntityId",
      description: "Id of an entry: pages start after it, in the requested order; totals are those of the whole list.",
    }),
  }),
});

/** The selected entries of a list: a page by its number, or entries after a cursor. */
export interface ListArguments {
  readonly page?: PageArguments | null | undefined;
  readonly first?: number | null | undefined;
  readonly after?: Buffer | null | undefined;
  readonly order?: Order | null | undefined;
}

/** The arguments of every list. */
export const listArguments = builder.args((t) => ({
  page: t.field({
    description: `By number; ${pageSizes.default} entries of the first page by default.`,
    type: PageInput,
  }),
  first: t.int({
    description: `In place of page: at most N entries, 1 to ${pageSizes.max}; ${pageSizes.default} by default with after.`,
  }),
  after: t.field({ type: "EntityId", description: "In place of page: cursor of the entry after which to start." }),
  order: t.field({ type: OrderType, description: "Sort direction with first and after; desc by default." }),
}));

/** A page of a list, and whether more entries follow. */
export interface ListPage<T> extends Omit<Page<T>, "pagination"> {
  readonly readPagination: () => Pagination | Promise<Pagination>;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** The arguments of a list, and the other ones. */
export function splitArguments<Arguments extends ListArguments>({ page, first, after, order, ...filter }: Arguments) {
  return { list: { page, first, after, order }, filter };
}

/**
 * Reads the selected entries of a list.
 * @param search returns a page; not called if the arguments are invalid
 * @throws ApiError InvalidArgument naming the argument that is out of range
 */
export async function readList<T extends Entry>(
  list: ListArguments,
  search: (request: PageRequest) => Promise<Page<T>>,
): Promise<ListPage<T>> {
  const { page: input, first, after, order } = list;
  if (first == null && after == null) {
    if (order != null) throw invalidArgument("order is for first and after only; a page has its own order");
    const request = toPageRequest(input);
    const page = await search(request);
    return new NumberedPage(page, request);
  }
  if (input != null) throw invalidArgument("page must not be given together with first or after");
  return readAfterCursor({ first: first ?? pageSizes.default, after, order }, search);
}

/**
 * Reads the selected entries of a list, whose filter are the other arguments: one that the filter does not have is a
 * compile error.
 * @param database not called if the arguments are invalid
 * @throws ApiError InvalidArgument naming the argument that is out of range
 */
export async function searchList<Filter, Arguments extends ListArguments, T extends Entry>(
  search: (db: Db, filter: Filter, request: PageRequest) => Promise<Page<T>>,
  args: Arguments & ArgumentsOf<Arguments, Filter & ListArguments>,
  database: () => Db | Promise<Db>,
): Promise<ListPage<T>> {
  const { list, filter } = splitArguments(args);
  return readList(list, async (request) => search(await database(), given(filter) as Filter, request));
}

/** One more entry is read than returned: it shows whether there is a next page. The total is read if it is requested. */
async function readAfterCursor<T extends Entry>(
  { first, after, order }: { first: number; after?: Buffer | null | undefined; order?: Order | null | undefined },
  search: (request: PageRequest) => Promise<Page<T>>,
): Promise<ListPage<T>> {
  if (first < 1 || first > pageSizes.max) {
    throw invalidArgument(`first must be from 1 to ${pageSizes.max}, not ${first}`);
  }
  const request = { pageNumber: 1, pageSize: first + 1, order: order ?? "desc", offset: after ?? undefined };
  const { data } = await search({ ...request, isWithoutTotal: true });
  const readPagination = async () => {
    const { totalEntries } = (await search({ ...request, pageSize: 1 })).pagination;
    return { pageNumber: 1, pageSize: first, totalEntries, totalPages: Math.ceil(totalEntries / first) };
  };
  return {
    data: data.slice(0, first),
    readPagination,
    hasNextPage: data.length > first,
    hasPreviousPage: after != null,
  };
}

/**
 * A page found by its number. Rows are parsed on access only. A class, because getters of an object literal create a
 * hidden class per object, which keeps the rows until the next full garbage collection.
 */
class NumberedPage<T extends Entry> implements ListPage<T> {
  readonly #page: Page<T>;
  readonly #request: PageRequest;

  constructor(page: Page<T>, request: PageRequest) {
    this.#page = page;
    this.#request = request;
  }

  readPagination(): Pagination {
    return this.#page.pagination;
  }

  get data(): readonly T[] {
    return this.#page.data;
  }

  get json() {
    return this.#page.json?.bind(this.#page);
  }

  /** With an offset, the number of entries after it is unknown: then a full page counts as having a next one. */
  get hasNextPage(): boolean {
    const { offset, pageSize, pageNumber } = this.#request;
    return offset ? this.data.length === pageSize : pageNumber < this.#page.pagination.totalPages;
  }

  get hasPreviousPage(): boolean {
    return this.#request.pageNumber > 1 || this.#request.offset !== undefined;
  }
}

/**
 * The request for a page, with defaults for absent values.
 * @throws ApiError InvalidArgument naming the argument that is out of range
 */
function toPageRequest(page: PageArguments | null | undefined): PageRequest {
  const pageNumber = page?.pageNumber ?? 1;
  const pageSize = page?.pageSize ?? pageSizes.default;
  if (pageNumber < 1) throw invalidArgument(`pageNumber must be at least 1, not ${pageNumber}`);
  if (pageSize < pageSizes.min || pageSize > pageSizes.max) {
    throw invalidArgument(`pageSize must be from ${pageSizes.min} to ${pageSizes.max}, not ${pageSize}`);
  }
  return { pageNumber, pageSize, order: page?.order ?? "desc", offset: page?.offset ?? undefined };
}

const PaginationType = builder.objectRef<Pagination>("Pagination").implement({
  description: "Position of a page in its list.",
  fields: (t) =>
    members(t, {
      pageNumber: ["Int", "From 1."],
      pageSize: ["Int", "Number of entries per page."],
      totalEntries: ["SafeInt", "Number of entries in the whole list."],
      totalPages: ["SafeInt", "Number of pages of this size."],
    }),
});

/** Where a list continues, as in Relay. */
interface PageInfo {
  readonly startCursor: string | undefined;
  readonly endCursor: string | undefined;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

export const PageInfoType = builder.objectRef<PageInfo>("PageInfo").implement({
  description: "Whether a list continues, and from which cursor.",
  fields: (t) =>
    members(t, {
      startCursor: ["String?", "Cursor of the first entry."],
      endCursor: ["String?", "Cursor of the last entry, to be used as after."],
      hasNextPage: ["Boolean", "Whether there are entries after these."],
      hasPreviousPage: ["Boolean", "Whether there may be entries before these."],
    }),
});

const cursorOf = ({ id }: Entry) => formatEntityId(id);

/** The type of a page of a list. */
export function pageType<Item extends Entry>(name: string, item: ObjectRef<SchemaTypes, Item>) {
  const Edge = builder.objectRef<Item>(name.replace(/Page$/, "Edge")).implement({
    description: "An entry of a list with its cursor.",
    fields: (t) => ({
      cursor: t.string({ description: "Cursor of the entry, to be used as after: its id.", resolve: cursorOf }),
      // Pothos cannot infer that a type parameter is not a list.
      node: t.field({ description: "The entry.", type: item, resolve: (entry) => entry as never }),
    }),
  });
  return builder.objectRef<ListPage<Item>>(name).implement({
    description: "A page of a list.",
    fields: (t) => ({
      data: t.field({
        description: "The entries.",
        type: [item],
        resolve: (page) => page.data,
      }),
      edges: t.field({
        description: "The entries with their cursors.",
        type: [Edge],
        resolve: (page) => page.data,
      }),
      pageInfo: t.field({
        description: "Whether the list continues, and from which cursor.",
        type: PageInfoType,
        resolve: pageInfo,
      }),
      body: t.field({
        type: "JSON",
        description: "The REST bodies of the entries, in a list.",
        resolve: bodyOfPage,
      }),
      pagination: t.field({
        description: "Length of the list and position of the page.",
        type: PaginationType,
        resolve: (page) => page.readPagination(),
      }),
    }),
  });
}

function bodyOfPage(page: ListPage<Entry>): JsonText {
  return new JsonText(page.json ?? `[${page.data.map(({ body }) => body).join(",")}]`);
}

function pageInfo({ data, hasNextPage, hasPreviousPage }: ListPage<Entry>): PageInfo {
  const [first] = data;
  const last = data.at(-1);
  return {
    startCursor: first && cursorOf(first),
    endCursor: last && cursorOf(last),
    hasNextPage,
    hasPreviousPage,
  };
}
