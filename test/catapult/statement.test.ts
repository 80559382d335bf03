import { describe, expect, test } from "@jest/globals";
import { models } from "symbol-sdk/symbol";
import { encodeAddress } from "../../catapult/entity/address.js";
import { BlockAliases } from "../../catapult/entity/block-aliases.js";
import { EntityError } from "../../catapult/entity/entity-error.js";
import { decodeStatement } from "../../catapult/entity/statement.js";
import { readReceipt } from "../../catapult/structs/receipt.js";
import { describeVectors } from "../support/describe-chains.js";

/** Names of receipt types in the client library, by number. */
const receiptTypeNames: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(models.ReceiptType).flatMap(([name, type]) =>
    type instanceof models.ReceiptType ? [[type.value, name]] : [],
  ),
);

const ADDRESS_FIELDS = [
  ["target_address", "targetAddress"],
  ["sender_address", "senderAddress"],
  ["recipient_address", "recipientAddress"],
] as const;

/** `LOCK_HASH_CREATED` and `lock_hash_created_fee_receipt` are the same. */
function plainName(name: string): string {
  return name.toLowerCase().replace("_receipt", "").replace("_fee", "");
}

describeVectors("published receipts", "receipts", (vectors) => {
  test.each(vectors.map((vector) => [vector.schema_name, vector] as const))("%s", (_name, vector) => {
    const receipt = readReceipt(Buffer.from(vector.payload, "hex"));
    const described = vector.descriptor as Record<string, unknown> & { type: string };
    expect(plainName(receiptTypeNames[receipt.type]!)).toBe(plainName(described.type));
    expect(receipt.kind).not.toBe("unknown");
    for (const [name, key] of ADDRESS_FIELDS)
      if (name in described) expect(encodeAddress((receipt as never)[key])).toBe(described[name]);
    const mosaic = described.mosaic as { mosaic_id: number; amount: number } | undefined;
    // The vectors are JSON numbers, which are not exact here.
    if (mosaic) {
      expect("mosaicId" in receipt && Number(receipt.mosaicId)).toBe(mosaic.mosaic_id);
      expect("amount" in receipt && Number(receipt.amount)).toBe(mosaic.amount);
    }
    if ("artifact_id" in described)
      expect("artifactId" in receipt && Number(receipt.artifactId)).toBe(described.artifact_id);
  });
});

describeVectors("the published block statement", "other", (vectors) => {
  const payload = Buffer.from(vectors.find((vector) => vector.schema_name === "BlockStatement")!.payload, "hex");

  test("is decoded", () => {
    const statement = decodeStatement(payload);
    expect(statement.transactionStatements.length).toBeGreaterThan(0);
    expect(statement.addressResolutions.length).toBeGreaterThan(0);
    expect(statement.mosaicResolutions.length).toBeGreaterThan(0);
    for (const { receipts } of statement.transactionStatements)
      for (const receipt of receipts) expect(receipt.kind).not.toBe("unknown");
  });

  test("is rejected at any other length", () => {
    for (let length = 0; length < payload.length; ++length)
      expect(() => decodeStatement(payload.subarray(0, length))).toThrow(EntityError);
    expect(() => decodeStatement(Buffer.concat([payload, Buffer.alloc(1)]))).toThrow(EntityError);
  });
});

test("inconsistent counts are rejected before memory is allocated for them", () => {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32LE(0xffffffff, 0);
  expect(() => decodeStatement(bytes)).toThrow(/transactionStatements: 4294967295 do not fit into 8 bytes/);
});

describe("resolution within a block", () => {
  const alias = 0x8000000000000001n;
  const statement = {
    transactionStatements: [],
    addressResolutions: [],
    mosaicResolutions: [
      {
        unresolved: alias,
        hash: Buffer.alloc(32),
        bytes: Buffer.alloc(0),
        entries: [
          { source: { primaryId: 2, secondaryId: 1 }, resolved: 10n },
          { source: { primaryId: 2, secondaryId: 3 }, resolved: 20n },
          { source: { primaryId: 5, secondaryId: 0 }, resolved: 30n },
        ],
      },
    ],
  };

  const aliases = new BlockAliases({ transactions: [], statement });

  test.each([
    [1, 9, alias],
    [2, 0, alias],
    [2, 1, 10n],
    [2, 2, 10n],
    [2, 3, 20n],
    [4, 7, 20n],
    [5, 0, 30n],
    [6, 0, 30n],
  ])("at source (%d, %d) gives %s", (primaryId, secondaryId, expected) => {
    expect(aliases.mosaic(alias, { primaryId, secondaryId })).toBe(expected);
  });

  test("leaves addresses that are no alias, and aliases without a target, unchanged", () => {
    const source = { primaryId: 1, secondaryId: 0 };
    expect(aliases.mosaic(5n, source)).toBe(5n);
    const address = Buffer.alloc(24, 0x98);
    expect(aliases.address(address, source)).toBe(address);
    expect(aliases.address(Buffer.alloc(24, 0x99), source)).toEqual(Buffer.alloc(24, 0x99));
  });
});
