import { describe, expect, test } from "@jest/globals";
import { copyOf, giveBack, keep } from "../../catapult/json/recycled-bytes.js";

const KIB = 1024;
const filled = (size: number, byte: number) => Buffer.alloc(size, byte);

describe("copies in memory that is used again", () => {
  test("have the size and the content of the original, whatever was in their memory", () => {
    for (const size of [0, 1, 4 * KIB - 1, 4 * KIB, 4 * KIB + 1, 100 * KIB, KIB * KIB, KIB * KIB + 1]) {
      for (let round = 1; round <= 3; round += 1) {
        const copy = copyOf(filled(size, round));
        expect(copy.equals(filled(size, round))).toBe(true);
        giveBack(copy);
      }
    }
  });

  test("never share memory while they are in use, and use it again afterwards", () => {
    const size = 50 * KIB;
    const first = copyOf(filled(size, 1));
    const second = copyOf(filled(size, 2));
    expect(first.buffer).not.toBe(second.buffer);
    giveBack(first);
    const third = copyOf(filled(size - 1, 3));
    expect(third.buffer).toBe(first.buffer);
    expect(second.equals(filled(size, 2))).toBe(true);
    // It is another's now.
    giveBack(first);
    expect(copyOf(filled(size, 4)).buffer).not.toBe(third.buffer);
  });

  test("that are kept are never written to again", () => {
    const copy = copyOf(filled(20 * KIB, 1));
    keep(copy);
    giveBack(copy);
    for (let time = 0; time < 10; time += 1) giveBack(copyOf(filled(20 * KIB, 2)));
    expect(copy.equals(filled(20 * KIB, 1))).toBe(true);
  });

  test("other bytes cannot be given back", () => {
    const other = filled(20 * KIB, 1);
    giveBack(other);
    giveBack(copyOf(filled(20 * KIB, 2)).subarray(0));
    expect(copyOf(filled(20 * KIB, 3)).buffer).not.toBe(other.buffer);
  });

  test("do not keep more than 8 MiB free", () => {
    const size = KIB * KIB;
    const copies = Array.from({ length: 20 }, (_, n) => copyOf(filled(size, n)));
    for (const copy of copies) giveBack(copy);
    const used = new Set(copies.map(({ buffer }) => buffer));
    const again = copies.map((_, n) => copyOf(filled(size, n)));
    expect(again.filter(({ buffer }) => used.has(buffer)).length).toBeLessThanOrEqual(8);
  });
});
