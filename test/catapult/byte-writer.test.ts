import { describe, expect, test } from "@jest/globals";
import { ByteWriter } from "../../catapult/values/byte-writer.js";
import { CopyEncoder } from "../../database/binary/copy.js";
import { int2, int4, int8 } from "../../database/binary/rows.js";

describe("numbers that exceed their bytes are rejected, not truncated", () => {
  test.each<[string, (writer: ByteWriter) => void]>([
    ["uint8", (writer) => writer.uint8(256)],
    ["uint16", (writer) => writer.uint16(65_536)],
    ["uint32", (writer) => writer.uint32(2 ** 32)],
    ["uint64, a number", (writer) => writer.uint64(2 ** 53)],
    ["uint64, a bigint", (writer) => writer.uint64(2n ** 64n)],
    ["below zero", (writer) => writer.uint64(-1n)],
  ])("in a state value: %s", (_, write) => {
    expect(() => write(new ByteWriter())).toThrow(RangeError);
  });

  test.each([
    ["int2", int2, 32_768],
    ["int4", int4, 2 ** 31],
    ["int8", int8, 2n ** 63n],
  ] as const)("in a row: %s", (_, type, value) => {
    expect(() => new CopyEncoder({ type }).row({ type: value })).toThrow(RangeError);
  });

  test("the largest ones that fit are written unchanged", () => {
    const written = new ByteWriter(1)
      .uint8(255)
      .uint16(65_535)
      .uint32(4_294_967_295)
      .uint64(2n ** 64n - 1n)
      .toBuffer();
    expect(written).toEqual(Buffer.alloc(15, 0xff));
    expect(new ByteWriter().uint64(2 ** 53 - 1).toBuffer()).toEqual(Buffer.from("ffffffffffff1f00", "hex"));
    const encoder = new CopyEncoder({ int2, int4, int8 });
    encoder.row({ int2: 32_767, int4: -1, int8: 2 ** 32 + 5 });
    expect(encoder.bytes().toString("hex")).toBe("0003000000027fff00000004ffffffff000000080000000100000005");
  });
});
