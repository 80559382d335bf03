import { type RawBuilder, sql } from "kysely";
import type { Database, Db } from "../../../database/database.js";

type KeyPart = Buffer | number | bigint;

/** Changes of the counts of a table: it has some key columns, and a column `count` that a constraint keeps above 0. */
export class CountChanges {
  readonly #table: RawBuilder<unknown>;
  readonly #types: Readonly<Record<string, string>>;
  readonly #changes = new Map<string, { readonly key: readonly KeyPart[]; readonly change: number }>();

  /** @param types of the key columns, by name */
  constructor(table: keyof Database, types: Readonly<Record<string, string>>) {
    this.#table = sql.table(table);
    this.#types = types;
  }

  /** @param key the values of the key columns, in their order */
  add(key: readonly KeyPart[], change: number): void {
    const name = key.map((part) => (Buffer.isBuffer(part) ? part.toString("latin1") : String(part))).join(" ");
    this.#changes.set(name, { key, change: (this.#changes.get(name)?.change ?? 0) + change });
  }

  /**
   * Writes the sums; counts of 0 are deleted.
   * @throws the database's error when a count would be below 0
   */
  async write(trx: Db): Promise<void> {
    const changes = [...this.#changes.values()].filter(({ change }) => change !== 0);
    if (changes.length === 0) return;
    const table = this.#table;
    const columns = sql.join(Object.keys(this.#types).map((name) => sql.ref(name)));
    const values = Object.values(this.#types).map((type, index) => {
      return sql`${changes.map(({ key }) => key[index])}::${sql.raw(type)}[]`;
    });
    const rules = Object.keys(this.#types).map((name) => sql`${sql.ref(`c.${name}`)} = ${sql.ref(`g.${name}`)}`);
    const isSame = sql.join(rules, sql` and `);
    await sql`
      with given (${columns}, change) as materialized (
        select * from unnest(${sql.join(values)}, ${changes.map(({ change }) => change)}::int8[])),
      emptied as (delete from ${table} c using given g where ${isSame} and c.count + g.change = 0),
      changed as (
        update ${table} c set count = c.count + g.change from given g where ${isSame} and c.count + g.change <> 0)
      insert into ${table} (${columns}, count)
      select ${columns}, change from given g where not exists (select from ${table} c where ${isSame})`.execute(trx);
  }
}
