import { expect, test } from "@jest/globals";
import { Address, generateNamespacePath, generateMosaicId as symbolSdkMosaicId } from "symbol-sdk/symbol";
import { generateMosaicId, namespaceIdOfName } from "../../catapult/entity/generated-id.js";

test.each(["symbol", "symbol.xym", "a.b-c.d_9", "x".repeat(64)])("the id of %s is that of symbol-sdk", (name) => {
  expect(namespaceIdOfName(name)).toBe(generateNamespacePath(name).at(-1));
});

test.each(["", ".", "a..b", "A", "-a", "a.b.c.d", "a b", "x".repeat(65)])("no namespace can be named '%s'", (name) => {
  expect(namespaceIdOfName(name)).toBeUndefined();
});

test("ids of mosaics are those of symbol-sdk", () => {
  for (const nonce of [0, 1, 2 ** 31, 2 ** 32 - 1]) {
    const owner = Buffer.alloc(24, nonce % 251);
    expect(generateMosaicId(owner, nonce)).toBe(symbolSdkMosaicId(new Address(new Uint8Array(owner)), nonce));
  }
});
