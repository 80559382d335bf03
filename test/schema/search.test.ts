import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { encodeEntityId, formatEntityId } from "../../catapult/json/entity-id.js";
import { RECEIPT_TYPE, TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import type { PageRequest } from "../../database/lists/list.js";
import type { Entry, HeightFilter, Page } from "../../database/lists/page.js";
import { type BlockFilter, searchBlocks } from "../../database/queries/blocks.js";
import {
  searchAddressResolutions,
  searchMosaicResolutions,
  searchTransactionStatements,
  type TransactionStatementFilter,
} from "../../database/queries/statements.js";
import { searchTransactions, type TransactionFilter } from "../../database/queries/transactions.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { RecordedChain } from "../support/recorded-chain.js";
import { recordedBlocks } from "../support/recorded-facts.js";
import { executedIndex } from "../support/recorded-index.js";
import {
  blockIds,
  pageOf,
  resolutionIds,
  searchedFor,
  statementIds,
  transactionIds,
} from "../support/scanned-lists.js";
import { SeededRandom } from "../support/seeded-random.js";

const chain = new RecordedChain();
const blocks = recordedBlocks(chain);
const BLOCKS = blocks.length;
const random = new SeededRandom();
const { busy, second, rare, recipient, mosaics, harvester, payer, sink, expired } = searchedFor(blocks);
const [currency, other] = mosaics as [bigint, bigint];
const { beneficiaryAddress } = blocks.at(-1)!;
const timeAt = (height: number) => blocks[height - 1]!.timestamp;
const { transfer, aggregate_complete, mosaic_supply_change } = TRANSACTION_TYPE;
const { harvest_fee, namespace_rental_fee, namespace_expired } = RECEIPT_TYPE;
const stranger = Buffer.alloc(24, 1);

let index: IndexedDatabase;
let db: Db;

beforeAll(async () => {
  index = await executedIndex(chain);
  db = openDatabase({ url: index.url, poolSize: 4 });
});

afterAll(async () => {
  await db?.destroy();
  await index?.drop();
});

type Search = (request: PageRequest) => Promise<Page<Entry>>;

/** Reads a list in both orders, beyond its end, and after offsets of all kinds. */
async function compareWithAll(ids: readonly Buffer[], search: Search): Promise<void> {
  for (const order of ["asc", "desc"] as const) {
    const pages = Math.ceil(ids.length / 100);
    for (let pageNumber = 1; pageNumber <= pages + 1; pageNumber += 1) {
      await compare(ids, search, { pageNumber, pageSize: 100, order });
    }
    for (const pageNumber of someOf(Math.ceil(ids.length / 10))) {
      await compare(ids, search, { pageNumber, pageSize: 10, order });
    }
    for (const offset of offsetsIn(ids).filter(() => random.below(2) === 0)) {
      await compare(ids, search, { pageNumber: 1, pageSize: 10, order, offset });
      // Beyond a skip pointer after the offset.
      const far =
        random.below(2) === 0 ? { pageNumber: 14, pageSize: 10 } : { pageNumber: 2 + random.below(3), pageSize: 100 };
      await compare(ids, search, { ...far, order, offset });
    }
  }
}

async function compare(ids: readonly Buffer[], search: Search, request: PageRequest): Promise<void> {
  const { data, pagination } = await search(request);
  const expected = JSON.stringify({ request, ...pageOf(ids, request) });
  const found = JSON.stringify({ request, ids: data.map(({ id }) => id.toString("hex")), pagination });
  if (found !== expected) expect(JSON.parse(found)).toEqual(JSON.parse(expected));
  const strange = data.filter(({ id, body }) => !body.startsWith(`{"id":"${formatEntityId(id)}"`));
  expect(strange).toHaveLength(0);
}

/** Page numbers around the skip pointers (128, 256), the ends, and some between. */
function someOf(pages: number): number[] {
  const near = [1, 12, 13, 14, 26, 27, pages - 1, pages, pages + 1, pages + 20, 1 + random.below(pages + 1)];
  return [...new Set(near)].filter((page) => page >= 1);
}

/** Entries at the skip pointers and next to them, the ends, and positions without an entry. */
function offsetsIn(ids: readonly Buffer[]): Buffer[] {
  const places = [0, 127, 128, 255, ids.length - 1, random.below(ids.length + 1)];
  const between = [encodeEntityId(0), encodeEntityId(1 + random.below(BLOCKS), 9), encodeEntityId(BLOCKS + 5)];
  return [...new Set(places)].flatMap((place) => ids[place] ?? []).concat(between);
}

/** Heights that cut lists at their ends, in the middle, to nothing, and not at all. */
const heights: HeightFilter[] = [
  {},
  { fromHeight: 100 },
  { toHeight: 283 },
  { fromHeight: 57, toHeight: 291 },
  { fromHeight: 1, toHeight: BLOCKS },
  { height: 200 },
  { fromHeight: BLOCKS + 1 },
  { fromHeight: BLOCKS - 1, toHeight: 10 ** 12 },
];

describe("blocks", () => {
  const { signerPublicKey } = blocks.at(-1)!;
  const filters: [string, BlockFilter][] = [
    ["all", {}],
    ["signer", { signerPublicKey }],
    ["beneficiary", { beneficiaryAddress }],
    ["signer and beneficiary", { signerPublicKey, beneficiaryAddress }],
    ["harvester", { harvesterAddress: harvester }],
    ["all accounts", { signerPublicKey, beneficiaryAddress, harvesterAddress: harvester }],
    ["nobody", { beneficiaryAddress: stranger }],
    ["from a block's time", { fromTimestamp: timeAt(101) }],
    ["to a block's time", { toTimestamp: timeAt(301) }],
    ["between times", { fromTimestamp: timeAt(101) - 1, toTimestamp: timeAt(301) + 1, signerPublicKey }],
    ["after all", { fromTimestamp: 10 ** 12 }],
    ["between two blocks", { fromTimestamp: timeAt(101) + 1, toTimestamp: timeAt(101) + 2 }],
  ];
  test.each(filters)("%s", async (_name, filter) => {
    await compareWithAll(blockIds(blocks, filter), (request) => searchBlocks(db, filter, request));
  });
});

describe("transactions", () => {
  const filters: [string, TransactionFilter][] = [
    ["all", {}],
    ["address", { address: busy.address }],
    ["a rare address", { address: rare.address }],
    ["nobody", { address: stranger }],
    ["address and type", { address: busy.address, types: [transfer] }],
    ["address and types", { address: busy.address, types: [transfer, aggregate_complete] }],
    ["signer", { signerPublicKey: busy.publicKey }],
    ["recipient", { recipientAddress: recipient }],
    ["signer and recipient", { signerPublicKey: busy.publicKey, recipientAddress: recipient }],
    ["type", { types: [aggregate_complete] }],
    ["types", { types: [aggregate_complete, mosaic_supply_change, transfer] }],
    ["a type twice", { types: [transfer, transfer] }],
    ["a type that there is not", { types: [1] }],
    ["mosaic", { transferMosaicId: currency }],
    ["mosaic and amounts", { transferMosaicId: currency, fromTransferAmount: 2n, toTransferAmount: 1_000_000n }],
    ["mosaic and least amount", { transferMosaicId: other, fromTransferAmount: 2n }],
    ["mosaic and greatest amount", { transferMosaicId: other, toTransferAmount: 0n }],
    ["mosaic and address", { transferMosaicId: other, address: busy.address }],
    ["signer, type, mosaic", { signerPublicKey: second.publicKey, types: [transfer], transferMosaicId: currency }],
  ];
  const cases = filters.flatMap(([name, filter]) =>
    [false, true].map(
      (embedded) => [`${name}${embedded ? " with embedded ones" : ""}`, { ...filter, embedded }] as const,
    ),
  );
  test.each(cases)("%s", async (_name, filter) => {
    await compareWithAll(transactionIds(blocks, filter), (request) => searchTransactions(db, filter, request));
  });

  test.each(heights.map((range) => [JSON.stringify(range), range] as const))("at heights %s", async (_name, range) => {
    for (const filter of [
      { ...range },
      { ...range, embedded: true },
      { ...range, address: busy.address },
      { ...range, types: [transfer, aggregate_complete], embedded: true },
      { ...range, signerPublicKey: busy.publicKey, transferMosaicId: currency },
    ]) {
      await compareWithAll(transactionIds(blocks, filter), (request) => searchTransactions(db, filter, request));
    }
  });
});

describe("statements", () => {
  const filters: [string, TransactionStatementFilter][] = [
    ["all", {}],
    ["type", { receiptTypes: [harvest_fee] }],
    ["types", { receiptTypes: [namespace_rental_fee, namespace_expired] }],
    ["sender", { senderAddress: payer }],
    ["recipient", { recipientAddress: sink }],
    ["target", { targetAddress: harvester }],
    ["artifact", { artifactId: expired }],
    ["sender and recipient of one receipt", { senderAddress: payer, recipientAddress: sink }],
    ["type and target", { receiptTypes: [harvest_fee], targetAddress: second.address }],
    ["target at heights", { targetAddress: harvester, fromHeight: 50, toHeight: 300 }],
    ["all at heights", { fromHeight: 77, toHeight: 297 }],
  ];
  test.each(filters)("transaction statements: %s", async (_name, filter) => {
    await compareWithAll(statementIds(blocks, filter), (request) => searchTransactionStatements(db, filter, request));
  });

  test.each([{}, { height: 400 }, { fromHeight: 50, toHeight: 250 }])("resolutions at %j", async (filter) => {
    const addresses = resolutionIds(blocks, "addressResolutions", filter);
    await compareWithAll(addresses, (request) => searchAddressResolutions(db, filter, request));
    const mosaics = resolutionIds(blocks, "mosaicResolutions", filter);
    await compareWithAll(mosaics, (request) => searchMosaicResolutions(db, filter, request));
  });
});

test("the recorded chain is large enough to pass skip pointers", () => {
  const lengths = [
    transactionIds(blocks, { address: busy.address }).length,
    transactionIds(blocks, { types: [aggregate_complete] }).length,
    statementIds(blocks, { targetAddress: harvester }).length,
    transactionIds(blocks, { transferMosaicId: currency, embedded: true }).length,
  ];
  expect(Math.max(...lengths)).toBeGreaterThan(256);
  expect(lengths.filter((length) => length > 128).length).toBeGreaterThan(2);
});
