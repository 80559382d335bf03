import pg from "pg";

const INT8_OID = 20;

/** int8 as `number`, or as `bigint` if a double cannot represent it: only ids of the chain are as large. */
function parseInt8(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

const BYTEA_ARRAY_OID = 1001;

const parseAnyByteaArray = pg.types.getTypeParser(BYTEA_ARRAY_OID as never, "text") as (text: string) => Buffer[];

/**
 * bytea[] as buffers: `{"\\\\x0102","\\\\x03"}`. The driver's own parser reads single characters, which for events
 * with hundreds of addresses takes longer than everything else.
 */
function parseByteaArray(text: string): Buffer[] {
  if (text === "{}") return [];
  if (!/^\{"[\\x0-9a-f",]*"\}$/.test(text)) return parseAnyByteaArray(text);
  return text
    .slice(2, -2)
    .split('","')
    .map((element) => Buffer.from(element.slice(BYTEA_PREFIX.length), "hex"));
}

/** Before the hex digits of each element: an escaped backslash, and x. */
const BYTEA_PREFIX = "\\\\x";

const NUMERIC_ARRAY_OID = 1231;

/** numeric[] as texts, like numeric: the driver's own parser makes doubles of them. */
function parseNumericArray(text: string): string[] {
  return text === "{}" ? [] : text.slice(1, -1).split(",");
}

const textParsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [INT8_OID, parseInt8],
  [BYTEA_ARRAY_OID, parseByteaArray],
  [NUMERIC_ARRAY_OID, parseNumericArray],
]);

/** How columns are parsed: int8 as `number` where exact, bytea[] as buffers, numeric[] as texts, everything else as in the driver. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    (format !== "binary" && textParsers.get(oid)) ||
    pg.types.getTypeParser(oid, format as "text")) as pg.CustomTypesConfig["getTypeParser"],
};
