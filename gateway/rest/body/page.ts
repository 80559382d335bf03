import { z } from "zod";
import { pageSizes } from "../../../schema/graph/page-sizes.js";

const Pagination = z
  .object({
    pageNumber: z.int().min(1),
    pageSize: z.int().min(pageSizes.min).max(pageSizes.max).describe("Entries on a full page."),
    totalEntries: z.int().min(0).describe("Entries in the whole list."),
    totalPages: z.int().min(0),
  })
  .meta({ id: "Pagination" });

/** A page of a list. `id` is its name in `/openapi.json`, which must be unique. */
export function pageOf<Entry extends z.ZodType>(id: string, entry: Entry) {
  return z.object({ data: z.array(entry), pagination: Pagination }).meta({ id, description: "A page of a list." });
}
