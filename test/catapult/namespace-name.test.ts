import { expect, test } from "@jest/globals";
import { generateNamespacePath } from "symbol-sdk/symbol";
import { namespaceIdOfName } from "../../catapult/entity/generated-id.js";

test.each(["symbol", "symbol.xym", "a.b-c.d_9", "x".repeat(64)])("the id of %s is that of symbol-sdk", (name) => {
  expect(namespaceIdOfName(name)).toBe(generateNamespacePath(name).at(-1));
});

test.each(["", ".", "a..b", "A", "-a", "a.b.c.d", "a b", "x".repeat(65)])("no namespace can be named '%s'", (name) => {
  expect(namespaceIdOfName(name)).toBeUndefined();
});
