import { describe, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { errorCodes } from "../../schema/errors/errors.js";
import { executableAccount } from "../support/executable-chain.js";
import { CHAIN_SEED } from "../support/served-chain.js";
import { GatewayFixture } from "./gateway-fixture.js";

const chain = 12;
const address = encodeAddress(executableAccount(CHAIN_SEED, 0).address);
const key = "AB".repeat(32);
const mosaic = "72C0212E67A08BCE";

const gateway = GatewayFixture.use(chain);

type Code = keyof typeof errorCodes;
/** A request, the code of its rejection, and words of the message, the argument's name first. */
type Rejection = readonly [request: string, code: Code, ...words: string[]];

const lists = [
  "/blocks",
  "/transactions/confirmed",
  "/statements/transaction",
  "/statements/resolutions/address",
  "/statements/resolutions/mosaic",
];

const pageRejections = (list: string): Rejection[] => [
  [`${list}?pageSize=abc`, "InvalidContent", "pageSize", "integer"],
  [`${list}?pageSize=10.5`, "InvalidContent", "pageSize"],
  [`${list}?pageSize=1e2`, "InvalidContent", "pageSize"],
  [`${list}?pageSize=0x20`, "InvalidContent", "pageSize"],
  [`${list}?pageSize=%2020`, "InvalidContent", "pageSize"],
  [`${list}?pageSize=${"9".repeat(100)}`, "InvalidArgument", "pageSize"],
  [`${list}?pageSize=5`, "InvalidArgument", "pageSize", "10", "100"],
  [`${list}?pageSize=0`, "InvalidArgument", "pageSize"],
  [`${list}?pageSize=-10`, "InvalidArgument", "pageSize"],
  [`${list}?pageSize=101`, "InvalidArgument", "pageSize", "10", "100"],
  [`${list}?pageSize=20&pageSize=20`, "InvalidArgument", "pageSize", "once"],
  [`${list}?pageNumber=x`, "InvalidContent", "pageNumber"],
  [`${list}?pageNumber=0`, "InvalidArgument", "pageNumber", "1"],
  [`${list}?pageNumber=-1`, "InvalidArgument", "pageNumber"],
  [`${list}?pageNumber=2147483648`, "InvalidArgument", "pageNumber"],
  [`${list}?pageNumber=99999999999999999999999`, "InvalidArgument", "pageNumber"],
  [`${list}?order=up`, "InvalidArgument", "order", "desc", "asc"],
  [`${list}?order=ASC`, "InvalidArgument", "order"],
  [`${list}?order=asc&order=desc`, "InvalidArgument", "order", "once"],
  [`${list}?orderBy=balance`, "InvalidArgument", "orderBy", "id"],
  [`${list}?offset=12`, "InvalidContent", "offset", "24 hex digits"],
  [`${list}?offset=${"Z".repeat(24)}`, "InvalidContent", "offset"],
  [`${list}?offset=${"0".repeat(25)}`, "InvalidContent", "offset"],
  [`${list}?offset=${"0".repeat(24)}&offset=${"0".repeat(24)}`, "InvalidArgument", "offset", "once"],
];

const transactions = "/transactions/confirmed";

/** What concerns one argument alone is derived from the published description: `test/contract/contract.test.ts`. */
const rejections: Rejection[] = [
  ...lists.flatMap(pageRejections),
  ...lists
    .filter((list) => list !== "/blocks")
    .flatMap((list): Rejection[] => [
      [`${list}?fromHeight=9&toHeight=8`, "InvalidArgument", "fromHeight", "toHeight"],
      [`${list}?height=4&fromHeight=5`, "InvalidArgument", "fromHeight", "height"],
      [`${list}?height=4&toHeight=3`, "InvalidArgument", "height", "toHeight"],
    ]),

  ["/blocks?fromTime=now", "InvalidContent", "fromTime", "ISO 8601"],
  ["/blocks?toTime=2025-02-30", "InvalidContent", "toTime"],
  ["/blocks?fromTime=2025-01-02&toTime=2025-01-01", "InvalidArgument", "fromTime", "toTime"],
  ["/blocks?fromTimestamp=2&toTimestamp=1", "InvalidArgument", "fromTimestamp", "toTimestamp"],
  ["/blocks?orderBy=height&offset=ABCDEF000000000000000000", "InvalidContent", "offset"],
  ["/blocks?offset=7", "InvalidContent", "offset", "orderBy=height"],

  [`${transactions}?${Array.from({ length: 33 }, (_, type) => `type=${type}`).join("&")}`, "InvalidArgument", "32"],
  [`${transactions}?fromTransferAmount=10`, "InvalidArgument", "fromTransferAmount", "transferMosaicId"],
  [`${transactions}?toTransferAmount=10`, "InvalidArgument", "toTransferAmount", "transferMosaicId"],
  [
    `${transactions}?transferMosaicId=${mosaic}&fromTransferAmount=2&toTransferAmount=1`,
    "InvalidArgument",
    "fromTransferAmount",
    "toTransferAmount",
  ],
  [`${transactions}?address=${address}&signerPublicKey=${key}`, "InvalidArgument", "address", "signerPublicKey"],
  [`${transactions}?address=${address}&recipientAddress=${address}`, "InvalidArgument", "address", "recipientAddress"],

  ["/accounts?orderBy=balance", "InvalidArgument", "orderBy", "mosaicId"],
  ["/accounts?offset=123", "InvalidContent", "offset", "orderBy=balance"],
  [`/accounts?orderBy=balance&mosaicId=${mosaic}&offset=18446744073709551616`, "InvalidContent", "offset"],
  [`/accounts?orderBy=balance&mosaicId=${mosaic}&offset=-1`, "InvalidContent", "offset"],

  ["/no/such/path", "ResourceNotFound", "/no/such/path"],
  ["/Blocks", "ResourceNotFound", "/Blocks"],
  ["/blocks/", "ResourceNotFound", "/blocks/"],
];

function expectRejection(
  answer: { status: number; body: { code: string; message: string } },
  code: Code,
  words: readonly string[],
) {
  expect(answer).toMatchObject({ status: errorCodes[code].status, body: { code } });
  expect(Object.keys(answer.body)).toEqual(["code", "message"]);
  for (const word of words) expect(answer.body.message).toContain(word);
}

describe("GET", () => {
  test.each(rejections.map(([request, ...rest]) => [request.slice(0, 120), request, rest] as const))(
    "%s",
    async (_name, request, [code, ...words]) => {
      expectRejection(await gateway.get(request), code, words);
    },
  );
});

describe("heights count from 1", () => {
  test.each(lists.filter((list) => list !== "/blocks"))("at height 0 %s is empty", async (list) => {
    for (const name of ["height", "toHeight"]) {
      const { status, body } = await gateway.get(`${list}?${name}=0`);
      expect({ status, body }).toMatchObject({ status: 200, body: { data: [], pagination: { totalEntries: 0 } } });
    }
  });

  test.each(["/blocks/0", `/blocks/0/transactions/${key}/merkle`, `/blocks/0/statements/${key}/merkle`])(
    "%s does not exist",
    async (path) => expectRejection(await gateway.get(path), "ResourceNotFound", ["0"]),
  );
});

/** The others are derived from the published description too. */
test.each([
  ["an empty body", "", "InvalidArgument", ["transactionIds", "missing"]],
  ["neither list", { ids: [] }, "InvalidArgument", ["transactionIds", "hashes"]],
  ["an id in place of a hash", { hashes: ["0".repeat(24)] }, "InvalidContent", ["hashes[0]", "64 hex digits"]],
] as const)("POST /transactions/confirmed with %s", async (_name, body, code, words) => {
  expectRejection(await gateway.post("/transactions/confirmed", body), code, words);
});

test("an unknown query parameter is rejected, and the nearest one named", async () => {
  for (const [path, ...words] of [
    ["/blocks?pagesize=30", '"pagesize"', "did you mean pageSize"],
    ["/blocks?fromTimes=5", '"fromTimes"', "did you mean fromTime"],
    ["/transactions/confirmed?adress=X&pageSize=10", '"adress"', "did you mean address"],
    ["/transactions/confirmed?height=4&height%20=5", '"height "', "did you mean height"],
    ["/blocks?constructor=1", '"constructor"', "the parameters are signerPublicKey, beneficiaryAddress"],
    ["/chain/info?height=1", '"height"', "this path has none"],
  ] as const) {
    expectRejection(await gateway.get(path), "InvalidArgument", words);
  }
  for (const path of ["/blocks?", "/blocks?&", "/blocks?unknown=", "/blocks?unknown"]) {
    expect((await gateway.get(path)).status).toBe(200);
  }
});

test("the same value for height and both bounds is no contradiction", async () => {
  expect((await gateway.get("/transactions/confirmed?height=4&fromHeight=4&toHeight=4")).status).toBe(200);
});

test("an alias address is an address", async () => {
  const alias = Buffer.alloc(24);
  alias[0] = 153;
  alias.writeBigUInt64LE(0xe74b99ba41f4afeen, 1);
  for (const text of [encodeAddress(alias), alias.toString("hex")]) {
    const { status, body } = await gateway.get(`/transactions/confirmed?recipientAddress=${text}`);
    expect({ status, entries: body.data }).toEqual({ status: 200, entries: [] });
  }
});
