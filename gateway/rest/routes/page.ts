import type { Order, Pagination } from "../../../schema/graph/page.js";
import type { JsonText } from "../../../schema/graph/scalars.js";
import type { Behaviour } from "../../compatibility/compatibility.js";
import { type Arguments, query, type Values } from "./argument.js";
import { entityId, order, pageNumber, pageSize, sortField } from "./argument-types.js";
import type { Answer } from "./route.js";

/** Arguments of every list. */
export const pageArguments = {
  pageSize: query(pageSize, "Number of entries per page."),
  pageNumber: query(pageNumber, "Page number, from 1."),
  offset: query(
    entityId,
    "Id of an entry: pages start after it, in the requested order. The totals are those of the whole list.",
  ),
  order: query(order, "Sort direction: desc begins with the newest entry."),
  orderBy: query(sortField(["id"]), "What the list is sorted by."),
} as const satisfies Arguments;

/** The selection of a list operation: a page of REST bodies. */
export const bodyPage = "{ json pagination { pageNumber pageSize totalEntries totalPages } }";

export interface BodyPage {
  readonly page: { readonly json: JsonText; readonly pagination: Pagination };
}

interface PageValues {
  readonly pageSize?: number | undefined;
  readonly pageNumber?: number | undefined;
  readonly offset?: Buffer | undefined;
  readonly order?: Order | undefined;
  readonly orderBy?: string | undefined;
}

/** Variables of a list operation: the page is one input object with the mode's defaults, the others are the filter. */
export function pageVariables(values: PageValues, { defaultPageSize, defaultOrder }: Behaviour) {
  const { pageSize = defaultPageSize, pageNumber, offset, order = defaultOrder, orderBy: _, ...filter } = values;
  return { ...filter, page: { pageSize, pageNumber, offset, order } };
}

/** The REST bodies of the entries, and the pagination. */
export function pageAnswer({ page: { json, pagination } }: BodyPage): Answer {
  return { body: json.between('{"data":', `,"pagination":${JSON.stringify(pagination)}}`) };
}

/** A JSON array of REST bodies. */
export function joinBodies(entries: readonly { readonly document: string }[]): string {
  return `[${entries.map(({ document }) => document).join(",")}]`;
}

export type PageArgumentValues = Values<typeof pageArguments>;
