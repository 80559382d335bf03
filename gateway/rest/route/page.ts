import { type ZodType, z } from "zod";
import { notFound } from "../../../schema/errors/errors.js";
import { type Order, type Pagination, pageSizes } from "../../../schema/graph/page.js";
import type { JsonText } from "../../../schema/graph/scalars.js";
import type { Behaviour } from "../../compatibility/compatibility.js";
import { type Argument, type Arguments, query, type Values } from "./argument.js";
import { entityId, order, pageNumber, pageSize, sortField } from "./argument-types.js";
import { type Answer, operationRoute, type RawParameters, type Route, type RouteDescription } from "./route.js";

const PaginationDTO = z
  .object({
    pageNumber: z.int().min(1).describe("Number of the page, from 1."),
    pageSize: z.int().min(pageSizes.min).max(pageSizes.max).describe("Entries on a full page."),
    totalEntries: z.int().min(0).describe("Entries in the whole list."),
    totalPages: z.int().min(0).describe("Pages of this size in the whole list."),
  })
  .meta({ id: "Pagination", description: "Position of the page, and length of the whole list." });

/** A page of a list. `id` is its name in `/openapi.json`, which must be unique. */
export function pageOf<Entry extends z.ZodType>(id: string, entry: Entry) {
  return z
    .object({ data: z.array(entry).describe("Entries of the page."), pagination: PaginationDTO })
    .meta({ id, description: "A page of a list." });
}

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

/** Of every list whose entries stay. */
export const PAGE_DESCRIPTION =
  "The answer is one page, newest entries first unless `order=asc`; `pagination` has the exact length of the whole list.";

/** The selection of a list operation: a page of REST bodies. */
export const bodyPage = "{ body pagination { pageNumber pageSize totalEntries totalPages } }";

export interface BodyPage {
  readonly page: { readonly body: JsonText; readonly pagination: Pagination };
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
export function pageAnswer({ page: { body, pagination } }: BodyPage): Answer {
  return { body: body.between('{"data":', `,"pagination":${JSON.stringify(pagination)}}`) };
}

/** What an operation selects the REST body of. */
export interface WithBody {
  readonly body: JsonText;
}

/** A JSON array of REST bodies. */
export function joinBodies(entries: readonly WithBody[]): string {
  return `[${entries.map(({ body }) => body.text).join(",")}]`;
}

/** Answers with the only, or the first, REST body that an operation has as `found`; 404 naming the last path parameter. */
export function oneBody(
  { found }: { readonly found: WithBody | readonly WithBody[] | null },
  _values: unknown,
  requested: RawParameters,
): Answer {
  const [one] = [found].flat();
  if (!one) throw notFound(Object.values(requested).at(-1) ?? "");
  return { body: one.body.text };
}

/** Answers with all REST bodies that an operation has as `found`. */
export function allBodies({ found }: { readonly found: readonly WithBody[] }): Answer {
  return { body: joinBodies(found) };
}

export type PageArgumentValues = Values<typeof pageArguments>;

/** The route of a list in the order of its ids. */
export function listRoute<A extends Arguments>(
  about: Pick<RouteDescription, "path" | "operationId" | "tag" | "summary">,
  list: {
    /** The arguments of the filter; each type names its GraphQL type. */
    readonly arguments: A;
    /** Schema of a page. */
    readonly result: ZodType;
    /** Field of the query; its arguments have the names of the route's. */
    readonly field: string;
    /** How this list names the entry after which a page begins, if not by its id alone. */
    readonly position?: {
      readonly offset: Argument<string | undefined>;
      readonly orderBy: Argument<string | undefined>;
      readonly toOffset: (offset: string, orderBy: string | undefined) => Buffer;
    };
  },
): Route {
  const { toOffset, ...position } = list.position ?? {};
  const filters = Object.entries(list.arguments);
  const declared = filters.map(
    ([name, one]) => `$${name}: ${one.list ? `[${one.type.graphql}!]` : one.type.graphql}, `,
  );
  const passed = filters.map(([name]) => `${name}: $${name}, `);
  return operationRoute(
    {
      ...about,
      description: PAGE_DESCRIPTION,
      method: "GET",
      arguments: { ...list.arguments, ...pageArguments, ...position },
      result: list.result,
    },
    {
      operation: `query (${declared.join("")}$page: PageInput) {
        page: ${list.field}(${passed.join("")}page: $page) ${bodyPage}
      }`,
      followsChain: true,
      variables: (given, behaviour) => {
        const values = given as PageValues & { readonly offset?: never };
        if (!toOffset || values.offset === undefined) return pageVariables(values, behaviour);
        return pageVariables({ ...values, offset: toOffset(values.offset, values.orderBy) }, behaviour);
      },
      answer: (data: BodyPage) => pageAnswer(data),
    },
  );
}
