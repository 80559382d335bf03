import { describe, expect, test } from "@jest/globals";
import { CopyDecoder } from "../../indexer/step/copy-decoder.js";
import { COPY_HEADER, COPY_TRAILER, CopyEncoder } from "../../indexer/step/copy-encoder.js";
import { SeededRandom } from "../support/seeded-random.js";

/** Rows of a text and bytes, some of them large, some null. */
function drawRows(random: SeededRandom): (Buffer | undefined)[][] {
  return Array.from({ length: random.below(30) }, () => [
    Buffer.from(`row ${random.below(1_000)}`),
    random.below(4) === 0
      ? undefined
      : Buffer.alloc(random.below(random.below(2) === 0 ? 5 : 9_000), random.below(256)),
  ]);
}

function encode(rows: readonly (Buffer | undefined)[][]): Buffer {
  const encoder = new CopyEncoder(["bytea", "bytea"]);
  for (const row of rows) encoder.row(row);
  return Buffer.concat([COPY_HEADER, encoder.bytes(), COPY_TRAILER]);
}

const digits = (row: readonly (Buffer | undefined)[]) => row.map((value) => value?.toString("hex") ?? "");

/** Chunks of one size, or of random ones. */
function* chunksOf(bytes: Buffer, sizeOf: () => number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const end = start + sizeOf();
    yield bytes.subarray(start, end);
    start = end;
  }
}

describe("rows in the binary format of COPY", () => {
  test("are read from chunks of any size, each as soon as it is complete", () => {
    const random = new SeededRandom();
    for (let round = 0; round < 12; round++) {
      const rows = drawRows(random);
      const bytes = encode(rows);
      const sizes = [() => 1, () => 1 + random.below(20), () => 1 + random.below(5_000), () => bytes.length];
      for (const sizeOf of sizes) {
        const decoder = new CopyDecoder();
        const found = [...chunksOf(bytes, sizeOf)].flatMap((chunk) => [...decoder.rows(chunk)]);
        expect(found.map(digits)).toEqual(rows.map(digits));
      }
      const withoutEnd = new CopyDecoder();
      expect([...withoutEnd.rows(bytes.subarray(0, -COPY_TRAILER.length))]).toHaveLength(rows.length);
    }
  });
});
