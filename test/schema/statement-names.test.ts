import { expect, test } from "@jest/globals";
import { StatementNames } from "../../database/binary/client.js";

const text = (number: number) => `select ${number} where 1 = $1`;

test("a text is prepared when it is repeated, under a name of its own", () => {
  const names = new StatementNames();
  expect(names.of(text(1))).toBeUndefined();
  const name = names.of(text(1));
  expect(name).toMatch(/^[\w-]{43}$/);
  expect(names.of(text(1))).toBe(name);
  names.of(text(2));
  expect(names.of(text(2))).not.toBe(name);
});

test("texts that select all columns, write several rows or are very long are not prepared", () => {
  const names = new StatementNames();
  const texts = ["select * from a where b = $1", "insert into a values ($1), ($2)", `select ${"x".repeat(6_000)} = $1`];
  for (const one of [...texts, ...texts, ...texts]) expect(names.of(one)).toBeUndefined();
});

test("texts used once take no place of others; the number of prepared ones is limited", () => {
  const names = new StatementNames();
  for (let number = 1_000; number < 9_000; number++) expect(names.of(text(number))).toBeUndefined();
  names.of(text(3));
  expect(names.of(text(3))).toBeDefined();
  const given = Array.from(
    { length: 1_000 },
    (_, index) => [100_000 + index, 100_000 + index].map((n) => names.of(text(n)))[1],
  );
  expect(given.filter((name) => name !== undefined).length).toBeLessThanOrEqual(200);
  expect(names.of(text(3))).toBeDefined();
});
