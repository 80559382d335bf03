import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { formatEntityId } from "../../catapult/json/entity-id.js";
import { idText } from "../../catapult/json/format.js";
import { SeededRandom } from "../support/seeded-random.js";
import {
  aggregateType,
  harvestReceiptType,
  type SyntheticAccount,
  type SyntheticBlock,
  syntheticAccounts,
  syntheticMosaics,
  transferType,
} from "../support/synthetic-chain.js";
import { blockIds, resolutionIds, statementIds, transactionIds } from "../support/synthetic-search.js";
import { GatewayFixture } from "./gateway-fixture.js";

const BLOCKS = 160;
/** Lists that `npm test` draws for each order. */
const SOME = 9;
const random = new SeededRandom();
const chain = { blocks: BLOCKS, seed: 11, accounts: 4 };
const [busy, second] = syntheticAccounts(chain.seed) as [SyntheticAccount, SyntheticAccount];
const [currency] = syntheticMosaics as [bigint];
const address = encodeAddress(busy.address);
const signer = busy.publicKey.toString("hex");

let gateway: GatewayFixture;

beforeAll(async () => {
  gateway = await GatewayFixture.start(chain);
});

afterAll(() => gateway?.close());

interface TestPage {
  readonly data: readonly { readonly id: string }[];
  readonly pagination: object;
}

async function page(path: string): Promise<TestPage> {
  const { status, body, text } = await gateway.get(path);
  expect({ path, status, text: status === 200 ? "" : text }).toEqual({ path, status: 200, text: "" });
  return body;
}

type Ids = (blocks: readonly SyntheticBlock[]) => Buffer[];

/** A request for a list, and the simplest query for its ids. */
const lists: [request: string, ids: Ids][] = [
  ["/blocks?", (blocks) => blockIds(blocks, {})],
  [`/blocks?signerPublicKey=${signer}`, (blocks) => blockIds(blocks, { signerPublicKey: busy.publicKey })],
  [
    `/blocks?beneficiaryAddress=${address}&fromTimestamp=300000&toTimestamp=4500000`,
    (blocks) => blockIds(blocks, { beneficiaryAddress: busy.address, fromTimestamp: 300_000, toTimestamp: 4_500_000 }),
  ],
  ["/transactions/confirmed?", (blocks) => transactionIds(blocks, {})],
  ["/transactions/confirmed?embedded=true", (blocks) => transactionIds(blocks, { embedded: true })],
  ["/transactions/confirmed?embedded=false", (blocks) => transactionIds(blocks, { embedded: false })],
  [`/transactions/confirmed?address=${address}`, (blocks) => transactionIds(blocks, { address: busy.address })],
  [
    `/transactions/confirmed?address=${address}&type=${transferType}&type=${aggregateType}&embedded=true`,
    (blocks) => transactionIds(blocks, { address: busy.address, types: [transferType, aggregateType], embedded: true }),
  ],
  [
    `/transactions/confirmed?signerPublicKey=${signer}&recipientAddress=${encodeAddress(second.address)}&embedded=true`,
    (blocks) =>
      transactionIds(blocks, { signerPublicKey: busy.publicKey, recipientAddress: second.address, embedded: true }),
  ],
  [
    `/transactions/confirmed?transferMosaicId=${idText(currency)}&fromTransferAmount=300000&toTransferAmount=18446744073709551615`,
    (blocks) => transactionIds(blocks, { transferMosaicId: currency, fromTransferAmount: 300_000n }),
  ],
  [`/transactions/confirmed?transferMosaicId=${idText(currency)}&fromTransferAmount=18446744073709551615`, () => []],
  [
    "/transactions/confirmed?fromHeight=20&toHeight=99999999999999&embedded=true",
    (blocks) => transactionIds(blocks, { fromHeight: 20, embedded: true }),
  ],
  ["/transactions/confirmed?height=9", (blocks) => transactionIds(blocks, { height: 9 })],
  ["/transactions/confirmed?height=18446744073709551615", () => []],
  // The last height that an id can have.
  ["/transactions/confirmed?height=2147483647", () => []],
  ["/transactions/confirmed?toHeight=2147483647", (blocks) => transactionIds(blocks, {})],
  ["/statements/transaction?", (blocks) => statementIds(blocks, {})],
  [
    `/statements/transaction?receiptType=${harvestReceiptType}&targetAddress=${address}`,
    (blocks) => statementIds(blocks, { receiptTypes: [harvestReceiptType], targetAddress: busy.address }),
  ],
  [
    `/statements/transaction?artifactId=${idText(currency)}&fromHeight=0`,
    (blocks) => statementIds(blocks, { artifactId: currency }),
  ],
  [
    `/statements/transaction?senderAddress=${address}&toHeight=120`,
    (blocks) => statementIds(blocks, { senderAddress: busy.address, toHeight: 120 }),
  ],
  [
    `/statements/transaction?recipientAddress=${address}`,
    (blocks) => statementIds(blocks, { recipientAddress: busy.address }),
  ],
  ["/statements/resolutions/address?", (blocks) => resolutionIds(blocks, "addressResolutions", {})],
  [
    "/statements/resolutions/mosaic?fromHeight=30&toHeight=140",
    (blocks) => resolutionIds(blocks, "mosaicResolutions", { fromHeight: 30, toHeight: 140 }),
  ],
];

describe.each(["asc", "desc"] as const)("%s", (order) => {
  test.each(random.sample(lists, SOME))("%s", async (request, ids) => {
    const ascending = ids(gateway.blocks).map(formatEntityId);
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

test("with catapult-rest's defaults, page sizes out of range become the nearest within", async () => {
  const clamping = await GatewayFixture.start({ blocks: 120, seed: 5 }, { compatibility: "catapult-rest" });
  try {
    for (const [given, pageSize] of [
      ["5", 10],
      ["0", 20],
      ["", 20],
      ["25", 25],
      ["101", 100],
      ["99999999999999999999", 100],
    ]) {
      const { status, body } = await clamping.get(`/blocks?pageSize=${given}`);
      expect({ given, status, pagination: body.pagination }).toMatchObject({
        given,
        status: 200,
        pagination: { pageSize },
      });
      expect(body.data).toHaveLength(pageSize as number);
    }
    expect((await clamping.get("/blocks?pageSize=abc")).status).toBe(409);
    expect((await clamping.get("/blocks?pageSize=-3")).status).toBe(409);
  } finally {
    await clamping.close();
  }
});
