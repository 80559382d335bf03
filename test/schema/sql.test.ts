import { expect, test } from "@jest/globals";
import { firstPart, sql } from "../../database/sql.js";

test("values have places in the whole statement, parts stay where they are", () => {
  const part = sql`b = ${2} and ${sql.ref('t.c"d')} = ${"x"}`;
  const statement = sql`select ${sql.lit(7)} where a = ${1} and ${part} or ${sql.join([3n, sql`now()`])}`;
  expect(statement.text).toBe(`select 7 where a = $1 and b = $2 and "t"."c""d" = $3 or $4, now()`);
  expect(statement.values).toEqual([1, 2, "x", 3n]);
  expect(sql``.text).toBe("");
  expect(sql`${null}`.text).toBe("$1");
});

test("numbers, or bytes too, can be hidden from the planner, also in parts", () => {
  const statement = () => sql`a = ${1} and ${sql`b = ${Buffer.of(1)} and c = ${5n}`} and d = ${"text"}`;
  expect(statement().withUnseen("numbers").text).toBe(
    "a = (select $1::int8) and b = $2 and c = (select $3::int8) and d = $4",
  );
  expect(statement().withUnseen("all").text).toBe(
    "a = (select $1::int8) and b = (select $2::bytea) and c = (select $3::int8) and d = $4",
  );
  expect(statement().text).toBe("a = $1 and b = $2 and c = $3 and d = $4");
});

test("a statement with another last value has the same text", () => {
  const statement = sql`a = ${1} and b = ${2}`;
  const other = statement.withLast(3);
  expect([other.text, other.values]).toEqual([statement.text, [1, 3]]);
  expect(statement.values).toEqual([1, 2]);
});

test("texts are kept while statements repeat, and forgotten when they are made up without end", () => {
  const kept = firstPart();
  for (let n = 0; n < 5_000; ++n) expect(sql`select ${n} from ${sql.ref("t.c")}`.text).toBe('select $1 from "t"."c"');
  expect(firstPart()).toBe(kept);
  const first = sql`select ${0}`;
  for (let n = 0; n < 2_000; ++n) {
    const name = `${n} ${"x".repeat(5_000)}`;
    expect(sql`select ${n} from ${sql.raw(name)}`.text).toBe(`select $1 from ${name}`);
  }
  expect(firstPart()).not.toBe(kept);
  expect(first.text).toBe("select $1");
});
