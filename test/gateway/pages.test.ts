import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import { formatEntityId } from "../../catapult/json/entity-id.js";
import { idText } from "../../catapult/json/format.js";
import { RECEIPT_TYPE, TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import type { Gateway } from "../../gateway/server.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { RecordedChain } from "../support/recorded-chain.js";
import { recordedBlocks } from "../support/recorded-facts.js";
import { executedIndex } from "../support/recorded-index.js";
import { blockIds, resolutionIds, searchedFor, statementIds, transactionIds } from "../support/scanned-lists.js";
import { SeededRandom } from "../support/seeded-random.js";
import { startTestGateway } from "../support/test-gateway.js";
import { GatewayFixture } from "./gateway-fixture.js";

/** Lists that `npm test` draws for each order. */
const SOME = 9;
const random = new SeededRandom();
const chain = new RecordedChain();
const blocks = recordedBlocks(chain);
const { busy, recipient, mosaics, payer, sink, harvester, expired } = searchedFor(blocks);
const [currency] = mosaics as [bigint];
const { signerPublicKey: harvesting, beneficiaryAddress } = blocks.at(-1)!;
const [from, to] = [blocks[99]!.timestamp, blocks[299]!.timestamp];
const { transfer, aggregate_complete } = TRANSACTION_TYPE;
const address = encodeAddress(busy.address);
const signer = busy.publicKey.toString("hex");

let index: IndexedDatabase;
let gateway: Gateway;

beforeAll(async () => {
  index = await executedIndex(chain);
  gateway = await startTestGateway({ databaseUrl: index.url, nodes: [{ host: "127.0.0.1", port: 1 }] });
});

afterAll(async () => {
  await gateway?.stop();
  await index?.drop();
});

interface TestPage {
  readonly data: readonly { readonly id: string }[];
  readonly pagination: object;
}

async function page(path: string): Promise<TestPage> {
  const response = await fetch(`http://127.0.0.1:${gateway.port}${path}`);
  const text = await response.text();
  expect({ path, status: response.status, text: response.ok ? "" : text }).toEqual({ path, status: 200, text: "" });
  return JSON.parse(text);
}

type Ids = () => Buffer[];

/** A request for a list, and the simplest query for its ids. */
const lists: [request: string, ids: Ids][] = [
  ["/blocks?", () => blockIds(blocks, {})],
  [`/blocks?signerPublicKey=${hex(harvesting)}`, () => blockIds(blocks, { signerPublicKey: harvesting })],
  [
    `/blocks?beneficiaryAddress=${encodeAddress(beneficiaryAddress)}&fromTimestamp=${from}&toTimestamp=${to}`,
    () => blockIds(blocks, { beneficiaryAddress, fromTimestamp: from, toTimestamp: to }),
  ],
  ["/transactions/confirmed?", () => transactionIds(blocks, {})],
  ["/transactions/confirmed?embedded=true", () => transactionIds(blocks, { embedded: true })],
  ["/transactions/confirmed?embedded=false", () => transactionIds(blocks, { embedded: false })],
  [`/transactions/confirmed?address=${address}`, () => transactionIds(blocks, { address: busy.address })],
  [
    `/transactions/confirmed?address=${address}&type=${transfer}&type=${aggregate_complete}&embedded=true`,
    () => transactionIds(blocks, { address: busy.address, types: [transfer, aggregate_complete], embedded: true }),
  ],
  [
    `/transactions/confirmed?signerPublicKey=${signer}&recipientAddress=${encodeAddress(recipient)}&embedded=true`,
    () => transactionIds(blocks, { signerPublicKey: busy.publicKey, recipientAddress: recipient, embedded: true }),
  ],
  [
    `/transactions/confirmed?transferMosaicId=${idText(currency)}&fromTransferAmount=2&toTransferAmount=18446744073709551615`,
    () => transactionIds(blocks, { transferMosaicId: currency, fromTransferAmount: 2n }),
  ],
  [`/transactions/confirmed?transferMosaicId=${idText(currency)}&fromTransferAmount=18446744073709551615`, () => []],
  [
    "/transactions/confirmed?fromHeight=200&toHeight=99999999999999&embedded=true",
    () => transactionIds(blocks, { fromHeight: 200, embedded: true }),
  ],
  ["/transactions/confirmed?height=400", () => transactionIds(blocks, { height: 400 })],
  ["/transactions/confirmed?height=18446744073709551615", () => []],
  // The last height that an id can have.
  ["/transactions/confirmed?height=2147483647", () => []],
  ["/transactions/confirmed?toHeight=2147483647", () => transactionIds(blocks, {})],
  ["/statements/transaction?", () => statementIds(blocks, {})],
  [
    `/statements/transaction?receiptType=${RECEIPT_TYPE.harvest_fee}&targetAddress=${encodeAddress(harvester)}`,
    () => statementIds(blocks, { receiptTypes: [RECEIPT_TYPE.harvest_fee], targetAddress: harvester }),
  ],
  [
    `/statements/transaction?artifactId=${idText(expired)}&fromHeight=0`,
    () => statementIds(blocks, { artifactId: expired }),
  ],
  [
    `/statements/transaction?senderAddress=${encodeAddress(payer)}&toHeight=420`,
    () => statementIds(blocks, { senderAddress: payer, toHeight: 420 }),
  ],
  [
    `/statements/transaction?recipientAddress=${encodeAddress(sink)}`,
    () => statementIds(blocks, { recipientAddress: sink }),
  ],
  ["/statements/resolutions/address?", () => resolutionIds(blocks, "addressResolutions", {})],
  [
    "/statements/resolutions/mosaic?fromHeight=300&toHeight=500",
    () => resolutionIds(blocks, "mosaicResolutions", { fromHeight: 300, toHeight: 500 }),
  ],
];

describe.each(["asc", "desc"] as const)("%s", (order) => {
  test.each(random.sample(lists, SOME))("%s", async (request, ids) => {
    const ascending = ids().map(formatEntityId);
    const expected = order === "asc" ? ascending : ascending.toReversed();
    const totalEntries = expected.length;
    const sized = `${request}&order=${order}&pageSize=23`;
    const totalPages = Math.ceil(totalEntries / 23);

    const byNumber: string[] = [];
    for (let pageNumber = 1; pageNumber <= totalPages + 1; pageNumber += 1) {
      const { data, pagination } = await page(`${sized}&pageNumber=${pageNumber}`);
      expect(pagination).toEqual({ pageNumber, pageSize: 23, totalEntries, totalPages });
      byNumber.push(...data.map(({ id }) => id));
    }
    expect(byNumber).toEqual(expected);

    const byOffset: string[] = [];
    for (let offset = ""; ; offset = `&offset=${byOffset.at(-1)}`) {
      const { data, pagination } = await page(`${sized}${offset}`);
      expect(pagination).toEqual({ pageNumber: 1, pageSize: 23, totalEntries, totalPages });
      if (data.length === 0) break;
      byOffset.push(...data.map(({ id }) => id));
    }
    expect(byOffset).toEqual(expected);
  });
});

test("without order the newest are first", async () => {
  for (const list of ["/blocks", "/transactions/confirmed", "/statements/transaction"]) {
    const { data } = await page(list);
    expect(data).toEqual((await page(`${list}?order=desc&pageSize=10&pageNumber=1&orderBy=id`)).data);
    expect(data.map(({ id }) => id)).toEqual(
      data
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
  }
});

const clamping = GatewayFixture.use(120, { compatibility: "catapult-rest" });

test("with catapult-rest's defaults, page sizes out of range become the nearest within", async () => {
  for (const [given, pageSize] of [
    ["5", 10],
    ["0", 20],
    ["", 20],
    ["25", 25],
    ["101", 100],
    ["99999999999999999999", 100],
  ] as const) {
    const { status, body } = await clamping.get(`/blocks?pageSize=${given}`);
    expect({ given, status, pagination: body.pagination }).toMatchObject({
      given,
      status: 200,
      pagination: { pageSize },
    });
    expect(body.data).toHaveLength(pageSize);
  }
  expect((await clamping.get("/blocks?pageSize=abc")).status).toBe(409);
  expect((await clamping.get("/blocks?pageSize=-3")).status).toBe(409);
});
