import { describe, expect, test } from "@jest/globals";
import { type Members, object, rendered } from "../../catapult/values/body-writer.js";
import { decimal, divisibility, mosaicId } from "../../catapult/values/codecs.js";
import { JsonWriter, literal } from "../../catapult/values/json-writer.js";

describe("a writer of JSON", () => {
  const written = (write: (writer: JsonWriter) => void) => {
    const writer = new JsonWriter();
    write(writer);
    return writer.text();
  };

  test("writes all digits of numbers", () => {
    const numbers = [0, 9, 10, 99, 100, -1, -32768, 4294967295, 2 ** 50, 2 ** 53 - 1, 1 - 2 ** 53];
    for (const number of numbers) expect(written((writer) => writer.number(number))).toBe(String(number));
    for (let digits = 1; digits < 16; ++digits)
      for (const number of [10 ** digits - 1, 10 ** digits, 10 ** digits + 1])
        expect(written((writer) => writer.number(number))).toBe(String(number));
    const eight = Buffer.alloc(8);
    for (const value of [0n, 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]) {
      eight.writeBigUInt64LE(value);
      expect(rendered(decimal.json, eight)).toBe(`"${value}"`);
      expect(rendered(mosaicId.json, eight)).toBe(`"${value.toString(16).toUpperCase().padStart(16, "0")}"`);
    }
  });

  test("writes any text, grows, and can be cleared", () => {
    const writer = new JsonWriter();
    writer.string("lost");
    writer.clear();
    const long = `"\\\n ${"ü€😀".repeat(10_000)}\u0000`;
    writer.string(long);
    writer.literal(literal(","));
    writer.hex(Buffer.alloc(20_000, 0xa5));
    const expected = `${JSON.stringify(long)},"${"A5".repeat(20_000)}"`;
    expect(writer.text()).toBe(expected);
    const parts = writer.parts();
    expect(parts.length).toBeGreaterThan(1);
    expect(Buffer.from(parts.join(""), "latin1").toString()).toBe(expected);
    expect(writer.size).toBe(Buffer.byteLength(expected));
    writer.clear();
    writer.digits("0A");
    expect(writer.text()).toBe('"0A"');
  });
});

describe("a writer of a body", () => {
  interface Body {
    readonly amount: string;
    readonly count?: number | undefined;
    readonly type: 5;
  }
  const count = { isPresent: (bytes: Buffer) => bytes[8] !== 0, write: divisibility.json, offset: 8 };
  const members: Members<Buffer, Body> = { amount: decimal.json, count, type: { write: divisibility.json, offset: 9 } };

  test("writes its members in order", () => {
    const write = object<Buffer, Body>(members);
    expect(rendered(write, Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, 0, 5]))).toBe('{"amount":"1","type":5}');
    expect(rendered(write, Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, 2, 5]))).toBe('{"amount":"1","count":2,"type":5}');
  });

  test("writes an object without any", () => {
    expect(rendered(object<Buffer, Pick<Body, "count">>({ count }), Buffer.alloc(9))).toBe("{}");
  });

  test("does not compile unless its members are those of the definition", () => {
    // @ts-expect-error A member is missing.
    object<Buffer, Body>({ amount: decimal.json, count });
    // @ts-expect-error There is no such member.
    object<Buffer, Body>({ ...members, size: divisibility.json });
    // @ts-expect-error A number is no text.
    object<Buffer, Body>({ ...members, amount: divisibility.json });
    // @ts-expect-error A writer has to write a value of the type.
    object<Buffer, Body>({ ...members, amount: (writer) => writer.number(1) });
    expect(Object.keys(members)).toEqual(["amount", "count", "type"]);
  });
});
