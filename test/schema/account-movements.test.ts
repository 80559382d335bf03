import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { BlockAliases } from "../../catapult/entity/block-aliases.js";
import {
  feeIn,
  feeMosaicId,
  movementsOfStatements,
  movementsOfTransaction,
} from "../../catapult/state/balance-movements.js";
import {
  type AccountMovement,
  balancesAfter,
  type MovementFilter,
  readAccountMovements,
} from "../../database/balances/account-movements.js";
import type { Order } from "../../database/lists/list.js";
import { expectBooksToAddUp, readBooks } from "../support/account-books.js";
import { describeRecorded } from "../support/describe-chains.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { recordedBlocks, upperHex } from "../support/recorded-facts.js";
import { executedIndex } from "../support/recorded-index.js";

const ALL = 1_000_000;

describeRecorded("an account's books, over the recorded chain", (chain) => {
  let index: IndexedDatabase;
  let books: Awaited<ReturnType<typeof readBooks>>;
  /** Every movement of each account, from the bytes of blocks: by address, as text in the order of the chain. */
  const expected = new Map<string, string[]>();

  beforeAll(async () => {
    index = await executedIndex(chain);
    books = await readBooks(index.db);
    for (const block of recordedBlocks(chain)) {
      const { transactionStatements } = block.statement;
      const aliases = new BlockAliases(block);
      const currency = feeMosaicId(transactionStatements);
      const add = (hash: string, movements: ReturnType<typeof movementsOfStatements>) => {
        for (const { cause, source, changes } of movements) {
          for (const { address, mosaicId, change } of changes) {
            const name = encodeAddress(address);
            const text = `${block.height} ${hash} ${source.secondaryId} ${cause} ${mosaicId} ${change}`;
            const texts = expected.get(name);
            if (texts) texts.push(text);
            else expected.set(name, [text]);
          }
        }
      };
      for (const transaction of block.transactions) {
        const statements = transactionStatements.filter(({ source }) => source.primaryId === transaction.index + 1);
        const fee = feeIn(currency, transaction.bytes.length, block.feeMultiplier);
        add(upperHex(transaction.hash), movementsOfTransaction(transaction, { fee, aliases, statements }));
      }
      add("", movementsOfStatements(transactionStatements.filter(({ source }) => source.primaryId === 0)));
    }
  });

  afterAll(() => index?.drop());

  const addresses = async () =>
    (await index.db.selectFrom("accounts").select("address").execute()).map(({ address }) => address);
  const read = (filter: MovementFilter, order: Order = "asc", first = ALL) =>
    readAccountMovements(index.db, filter, { first, order });
  const textOf = ({ height, hash, embeddedIndex, cause, mosaicId, change }: AccountMovement) =>
    `${height} ${hash ? upperHex(hash) : ""} ${embeddedIndex} ${cause} ${mosaicId} ${change}`;

  test("has every movement, each with the balance after it, which at the end of a block is that of the height", async () => {
    for (const [address, movements] of books)
      expect(movements.map(textOf)).toEqual(expected.get(encodeAddress(address)) ?? []);
    expect(await expectBooksToAddUp(index.db, books)).toBeGreaterThan(1_000);
  });

  test("is the same in pages, in both orders, between heights and of one mosaic", async () => {
    const [busiest] = [...expected].toSorted(([, a], [, b]) => b.length - a.length);
    const address = (await addresses()).find((one) => encodeAddress(one) === busiest?.[0]) as Buffer;
    const all = await read({ address });
    for (const order of ["asc", "desc"] as const) {
      const inOrder = order === "asc" ? all : all.toReversed();
      const paged: AccountMovement[] = [];
      const balances: bigint[] = [];
      for (;;) {
        const page = await readAccountMovements(index.db, { address }, { first: 37, after: paged.at(-1), order });
        if (page.length === 0) break;
        paged.push(...page);
        balances.push(...(await balancesAfter(index.db, address, page)));
      }
      expect(paged.map(textOf)).toEqual(inOrder.map(textOf));
      expect(balances).toEqual(await balancesAfter(index.db, address, inOrder));
      const span = { fromHeight: 100, toHeight: 400 };
      expect((await read({ address, ...span }, order)).map(textOf)).toEqual(
        inOrder.filter(({ height }) => height >= 100 && height <= 400).map(textOf),
      );
    }
  });

  test("of one mosaic is exactly that part of the whole, also where the movements of a block cancel each other", async () => {
    let compared = 0;
    for (const [address, movements] of books) {
      for (const mosaicId of new Set(movements.map((one) => one.mosaicId))) {
        const expected = movements.filter((one) => one.mosaicId === mosaicId);
        const sums = new Map<number, bigint>();
        for (const { height, change } of expected) sums.set(height, (sums.get(height) ?? 0n) + change);
        if (![...sums.values()].includes(0n)) continue;
        expect(await read({ address, mosaicId })).toEqual(expected);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(0);
  });

  test("has another key for each row of all accounts, whose first part is the transaction or the block", async () => {
    const hashes = new Map(recordedBlocks(chain).map(({ height, hash }) => [height, upperHex(hash)]));
    const keys = new Set<string>();
    let count = 0;
    for (const [, movements] of books) {
      for (const { key, height, hash } of movements) {
        expect(key.split("-")[0]).toBe(hash ? upperHex(hash) : hashes.get(height));
        keys.add(key);
        count += 1;
      }
    }
    expect(keys.size).toBe(count);
  });
});
