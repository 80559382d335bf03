import { expect, test } from "@jest/globals";
import { AGGREGATE, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { sha3 } from "../../catapult/entity/hashes.js";
import {
  cosignaturesStart,
  merkleComponentCharacters,
  merkleComponentHash,
} from "../../catapult/entity/merkle-component.js";
import { SeededRandom } from "../support/seeded-random.js";

const random = new SeededRandom();
const PAYLOAD_SIZE = 56;
const HASH = random.bytes(32);

/** An aggregate with this many cosignatures, and the public keys of their signers. */
function aggregateOf(cosigners: number, isWhole = true) {
  const keys = Array.from({ length: cosigners }, () => random.bytes(32));
  const cosignatures = keys.map((key) => Buffer.concat([Buffer.alloc(8), key, random.bytes(64)]));
  const header = random.bytes(AGGREGATE.headerSize);
  const rest = Buffer.concat([random.bytes(PAYLOAD_SIZE), ...cosignatures]);
  header.writeUInt32LE(header.length + rest.length, VERIFIABLE.size);
  header.writeUInt16LE(0x4141, VERIFIABLE.type);
  header.writeUInt32LE(PAYLOAD_SIZE, AGGREGATE.payloadSize);
  return { keys, bytes: Buffer.concat([header, isWhole ? rest : rest.subarray(PAYLOAD_SIZE)]) };
}

/** The same bytes among others, and where they start. */
function amongOthers(bytes: Buffer) {
  const before = random.bytes(13);
  return { all: Buffer.concat([before, bytes, random.bytes(200)]), start: before.length };
}

test.each([0, 1, 2, 25, 63, 64, 300])("the leaf of an aggregate with %d cosignatures", (cosigners) => {
  const { keys, bytes } = aggregateOf(cosigners);
  expect(merkleComponentHash(HASH, bytes)).toEqual(cosigners > 0 ? sha3(Buffer.concat([HASH, ...keys])) : HASH);
});

test("the leaf of another transaction is its hash, whatever its bytes", () => {
  const { bytes } = aggregateOf(2);
  bytes.writeUInt16LE(0x4154, VERIFIABLE.type);
  expect(merkleComponentHash(HASH, bytes)).toBe(HASH);
});

test.each([
  ["whole", true],
  ["without its embedded transactions", false],
])("the cosignatures of an aggregate among other bytes, %s", (_, isWhole) => {
  const { keys, bytes } = aggregateOf(3, isWhole);
  const { all, start } = amongOthers(bytes);
  const end = start + bytes.length;
  const cosignatures = cosignaturesStart(all, start, end);
  expect(end - cosignatures).toBe(3 * 104);
  const hashes = Buffer.concat([random.bytes(5), HASH]);
  const characters = merkleComponentCharacters(hashes, 5, all, cosignatures, end);
  expect(Buffer.from(characters, "latin1")).toEqual(sha3(Buffer.concat([HASH, ...keys])));
});

test.each([
  ["a part of a cosignature", (bytes: Buffer) => bytes.subarray(0, -1)],
  ["less than a header", (bytes: Buffer) => bytes.subarray(0, AGGREGATE.headerSize - 1)],
])("there are no cosignatures in an aggregate of unknown version that ends with %s", (_, cut) => {
  const bytes = Buffer.from(cut(aggregateOf(2).bytes));
  bytes.writeUInt32LE(bytes.length, VERIFIABLE.size);
  const { all, start } = amongOthers(bytes);
  expect(cosignaturesStart(all, start, start + bytes.length)).toBe(start + bytes.length);
  expect(merkleComponentHash(HASH, bytes)).toBe(HASH);
});

test("embedded transactions that would end after the aggregate leave no room for cosignatures", () => {
  const { bytes } = aggregateOf(2);
  bytes.writeUInt32LE(0xffffffff, AGGREGATE.payloadSize);
  expect(cosignaturesStart(bytes, 0, bytes.length)).toBe(bytes.length);
});
