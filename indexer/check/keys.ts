import { sql } from "kysely";
import { hex } from "../../catapult/entity/hex.js";
import type { Db } from "../../database/database.js";
import type { NamedKey } from "../../database/lists/collections.js";
import type { GatheredKey } from "../chain/step/key-gatherer.js";
import { keyName, type NumberedKey, readKeyNumbers } from "../chain/step/key-numbers.js";
import type { Findings, HeightRange } from "./findings.js";

/** A number that no key has: of one that the table lacks. */
const NO_NUMBER = -1;

/**
 * Verifies the numbers of the keys that the blocks of a range name, and the heights of those that it names first.
 * @param keys in the order of the chain
 * @param rejected heights in the range of which the keys are unknown
 * @returns the stored numbers in the order of the keys
 */
export async function checkKeys(
  { db, findings, from, to }: HeightRange & { readonly db: Db; readonly findings: Findings },
  keys: readonly GatheredKey[],
  rejected: ReadonlySet<number>,
): Promise<number[]> {
  const stored = new Map((await readKeyNumbers(db, keys)).map((row) => [keyName(row), row]));
  const report = (key: NamedKey, problem: string, column?: string) =>
    findings.add({ table: "keys", key: `kind=${key.kind} key=${hex(key.key)}`, column, problem });
  const first: NumberedKey[] = [];
  for (const key of keys) {
    const row = stored.get(keyName(key));
    if (!row) report(key, "is missing");
    else if (row.height > key.height || (row.height >= from && row.height !== key.height)) {
      report(key, `is ${row.height}, not ${key.height}`, "height");
    } else if (row.height >= from) first.push(row);
  }
  const named = new Set(keys.map(keyName));
  for (const row of await readKeysOfRange(db, { from, to })) {
    if (!named.has(keyName(row)) && !rejected.has(row.height)) report(row, "is not in the chain");
  }
  const known = Math.min(...rejected, to + 1);
  await checkOrder(
    db,
    first.filter(({ height }) => height < known),
    report,
  );
  findings.countChecked("rows of keys", first.length);
  return keys.map((key) => stored.get(keyName(key))?.id ?? NO_NUMBER);
}

async function readKeysOfRange(db: Db, { from, to }: HeightRange): Promise<NumberedKey[]> {
  const { rows } = await sql<NumberedKey>`
    select id, height, kind, key from keys where height >= ${from} and height <= ${to}`.execute(db);
  return rows;
}

/** Numbers have no gaps, and grow in the order of the chain. */
async function checkOrder(
  db: Db,
  keys: readonly NumberedKey[],
  report: (key: NamedKey, problem: string, column: string) => void,
): Promise<void> {
  const [lowest] = keys;
  if (!lowest) return;
  const before = await db
    .selectFrom("keys")
    .select("height")
    .where("id", "=", lowest.id - 1)
    .executeTakeFirst();
  if (lowest.id !== 1 && (before === undefined || before.height >= lowest.height)) {
    report(
      lowest,
      `is ${lowest.id}, which does not follow the number of a key of a block below ${lowest.height}`,
      "id",
    );
  }
  const wrong = keys.findIndex(({ id }, index) => id !== lowest.id + index);
  if (wrong >= 0) {
    const key = keys[wrong] as NumberedKey;
    report(key, `is ${key.id}, not ${lowest.id + wrong}`, "id");
  }
}
