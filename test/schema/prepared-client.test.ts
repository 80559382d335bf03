import { expect, test } from "@jest/globals";
import { statementName } from "../../database/prepared-client.js";

const text = (number: number) => `select ${number} where 1 = $1`;

test("a text is prepared when it is repeated, under a name of its own", () => {
  expect(statementName(text(1))).toBeUndefined();
  const name = statementName(text(1));
  expect(name).toMatch(/^[\w-]{43}$/);
  expect(statementName(text(1))).toBe(name);
  statementName(text(2));
  expect(statementName(text(2))).not.toBe(name);
});

test("texts that select all columns, write several rows or are very long are not prepared", () => {
  const texts = ["select * from a where b = $1", "insert into a values ($1), ($2)", `select ${"x".repeat(6_000)} = $1`];
  for (const one of [...texts, ...texts, ...texts]) expect(statementName(one)).toBeUndefined();
});

test("texts used once take no place of others; the number of prepared ones is limited", () => {
  for (let number = 1_000; number < 9_000; number++) expect(statementName(text(number))).toBeUndefined();
  statementName(text(3));
  expect(statementName(text(3))).toBeDefined();
  const names = Array.from(
    { length: 1_000 },
    (_, index) => [100_000 + index, 100_000 + index].map((n) => statementName(text(n)))[1],
  );
  expect(names.filter((name) => name !== undefined).length).toBeLessThanOrEqual(200);
  expect(statementName(text(3))).toBeDefined();
});
