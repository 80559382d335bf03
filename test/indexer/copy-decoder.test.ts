import { describe, expect, test } from "@jest/globals";
import { COPY_HEADER, COPY_TRAILER, CopyDecoder, CopyEncoder } from "../../database/binary/copy.js";
import { bytea, nullable, RowType } from "../../database/binary/rows.js";
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
  const encoder = new CopyEncoder([bytea, bytea]);
  for (const row of rows) encoder.row(row);
  return Buffer.concat([COPY_HEADER, encoder.bytes(), COPY_TRAILER]);
}

const digits = (row: readonly (Buffer | null | undefined)[]) => row.map((value) => value?.toString("hex") ?? "null");
const ROW = new RowType({ name: bytea, value: nullable(bytea) });

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
        const decoder = new CopyDecoder(ROW);
        const found = [...chunksOf(bytes, sizeOf)].flatMap((chunk) => [...decoder.rows(chunk)]);
        expect(found.map(({ name, value }) => digits([name, value]))).toEqual(rows.map(digits));
      }
      const withoutEnd = new CopyDecoder(ROW);
      expect([...withoutEnd.rows(bytes.subarray(0, -COPY_TRAILER.length))]).toHaveLength(rows.length);
    }
  });
});
