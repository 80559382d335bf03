import type { ObjectRef } from "@pothos/core";
import { builder, type SchemaTypes } from "./builder.js";
import { type Entry, MAX_PAGE_SIZE, type Order, type Page, type PageRequest, type Pagination } from "./db/page.js";
import { invalidArgument } from "./errors.js";

/** Entries on a page. */
export const pageSizes = { min: 10, max: MAX_PAGE_SIZE, default: 10 } as const;

/** Greatest page number: a GraphQL Int. */
export const MAX_PAGE_NUMBER = 2 ** 31 - 1;

export const OrderType = builder.enumType("Order", {
  description: "Direction of a list; ids sort like the chain.",
  values: {
    asc: { value: "asc", description: "Oldest first." },
    desc: { value: "desc", description: "Newest first." },
  } as const,
});

/** Which page of a list. */
export interface PageArguments {
  readonly pageNumber?: number | null | undefined;
  readonly pageSize?: number | null | undefined;
  readonly order?: Order | null | undefined;
  readonly offset?: Buffer | null | undefined;
}

export const PageInput = builder.inputRef<PageArguments>("PageInput").implement({
  description: "Which page of a list.",
  fields: (t) => ({
    pageNumber: t.int({ defaultValue: 1, description: "From 1." }),
    pageSize: t.int({ defaultValue: pageSizes.default, description: `${pageSizes.min} to ${pageSizes.max} entries.` }),
    order: t.field({ type: OrderType, defaultValue: "desc" }),
    offset: t.field({
      type: "EntityId",
      description:
        "Pages are counted from behind the entry with this id, in the asked order; totals stay those of the whole list.",
    }),
  }),
});

/**
 * The request for a page, with defaults for what was not given.
 * @throws ApiError InvalidArgument naming the argument that is out of range
 */
export function toPageRequest(page: PageArguments | null | undefined): PageRequest {
  const pageNumber = page?.pageNumber ?? 1;
  const pageSize = page?.pageSize ?? pageSizes.default;
  if (pageNumber < 1) throw invalidArgument(`pageNumber must be at least 1, not ${pageNumber}`);
  if (pageSize < pageSizes.min || pageSize > pageSizes.max) {
    throw invalidArgument(`pageSize must be from ${pageSizes.min} to ${pageSizes.max}, not ${pageSize}`);
  }
  return { pageNumber, pageSize, order: page?.order ?? "desc", offset: page?.offset ?? undefined };
}

const PaginationType = builder.objectRef<Pagination>("Pagination").implement({
  description: "Where a page stands in its list.",
  fields: (t) => ({
    pageNumber: t.exposeInt("pageNumber"),
    pageSize: t.exposeInt("pageSize"),
    totalEntries: t.expose("totalEntries", { type: "SafeInt", description: "Entries of the whole list." }),
    totalPages: t.expose("totalPages", { type: "SafeInt" }),
  }),
});

/** The type of a page of a list. */
export function pageType<Item extends Entry>(name: string, item: ObjectRef<SchemaTypes, Item>) {
  return builder.objectRef<Page<Item>>(name).implement({
    description: "A page of a list.",
    fields: (t) => ({
      data: t.field({ type: [item], resolve: (page) => page.data }),
      documents: t.field({
        type: ["String"],
        description: "The REST bodies of the entries as JSON text.",
        resolve: (page) => page.documents ?? page.data.map(({ document }) => document),
      }),
      pagination: t.field({ type: PaginationType, resolve: (page) => page.pagination }),
    }),
  });
}
