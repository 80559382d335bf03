import { describe, expect, test } from "@jest/globals";
import { until } from "../support/until.js";
import type { JoinsClient } from "./joins-client.js";

/** Counts the statements that operations run. */
export function describeTogether(client: JoinsClient): void {
  describe("fields requested together are read together", () => {
    /** Number of statements that operations run. */
    async function statementsOf(query: string): Promise<number> {
      const told = () => client.log.lines.filter(({ msg }) => msg === "graphql operation");
      const before = told().length;
      await client.ask(query);
      await until(() => told().length > before, "the operation is logged");
      return Number(told()[before]?.statements);
    }

    /** Routers that lead to one other each: their number does not change the number of statements. */
    const single: readonly (readonly [name: string, query: (first: number) => string])[] = [
      [
        "blocks",
        (first) => `{ blocks(first: ${first}) { data { isFinalized previous { hash } next { hash }
          harvester { address names multisig { minApproval } restrictions { id } mosaics { mosaic { supply owner { address } } names } }
          beneficiary { linkedAccount { address } balanceAt(mosaicId: "${currency()}", height: 3) } } } }`,
      ],
      [
        "transactions",
        (
          first,
        ) => `{ transactions(embedded: true, first: ${first}) { data { block { hash } signer { address } recipient { address }
          aggregate { hash } status { group } statements { receipts { target { address } mosaic { supply } } }
          embedded { type } cosignatures { signer { address } } mosaics { mosaic { names } } } } }`,
      ],
      [
        "mosaics",
        (first) =>
          `{ mosaics(first: ${first}) { data { names owner { address } } } namespaces(first: ${first}) { data { name owner { address } parent { name } alias { account { address } mosaic { supply } } } } }`,
      ],
    ];
    const currency = () => client.stack.node.devnet.currencyMosaicId.toString(16).toUpperCase().padStart(16, "0");

    test.each(single)("of few and of many %s", async (_name, query) => {
      await client.ask(query(2));
      const [few, many] = [await statementsOf(query(4)), await statementsOf(query(24))];
      expect(many).toBeLessThanOrEqual(few + 5);
      expect(many).toBeLessThan(24);
    });
  });
}
