import type { ColumnType } from "kysely";

/** A numeric(20) or numeric(39) column: decimal text from the driver, converted to `bigint` where it is used. */
export type Numeric = ColumnType<string, string | bigint, string | bigint>;
