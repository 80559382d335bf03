import { beforeAll, describe, expect, test } from "@jest/globals";
import { getIntrospectionQuery } from "graphql";
import { compareEntries, compareWithBody, missingOf } from "../support/compare-with-body.js";
import { selection, type Types } from "../support/graphql-selection.js";
import { aggregatePayload } from "../support/transfers.js";
import { until } from "../support/until.js";
import type { JoinsClient } from "./joins-client.js";

// biome-ignore lint/suspicious/noExplicitAny: answers are of every form.
type Any = any;

/** Compares the typed fields of entities that are not lists of the chain or the state with REST. */
export function describeOtherEntities(client: JoinsClient): void {
  describe("typed fields of all other entities equal those of REST", () => {
    let types: Types;

    beforeAll(async () => {
      const { __schema } = await client.ask(getIntrospectionQuery());
      types = new Map(__schema.types.map((type: Any) => [type.name, type]));
    });

    /** The answer of a query field with all its typed fields. */
    async function typed(field: string, args = ""): Promise<Any> {
      const type = types.get("Query")?.fields?.find(({ name }) => name === field)?.type;
      if (!type) throw new Error(`there is no field ${field}`);
      return (await client.ask(`{ ${field}${args} ${selection(type, types, 4)} }`))[field];
    }

    async function hashOfNewest(): Promise<{ hash: string; height: number }> {
      const { transactions } = await client.ask("{ transactions(first: 1) { data { hash height } } }");
      return transactions.data[0];
    }

    test.each([
      ["chain", "", "/chain/info"],
      ["network", "", "/network"],
      ["nodeInfo", "", "/node/info"],
      ["transactionFees", "", "/network/fees/transaction"],
      ["rentalFees", "", "/network/fees/rental"],
      ["finalizationProof", "(epoch: 1)", "/finalization/proof/epoch/1"],
    ] as const)("%s%s", async (field, args, path) => {
      const found = await typed(field, args);
      const body = await client.rest(path);
      expect(compareWithBody(found, body)).toBeGreaterThan(1);
      expect(missingOf(found, body)).toEqual([]);
    });

    test("the network's configuration", async () => {
      const sections = await typed("networkConfiguration");
      const body = await client.rest("/network/properties");
      const told = (section: object) =>
        Object.entries(section).map(([name, value]) => ({ name, value: String(value) }));
      const propertiesOf = (title: string) => sections.find(({ name }: Any) => name === title).properties;
      expect(propertiesOf("network")).toEqual(told(body.network));
      expect(propertiesOf("chain")).toEqual(told(body.chain));
      for (const [name, plugin] of Object.entries<object>(body.plugins)) {
        expect(propertiesOf(`plugin:catapult.plugins.${name}`)).toEqual(told(plugin));
      }
    });

    test("statuses and Merkle paths", async () => {
      const { hash, height } = await hashOfNewest();
      const [status] = await typed("transactionStatuses", `(hashes: ["${hash}"])`);
      const body = await client.rest(`/transactionStatus/${hash}`);
      expect(compareWithBody(status, body)).toBe(5);
      expect(missingOf(status, body)).toEqual([]);
      const { steps } = await typed("transactionMerklePath", `(height: ${height}, hash: "${hash}")`);
      expect(steps).toEqual((await client.rest(`/blocks/${height}/transactions/${hash}/merkle`)).merklePath);
    });

    test("pending transactions", async () => {
      const { devnet } = client.stack.node;
      const [alice, bob] = devnet.accounts;
      devnet.announce(aggregatePayload(devnet, alice!, bob!, 6n));
      const waiting = async () =>
        (await typed("pendingTransactions", "(group: unconfirmed, embedded: true, page: { pageSize: 100 })")).data;
      await until(async () => (await waiting()).some(({ type }: Any) => type === 0x4141), "an aggregate is pending");
      const entries = await waiting();
      const { compared, missing } = compareEntries(entries);
      expect(compared).toBeGreaterThan(4 * entries.length);
      // Transactions outside of blocks have none of these.
      expect(missing.filter((name) => !["height", "index", "merkleComponentHash"].includes(name))).toEqual([]);
      expect(entries.some(({ hash }: Any) => hash === null)).toBe(true);
    });
  });
}
