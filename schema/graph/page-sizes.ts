import { MAX_PAGE_SIZE } from "../../database/lists/page.js";

/** Page sizes in every interface. */
export const pageSizes = { min: 10, max: MAX_PAGE_SIZE, default: 10 } as const;

/** Maximum page number: a GraphQL Int. */
export const MAX_PAGE_NUMBER = 2 ** 31 - 1;
