import { beforeAll, expect, test } from "@jest/globals";
import { makeExtensions } from "../../cli/parts/extensions.js";
import { OPERATION_TYPES, type OperationType } from "../../mesh/standard/operation-types.js";
import type {
  BlockResponse,
  BlockTransactionResponse,
  Currency,
  SearchTransactionsRequest,
  SearchTransactionsResponse,
  Transaction,
} from "../../mesh/standard/schemas.js";
import { describeRecorded } from "../support/describe-chains.js";
import { ChainFollower, compareBalances, wholeBlock } from "../support/mesh-balances.js";
import { MeshClient } from "../support/mesh-client.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";

const HEIGHT = 596;
/** Blocks of one test of balances. */
const RANGE = 50;
/** Types of operations that only blocks have, as transactions of their own. */
const OF_BLOCKS = ["harvest_fee", "hash_lock_expired", "secret_lock_expired"];

/** Types of operations whose accounts the transaction does not name. */
const UNNAMED = new Set(["cosign", "hash_lock_completed", "secret_lock_completed"]);

/** What pays a fee: also where it was 0. */
const PAYERS: Readonly<Partial<Record<OperationType, OperationType | "every">>> = {
  fee: "every",
  namespace_rental_fee: "namespace_registration",
  mosaic_rental_fee: "mosaic_definition",
};

type Conditions = Partial<Omit<SearchTransactionsRequest, "network_identifier">>;

describeRecorded("the recorded chain", (chain) => {
  const served = RecordedStateGateway.use(chain, {
    resourcesDirectory: chain.path("resources"),
    extensions: makeExtensions({ MESH_PATH: "/mesh" }),
  });
  const mesh = new MeshClient(served);
  let follower: ChainFollower;

  beforeAll(async () => {
    follower = await ChainFollower.start(mesh, served.index.db);
  });

  test.each(Array.from({ length: Math.ceil(HEIGHT / RANGE) }, (_, range) => range * RANGE))(
    "operations are the balance changes of each block, and their sums the balances at each height, from %d on",
    async (start) => {
      const followed = await follower.follow(Math.min(start + RANGE, HEIGHT));
      expect(await compareBalances(mesh, followed)).toBeGreaterThan(RANGE);
    },
  );

  test("a block is found by height, hash, both and neither, and its transactions by their hashes", async () => {
    const newest = await wholeBlock(mesh, HEIGHT);
    const { index, hash } = newest.block_identifier;
    for (const block_identifier of [{ index }, { hash }, { index, hash }, {}]) {
      expect((await mesh.ask<BlockResponse>("/block", { block_identifier })).block).toEqual(newest);
    }
    for (const { block_identifier, transactions } of blocksOf().slice(0, 40)) {
      for (const transaction of transactions) {
        const { transaction_identifier } = transaction;
        const request = { block_identifier, transaction_identifier };
        const answer = await mesh.ask<BlockTransactionResponse>("/block/transaction", request);
        expect(answer.transaction).toEqual(transaction);
      }
    }
  });

  const blocksOf = () => follower.expected.map(({ block }) => block);

  /** Transactions that are not a block's own, the newest block first. */
  function matching(matches: (transaction: Transaction, height: number) => boolean): string[] {
    return blocksOf()
      .reverse()
      .flatMap(({ block_identifier: { index, hash }, transactions }) =>
        [...transactions]
          .reverse()
          .filter((one) => one.transaction_identifier.hash !== hash && matches(one, index))
          .map((one) => one.transaction_identifier.hash),
      );
  }

  /** Hashes of all matches, page by page. */
  async function found(conditions: Conditions, limit = 100): Promise<string[]> {
    const hashes: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: SearchTransactionsResponse = await mesh.ask("/search/transactions", { ...conditions, limit, offset });
      hashes.push(...page.transactions.map(({ transaction }) => transaction.transaction_identifier.hash));
      offset = page.next_offset;
      if (offset === undefined) expect(page.total_count).toBe(hashes.length);
    }
    return hashes;
  }

  const hasType = (type: string) => (one: Transaction) => one.operations.some((operation) => operation.type === type);

  test("transactions are found by the type of each operation", async () => {
    const missing: string[] = [];
    for (const type of OPERATION_TYPES) {
      const payer = PAYERS[type];
      // Where a fee is 0, as in the first block, there is no operation.
      const hashes = matching(payer === "every" ? () => true : hasType(payer ?? type));
      const answered = await found({ type });
      // Of an aggregate that acts for another account, the signer is a cosigner too.
      if (type === "cosign") expect(answered).toEqual(expect.arrayContaining(hashes));
      else expect({ type, hashes: answered }).toEqual({ type, hashes });
      if (hashes.length === 0) missing.push(type);
    }
    expect(missing.filter((type) => !OF_BLOCKS.includes(type))).toEqual(["receipt", "unknown"]);
    expect(
      blocksOf()
        .flatMap(({ transactions }) => transactions)
        .filter(hasType("harvest_fee")).length,
    ).toBeGreaterThan(500);
  });

  test("transactions are found by currency, address, hash, and by what always or never matches", async () => {
    const currencies = new Map<string, Currency>();
    for (const { operations } of blocksOf().flatMap(({ transactions }) => transactions)) {
      for (const { amount, type } of operations) {
        if (type === "transfer" && amount) currencies.set(amount.currency.symbol, amount.currency);
      }
    }
    expect(currencies.size).toBeGreaterThan(2);
    for (const currency of currencies.values()) {
      const transfers = matching(({ operations }) =>
        operations.some(
          ({ type, amount }) =>
            type === "transfer" && amount?.value !== "0" && amount?.currency.symbol === currency.symbol,
        ),
      );
      const hashes = await found({ currency });
      expect(hashes).toEqual(expect.arrayContaining(transfers));
    }
    const every = matching(() => true);
    for (const conditions of [{}, { success: true }, { status: "SUCCESS" }, { type: "fee" }] as Conditions[]) {
      expect(await found(conditions)).toEqual(every);
    }
    for (const conditions of [{ success: false }, { status: "PENDING" }, { type: "no type" }] as Conditions[]) {
      expect(await found(conditions)).toEqual([]);
    }
    expect(await found({ coin_identifier: { identifier: "none" } })).toEqual([]);
    const [hash] = every.slice(100);
    expect(await found({ transaction_identifier: { hash: hash! } })).toEqual([hash]);
    const own = blocksOf()[99]!.block_identifier.hash;
    expect(await found({ transaction_identifier: { hash: own } })).toEqual([own]);
  });

  test("conditions are combined by and and or, up to a block, on pages from any offset", async () => {
    const counts = new Map<string, number>();
    for (const { operations } of blocksOf()
      .flatMap(({ transactions }) => transactions)
      .filter(hasType("fee"))) {
      for (const { account } of operations) counts.set(account!.address, (counts.get(account!.address) ?? 0) + 1);
    }
    const [, address = ""] = [...counts].sort(([, a], [, b]) => b - a).map(([one]) => one);
    const ofAddress = await found({ address });
    expect(ofAddress).toEqual(await found({ account_identifier: { address } }));
    // Neither cosigners nor those whom only a receipt names are among the accounts that a transaction concerns.
    const involved = matching(({ operations }) =>
      operations.some(({ account, type }) => account?.address === address && !UNNAMED.has(type)),
    );
    expect(involved.length).toBeGreaterThan(10);
    const left = blocksOf()
      .flatMap(({ transactions }) => transactions)
      .filter(({ transaction_identifier: { hash } }) => involved.includes(hash) && !ofAddress.includes(hash));
    const of = (one: Transaction) => one.operations.filter(({ account }) => account?.address === address);
    expect(left.flatMap(of).map(({ type }) => type)).toEqual([]);

    const mosaics = matching(hasType("mosaic_definition"));
    const both = ofAddress.filter((hash) => mosaics.includes(hash));
    const either = matching(() => true).filter((hash) => ofAddress.includes(hash) || mosaics.includes(hash));
    expect(await found({ address, type: "mosaic_definition" })).toEqual(both);
    expect(await found({ address, type: "mosaic_definition", operator: "or" }, 37)).toEqual(either);
    expect(await found({ address, success: false, operator: "or" })).toEqual(ofAddress);
    expect(await found({ address, success: false })).toEqual([]);

    const low = matching((_one, height) => height <= 100);
    expect(await found({ max_block: 100 }, 33)).toEqual(low);
    const lowOrOfType = low.filter((hash) => either.includes(hash));
    expect(await found({ address, type: "mosaic_definition", operator: "or", max_block: 100 })).toEqual(lowOrOfType);
    const shifted = await mesh.ask<SearchTransactionsResponse>("/search/transactions", { offset: 7, limit: 5 });
    expect(shifted.transactions.map(({ transaction }) => transaction.transaction_identifier.hash)).toEqual(
      matching(() => true).slice(7, 12),
    );
    expect(shifted.next_offset).toBe(12);
  });
});
