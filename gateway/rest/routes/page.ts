import type { Order, Pagination } from "../../../schema/graph/page.js";
import type { Behaviour } from "../../compatibility/compatibility.js";
import { type Arguments, query, type Values } from "./argument.js";
import { entityId, order, pageNumber, pageSize, sortField } from "./argument-types.js";
import { encodeDocumentList } from "./document-list.js";
import type { Answer } from "./route.js";

/** Arguments of every list. */
export const pageArguments = {
  pageSize: query(pageSize, "Entries on a page."),
  pageNumber: query(pageNumber, "Which page, from 1."),
  offset: query(
    entityId,
    "Id of an entry: pages are counted from behind it in the asked order. The totals stay those of the whole list.",
  ),
  order: query(order, "Direction: desc begins with the newest entry."),
  orderBy: query(sortField(["id"]), "What the list is sorted by."),
} as const satisfies Arguments;

/** What an operation of a list selects: a page of documents. */
export const documentPage = "{ documents pagination { pageNumber pageSize totalEntries totalPages } }";

export interface DocumentPage {
  readonly page: { readonly documents: readonly string[]; readonly pagination: Pagination };
}

interface PageValues {
  readonly pageSize?: number | undefined;
  readonly pageNumber?: number | undefined;
  readonly offset?: Buffer | undefined;
  readonly order?: Order | undefined;
  readonly orderBy?: string | undefined;
}

/** Variables of a list's operation: the page's are one input object with the mode's defaults, the others are the filter. */
export function pageVariables(values: PageValues, { defaultPageSize, defaultOrder }: Behaviour) {
  const { pageSize = defaultPageSize, pageNumber, offset, order = defaultOrder, orderBy: _, ...filter } = values;
  return { ...filter, page: { pageSize, pageNumber, offset, order } };
}

/** The documents as they are stored, with commas between them. */
export function pageAnswer({ page: { documents, pagination } }: DocumentPage): Answer {
  return { body: encodeDocumentList('{"data":[', documents, `],"pagination":${JSON.stringify(pagination)}}`) };
}

/** A JSON array of stored documents. */
export function joinDocuments(entries: readonly { readonly document: string }[]): string {
  return `[${entries.map(({ document }) => document).join(",")}]`;
}

export type PageArgumentValues = Values<typeof pageArguments>;
