import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { getIntrospectionQuery } from "graphql";
import { compareEntries } from "../support/compare-with-body.js";
import { describeRecorded } from "../support/describe-chains.js";
import { type Field, selection } from "../support/graphql-selection.js";
import { type BodyHashes, differingPaths, hashBodies } from "../support/recorded-bodies.js";
import { recordedRequests } from "../support/recorded-requests.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";
import { IS_SHORT, SeededRandom } from "../support/seeded-random.js";

// biome-ignore lint/suspicious/noExplicitAny: answers are of every form.
type Any = any;

/** Lists of the parts of blocks. */
const CHAIN_LISTS = ["blocks", "transactions", "transactionStatements", "addressResolutions", "mosaicResolutions"];

/** Pages of 90 confirmed transactions, newest first, that cover the whole recorded chain. */
const PAGES_WITH_EVERY_TYPE = Array.from({ length: 22 }, (_, index) => index + 1);

/** Of them, which `npm test` draws. */
const SOME_PAGES = 6;

describeRecorded("REST bodies of the recorded chain", (chain) => {
  const snapshot = JSON.parse(gunzipSync(readFileSync(chain.path("rest-bodies.json.gz"))).toString()) as BodyHashes;
  const groups = recordedRequests(chain);
  const random = new SeededRandom();
  const served = RecordedStateGateway.use(chain);

  async function ask(query: string, variables: object = {}): Promise<Any> {
    const { data, errors } = await served.ask(query, variables);
    expect({ query: query.slice(0, 80), errors }).toEqual({ query: query.slice(0, 80), errors: undefined });
    return data;
  }

  test("are byte for byte those served when documents were stored", async () => {
    expect(groups.flatMap(({ paths }) => paths).length).toBeGreaterThan(3_000);
    const hashes = await hashBodies(served.url, groups);
    expect(differingPaths(groups, snapshot, hashes)).toEqual([]);
    expect(Object.keys(hashes)).toEqual(Object.keys(snapshot));
  });

  test("typed fields of blocks, transactions and statements equal the bodies", async () => {
    const { __schema } = await ask(getIntrospectionQuery());
    const types = new Map<string, Any>(__schema.types.map((type: Any) => [type.name, type]));
    const fields: Field[] = types.get("Query").fields;
    let compared = 0;
    const missing = new Set<string>();
    const contents = new Set<string>();
    for (const list of CHAIN_LISTS) {
      const type = fields.find(({ name }) => name === list)?.type;
      if (!type) throw new Error(`the schema has no list ${list}`);
      const embedded = list === "transactions" ? ", embedded: true" : "";
      const pages = list === "transactions" ? random.sample(PAGES_WITH_EVERY_TYPE, SOME_PAGES) : [1, 4];
      for (const pageNumber of pages) {
        const { [list]: page } = await ask(
          `{ ${list}(page: { pageSize: 90, pageNumber: ${pageNumber} }${embedded}) ${selection(type, types, 4)} }`,
        );
        const found = compareEntries(page.data);
        compared += found.compared;
        for (const name of found.missing) missing.add(`${list}.${name}`);
        for (const { content } of page.data) if (content) contents.add(content.__typename);
      }
    }
    expect([...missing]).toEqual([]);
    if (!IS_SHORT)
      expect([...contents].sort()).toEqual(
        (types.get("TransactionContent").possibleTypes as { name: string }[])
          .map(({ name }) => name)
          // The recorded chain has no transaction of an unknown type.
          .filter((name) => name !== "UnknownContent")
          .sort(),
      );
    process.stderr.write(`typed fields of the chain compared with bodies: ${compared}\n`);
    expect(compared).toBeGreaterThan(5_000);
  });

  test("every list has the same entries by cursors as by pages, in both orders", async () => {
    const { __schema } = await ask(getIntrospectionQuery());
    const query: Any = __schema.types.find(({ name }: Any) => name === "Query");
    const lists = query.fields.filter(({ args }: Any) => args.some(({ name }: Any) => name === "page"));
    expect(lists.length).toBeGreaterThan(12);
    for (const { name } of lists) {
      const given = name === "pendingTransactions" ? "group: unconfirmed, " : "";
      for (const order of ["asc", "desc"]) {
        const walked: Any[] = [];
        let after = "";
        for (let step = 0; step < 3; step++) {
          const { [name]: page } = await ask(
            `{ ${name}(${given}first: 30, order: ${order}${after}) { body edges { cursor } pageInfo { endCursor hasNextPage } } }`,
          );
          walked.push(...page.body);
          expect(page.edges.at(-1)?.cursor ?? null).toBe(page.pageInfo.endCursor);
          if (!page.pageInfo.hasNextPage) break;
          after = `, after: "${page.pageInfo.endCursor}"`;
        }
        const { [name]: page } = await ask(
          `{ ${name}(${given}page: { pageSize: 90, order: ${order} }) { body pagination { totalEntries } } }`,
        );
        expect({ name, order, walked }).toEqual({ name, order, walked: page.body });
        expect(walked).toHaveLength(Math.min(90, page.pagination.totalEntries));
      }
    }
  });
});
