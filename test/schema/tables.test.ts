import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import pg from "pg";
import { createMigratedDatabase } from "../support/database.js";

test("docs/schema.md says of every table what it is for, and of no other", async () => {
  const page = readFileSync(new URL("../../../docs/schema.md", import.meta.url), "utf8");
  const named = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  const database = await createMigratedDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class
       where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'kysely%'`,
    );
    expect(named.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
  } finally {
    await client.end();
    await database.drop();
  }
});
