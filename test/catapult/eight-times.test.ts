import { createHash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { ed25519 } from "@noble/curves/ed25519.js";
import { eightTimes } from "../../catapult/crypto/eight-times.js";
import { SeededRandom } from "../support/seeded-random.js";

const P = 2n ** 255n - 19n;

/** The same by the library that does all other computations on this curve. */
function byLibrary(bytes: Buffer): string | undefined {
  try {
    return Buffer.from(ed25519.Point.fromBytes(bytes).double().double().double().toBytes()).toString("hex");
  } catch {
    return undefined;
  }
}

function littleEndian(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, "0"), "hex").reverse();
}

/** The same bytes with both signs. */
function withSigns(value: bigint): Buffer[] {
  return [littleEndian(value), littleEndian(value + 2n ** 255n)];
}

describe("eight times a point", () => {
  test("equals the library's result, for points and for invalid ones", () => {
    const random = new SeededRandom();
    let points = 0;
    for (let round = 0; round < 400; ++round) {
      const bytes = createHash("sha256")
        .update(`${random.below(2 ** 31)} ${round}`)
        .digest();
      const expected = byLibrary(bytes);
      expect([bytes.toString("hex"), eightTimes(bytes)?.toString("hex")]).toEqual([bytes.toString("hex"), expected]);
      points += Number(expected !== undefined);
    }
    expect(points).toBeGreaterThan(120);
    expect(points).toBeLessThan(280);
  });

  test("is the neutral element for points of small order, and undefined for bytes beyond the field", () => {
    const orderEight = BigInt("0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7");
    const small = [0n, 1n, P - 1n, orderEight, P - orderEight];
    const beyond = [P, P + 1n, 2n ** 255n - 1n];
    let neutral = 0;
    for (const bytes of [...small, ...beyond, 2n, 3n, 4n, 5n, 6n].flatMap(withSigns)) {
      const found = eightTimes(bytes)?.toString("hex");
      expect([bytes.toString("hex"), found]).toEqual([bytes.toString("hex"), byLibrary(bytes)]);
      neutral += Number(found === littleEndian(1n).toString("hex"));
    }
    expect(neutral).toBe(8);
    expect(eightTimes(Buffer.alloc(31))).toBeUndefined();
  });
});
