import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { lexicographicSortSchema, printSchema } from "graphql";
import { schema } from "../../schema/schema.js";

/** The reviewed file, from the folder of compiled tests. */
const FILE = new URL("../../../schema/schema.graphql", import.meta.url);

test("the printed schema is the reviewed one (UPDATE_SCHEMA=1 writes it anew)", () => {
  const printed = `${printSchema(lexicographicSortSchema(schema))}\n`;
  if (process.env.UPDATE_SCHEMA === "1") writeFileSync(FILE, printed);
  expect(printed).toBe(readFileSync(FILE, "utf8"));
});
