import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { findChildNames } from "../../database/queries/namespace-names.js";
import { describeRecorded } from "../support/describe-chains.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { QueryPlans, usedIndexes } from "../support/query-plans.js";
import { recordedBlocks } from "../support/recorded-facts.js";
import { executedIndex } from "../support/recorded-index.js";

/** More than all. */
const ALL = 10_000;

describeRecorded("names of the recorded chain by their beginning", (chain) => {
  const blocks = recordedBlocks(chain);
  let index: IndexedDatabase;

  beforeAll(async () => {
    index = await executedIndex(chain);
  });

  afterAll(() => index?.drop());

  const registered = new Map<string, bigint>();
  const names = new Map<bigint, string>();
  for (const { transactions } of blocks) {
    for (const { entity, embedded } of transactions) {
      for (const one of [entity, ...embedded.map((inside) => inside.entity)]) {
        if (one.kind !== "namespace_registration") continue;
        const parent = one.registrationType === 1 ? names.get(one.durationOrParentId) : undefined;
        const name = parent === undefined ? one.name.toString() : `${parent}.${one.name.toString()}`;
        names.set(one.id, name);
        registered.set(name, one.id);
      }
    }
  }
  const childrenOf = (parent: string | undefined, prefix: string) =>
    [...registered]
      .map(([name, id]) => {
        const dot = name.lastIndexOf(".");
        return { id, name: name.slice(dot + 1), parent: dot < 0 ? undefined : name.slice(0, dot) };
      })
      .filter((one) => one.parent === parent && one.name.startsWith(prefix))
      .map(({ id, name }) => ({ id, name }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));

  test("of roots and of children, in pages", async () => {
    const parents = [undefined, ...registered.keys()];
    let children = 0;
    for (const parent of parents) {
      const parentId = parent === undefined ? undefined : registered.get(parent);
      const all = childrenOf(parent, "");
      if (parent !== undefined) children += all.length;
      for (const prefix of ["", ...all.flatMap(({ name }) => [name.slice(0, 1), name.slice(0, 4), name])]) {
        const expected = childrenOf(parent, prefix);
        expect(await findChildNames(index.db, { parentId, prefix }, { first: ALL })).toEqual(expected);
        const after = expected[0]?.name;
        expect(await findChildNames(index.db, { parentId, prefix }, { first: 2, after })).toEqual(expected.slice(1, 3));
      }
    }
    expect(registered.size).toBeGreaterThan(10);
    expect(children).toBeGreaterThan(3);
  });

  // The last test: of a small table, PostgreSQL reads all rows.
  test("one after another over an index, however often they were registered", async () => {
    await sql`insert into namespace_registrations (id, namespace_id, name)
      select int8send(n) || '\\x00000000'::bytea, int8send(n), 'made-up-' || n from generate_series(1, 20000) n`.execute(
      index.db,
    );
    await sql`analyze namespace_registrations`.execute(index.db);
    const plans = new QueryPlans(index.url);
    try {
      for (const parentId of [undefined, 1n]) {
        const nodes = await plans.of((db) => findChildNames(db, { parentId, prefix: "a" }, { first: 5 }));
        expect(usedIndexes(nodes)).toEqual(["namespace_registrations_name"]);
      }
    } finally {
      await plans.close();
    }
  });
});
