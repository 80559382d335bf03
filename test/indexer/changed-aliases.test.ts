import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { encodeAddress, encodeAliasAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import { entityNumber } from "../../catapult/json/entity-id.js";
import { Collection, listNumber } from "../../database/lists/collections.js";
import type { Gateway } from "../../gateway/server.js";
import { withSinks } from "../../indexer/chain/execution/options.js";
import { addressAlias, addressValue, globalRestriction, rootNamespace } from "../devnet/state-descriptors.js";
import { account, CURRENCY, mosaicDefinition, NETWORK, TestChain, transfer } from "../devnet/state-test-chain.js";
import { checkIndex } from "../support/checked-index.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { minedBlocks } from "../support/mined-blocks.js";
import { namespaceIdOf } from "../support/namespace-ids.js";
import { StateNode } from "../support/state-node.js";
import { startTestGateway } from "../support/test-gateway.js";
import { writeBlocks } from "../support/write-blocks.js";

/*
 * One namespace, "shop", and its alias target while one block is executed:
 *
 *   block 4   transaction   0            1                       2                          3
 *                           carol        alice                   alice                      carol: aggregate
 *                           pays shop    unlinks shop from       links shop                 0: pays shop
 *                             │          bob                     to dave                       │
 *   shop is   ──── bob ───────┴──────────────┐ no one ┌──────────────── dave ──────────────────┴──────
 *
 *   receipts: shop was bob at 1.0, shop was dave at 4.1. At 4.0, the aggregate's own position, the last record is still bob.
 *   The aggregate concerns carol, shop and dave. It does not concern bob.
 *
 *   block 5   transaction   0                1                2                  3
 *                           alice            alice            alice              alice
 *                           restricts shop   unlinks shop     restricts shop     restricts shop again
 *                             │              from dave          │                  │
 *   shop is   ─── dave ───────┴──────────────────┐ no one ──────┴── (itself) ──────┴──────
 *
 *   receipts: shop was dave at 1.0, nothing else: an alias without a target is not recorded, and the node's key consists of the
 *   24 bytes of the alias.
 */
const alias = encodeAliasAddress(namespaceIdOf("shop"), NETWORK.identifier);
const [bob, carol, dave] = ["bob", "carol", "dave"].map((name) => account(name).address) as Buffer[];
const RELINKED = 4;

function drawChain(): TestChain {
  const chain = new TestChain(["alice", "bob", "carol", "dave"]);
  const by = (name: string, descriptor: Parameters<TestChain["transaction"]>[1]) => chain.transaction(name, descriptor);
  const restrictable = mosaicDefinition("alice", 4, { flags: "transferable restrictable" });
  chain.mine(by("alice", rootNamespace("shop")), by("alice", restrictable));
  chain.mine(by("alice", addressAlias("shop", "bob", "link")), by("alice", globalRestriction(7n)));
  const pay = transfer(alias, [[CURRENCY, 1n]]);
  chain.mine(
    by("carol", pay),
    by("alice", addressAlias("shop", "bob", "unlink")),
    by("alice", addressAlias("shop", "dave", "link")),
    chain.aggregate("carol", [chain.embedded("carol", pay)]),
  );
  const restrict = { ...addressValue("bob", 7n), targetAddress: Uint8Array.from(alias) };
  const again = { ...restrict, previousRestrictionValue: 1n, newRestrictionValue: 2n };
  chain.mine(
    by("alice", restrict),
    by("alice", addressAlias("shop", "dave", "unlink")),
    by("alice", restrict),
    by("alice", again),
  );
  return chain;
}

let node: StateNode;
let index: IndexedDatabase;
let gateway: Gateway;

beforeAll(async () => {
  const chain = drawChain();
  const blocks = minedBlocks(chain);
  node = await StateNode.startOf({ network: NETWORK, config: chain.state.config }, blocks);
  index = await IndexedDatabase.create();
  await writeBlocks(index.db, withSinks(NETWORK, chain.state.config), blocks);
  gateway = await startTestGateway({ databaseUrl: index.url, nodes: [node.address] });
});

afterAll(async () => {
  await gateway?.stop();
  await index?.drop();
  await node?.close();
});

interface Listed {
  readonly meta: { readonly resolved?: { readonly recipientAddress?: string } };
  readonly transaction: { readonly recipientAddress: string };
}

const texts = (addresses: readonly Buffer[]) => addresses.map(encodeAddress).sort();

describe("an alias that is linked again within a block", () => {
  test("lists each transaction under the target of the alias at its position", async () => {
    const rows = await index.db
      .selectFrom("transaction_addresses")
      .innerJoin("keys", (join) => join.on(sql<boolean>`keys.id = account / 2`))
      .select(["keys.key as address", "transaction_addresses.id"])
      .execute();
    const listed = (position: number, inside = 0) => {
      const id = entityNumber(RELINKED, position, inside);
      return texts(rows.filter((row) => BigInt(row.id) === id).map(({ address }) => address));
    };
    expect(listed(0)).toEqual(texts([carol!, alias, bob!]));
    expect(listed(3)).toEqual(texts([carol!, alias, dave!]));
    expect(listed(3, 1)).toEqual(texts([carol!, alias, dave!]));
  });

  test("is resolved as at the position of each transaction, by REST and GraphQL", async () => {
    const url = `http://127.0.0.1:${gateway.port}`;
    const path = `/transactions/confirmed`;
    const query = `height=${RELINKED}&type=16724&embedded=true&order=asc`;
    const resolved = [bob!, dave!];
    const listed = await (await fetch(`${url}${path}?${query}&resolved=true`)).json();
    expect(listed.data.map(({ meta }: Listed) => meta.resolved?.recipientAddress)).toEqual(resolved.map(hex));
    expect(listed.data.map(({ transaction }: Listed) => transaction.recipientAddress)).toEqual([alias, alias].map(hex));
    const graphql = await fetch(`${url}/graphql`, {
      ...{ method: "POST", headers: { "content-type": "application/json" } },
      body: JSON.stringify({
        query: `{ transactions(height: ${RELINKED}, type: 16724, embedded: true, page: { order: asc }) { data { resolvedRecipientAddress } } }`,
      }),
    });
    const { data } = (await graphql.json()) as { data: { transactions: { data: unknown[] } } };
    expect(data.transactions.data).toEqual(
      resolved.map((address) => ({ resolvedRecipientAddress: encodeAddress(address) })),
    );
  });

  test("is resolved in no body unless it is requested, nor in what catapult-rest answers", async () => {
    const plain = await (
      await fetch(`http://127.0.0.1:${gateway.port}/transactions/confirmed?height=${RELINKED}`)
    ).json();
    expect(plain.data.some(({ meta }: Listed) => meta.resolved)).toBe(false);
    const other = await startTestGateway({
      ...{ databaseUrl: index.url, nodes: [node.address], compatibility: "catapult-rest" as const },
    });
    try {
      const ignored = await fetch(
        `http://127.0.0.1:${other.port}/transactions/confirmed?height=${RELINKED}&resolved=true&order=desc&pageSize=10`,
      );
      expect(await ignored.json()).toEqual(plain);
    } finally {
      await other.stop();
    }
    const together = await fetch(
      `http://127.0.0.1:${gateway.port}/transactions/confirmed?resolved=true&include=transactions`,
    );
    expect(together.status).toBe(409);
  });

  test("is counted for these accounts only", async () => {
    const page = async (address: Buffer, embedded: boolean) => {
      const query = `address=${encodeAddress(address)}&height=${RELINKED}&embedded=${embedded}`;
      const response = await fetch(`http://127.0.0.1:${gateway.port}/transactions/confirmed?${query}`);
      const { data, pagination } = (await response.json()) as {
        data: { meta: { index: number } }[];
        pagination: { totalEntries: number };
      };
      return [data.map(({ meta }) => meta.index).sort(), pagination.totalEntries];
    };
    expect(await page(bob!, true)).toEqual([[0], 1]);
    expect(await page(dave!, false)).toEqual([[3], 1]);
    expect(await page(dave!, true)).toEqual([[0, 3], 2]);
    const counted = await index.db
      .selectFrom("list_counters")
      .innerJoin("keys", (join) =>
        join.on(sql<boolean>`list = ${listNumber(Collection.transactionsByAddressTop, 0)}::int8 + keys.id`),
      )
      .select("count")
      .where("keys.key", "=", bob!)
      .execute();
    // His funds from the first block, and the payment to the alias.
    expect(counted).toEqual([{ count: 2 }]);
  });

  test("is announced to these accounts only", async () => {
    const events = await index.db
      .selectFrom("events")
      .select(["addresses", "data"])
      .where("channel", "=", "confirmedAdded")
      .where("height", "=", RELINKED)
      .orderBy("sequence")
      .execute();
    expect(texts(events[0]!.addresses)).toEqual(texts([carol!, alias, bob!]));
    expect(texts(events[3]!.addresses)).toEqual(texts([carol!, alias, dave!]));
    const noted = await index.db
      .selectFrom("event_addresses")
      .select("address")
      .where("address", "=", bob!)
      .where("channel", "=", "confirmedAdded")
      .execute();
    expect(noted).toHaveLength(2);
  });
});

describe("an alias that is unlinked within a block", () => {
  test("causes no differences in check", async () => {
    const execution = { configOf: () => drawChain().state.config };
    const { found, left } = await checkIndex({ databaseUrl: index.url, nodes: [node.address], from: 1, execution });
    expect({ found, left }).toEqual({ found: [], left: [] });
  });
});
