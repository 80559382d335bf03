import { expect, test } from "@jest/globals";
import { ed25519 } from "@noble/curves/ed25519.js";
import { eightTimes } from "../../catapult/curve-point.js";
import { FIELD_PRIME, invert, powerForRoot } from "../../catapult/field-25519.js";
import { SeededRandom } from "../support/seeded-random.js";

const random = new SeededRandom();
const randomBytes = () => Buffer.from(Array.from({ length: 32 }, () => random.below(256)));
const edges = [0n, 1n, 2n, 2n ** 254n, FIELD_PRIME - 2n, FIELD_PRIME - 1n, FIELD_PRIME, 2n ** 255n - 1n];
const randomNumbers = Array.from({ length: 500 }, () => BigInt(`0x${randomBytes().toString("hex")}`) >> 1n);
const ones = Array.from({ length: 255 }, (_, bits) => 2n ** BigInt(bits + 1) - 1n);

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (const digit of exponent.toString(2)) {
    result = (result * result) % FIELD_PRIME;
    if (digit === "1") result = (result * base) % FIELD_PRIME;
  }
  return result;
}

test("powers in floating point are those of integers", () => {
  for (const x of [...edges, ...ones, ...randomNumbers]) {
    expect(powerForRoot(x)).toBe(power(x, 2n ** 252n - 3n));
    expect(invert(x)).toBe(power(x, FIELD_PRIME - 2n));
  }
});

function byLibrary(bytes: Buffer): Buffer | undefined {
  try {
    return Buffer.from(ed25519.Point.fromBytes(bytes).double().double().double().toBytes());
  } catch {
    return undefined;
  }
}

function littleEndian(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, "0"), "hex").reverse();
}

test("eight times a point is what the library says, and so is what is none", () => {
  const all = [...edges, ...edges.map((y) => y + 2n ** 255n)].map(littleEndian);
  for (let i = 0; i < 500; i++) all.push(randomBytes());
  const found = all.map((bytes) => eightTimes(bytes)?.toString("hex"));
  expect(found).toEqual(all.map((bytes) => byLibrary(bytes)?.toString("hex")));
  expect(found.filter((point) => point === undefined).length).toBeGreaterThan(100);
  expect(eightTimes(Buffer.alloc(31))).toBeUndefined();
});
