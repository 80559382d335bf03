import type { Order, Pagination } from "../../../schema/graph/page.js";
import type { Behaviour } from "../../compatibility/compatibility.js";
import { type Arguments, query, type Values } from "./argument.js";
import { entityId, type JsonSchema, order, pageNumber, pageSize, sortField } from "./argument-types.js";
import { encodeDocumentList } from "./document-list.js";
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

/** The selection of a list operation: a page of documents. */
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

/** Variables of a list operation: the page is one input object with the mode's defaults, the others are the filter. */
export function pageVariables(values: PageValues, { defaultPageSize, defaultOrder }: Behaviour) {
  const { pageSize = defaultPageSize, pageNumber, offset, order = defaultOrder, orderBy: _, ...filter } = values;
  return { ...filter, page: { pageSize, pageNumber, offset, order } };
}

/** The stored documents separated by commas. */
export function pageAnswer({ page: { documents, pagination } }: DocumentPage): Answer {
  return { body: encodeDocumentList('{"data":[', documents, `],"pagination":${JSON.stringify(pagination)}}`) };
}

/** A JSON array of stored documents. */
export function joinDocuments(entries: readonly { readonly document: string }[]): string {
  return `[${entries.map(({ document }) => document).join(",")}]`;
}

/** Schema of a page whose entries have these members. */
export function pageSchema(entry: JsonSchema): JsonSchema {
  return {
    type: "object",
    required: ["data", "pagination"],
    properties: { data: { type: "array", items: entry }, pagination: { $ref: "#/components/schemas/Pagination" } },
  };
}

/** Schema of a stored document: an id, and objects with these names. */
export function documentSchema(description: string, ...members: readonly string[]): JsonSchema {
  return {
    type: "object",
    description,
    required: ["id", ...members],
    properties: {
      id: { type: "string", pattern: "^[0-9A-F]{24}$" },
      ...Object.fromEntries(members.map((name) => [name, { type: "object" }])),
    },
  };
}

export type PageArgumentValues = Values<typeof pageArguments>;
