/** One page of a list. */
export interface Page {
  readonly data: readonly { readonly id?: unknown }[];
  readonly pagination: { readonly pageSize: number };
}

type Query = Readonly<Record<string, unknown>>;

/**
 * All pages of a list, from the one that the query names on. Pages of a list in the order of its ids continue after the
 * last id: entries that are added meanwhile repeat none and hide none. Other orders are read by page number.
 * @param read reads one page
 */
export async function* iteratePages(read: (query: Query) => Promise<Page>, query: Query): AsyncGenerator<Page> {
  let next: Query = query;
  for (;;) {
    const page = await read(next);
    if (page.data.length > 0) yield page;
    if (page.data.length < page.pagination.pageSize) return;
    const last = page.data.at(-1)?.id;
    const isById = (query.orderBy ?? "id") === "id" && typeof last === "string";
    const { pageNumber = 1, ...others } = next;
    next = isById ? { ...others, offset: last } : { ...next, pageNumber: Number(pageNumber) + 1 };
  }
}
