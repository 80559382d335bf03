import SchemaBuilder from "@pothos/core";
import type { Context } from "./context.js";
import { type Scalars, scalars } from "./scalars.js";

/** The only builder; every file that defines types adds to it when it is imported (see `schema.ts`). */
export const builder = new SchemaBuilder<{
  Context: Context;
  Scalars: Scalars;
  DefaultFieldNullability: false;
}>({ defaultFieldNullability: false });

builder.queryType({ description: "All queries about the chain, the index and the node." });

for (const [name, options] of Object.entries(scalars)) {
  builder.scalarType(name as keyof Scalars, options as Parameters<typeof builder.scalarType<keyof Scalars>>[1]);
}

/** For helpers that take types of this builder as arguments. */
export type SchemaTypes = typeof builder.$inferSchemaTypes;
