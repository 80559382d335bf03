import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { encodeAliasAddress } from "../../catapult/entity/address.js";
import { generateMosaicId } from "../../catapult/entity/generated-id.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { keyInColumn } from "../../database/queries/state-entries.js";
import { STATE_TABLES } from "../../database/queries/state-lists.js";
import type { Devnet } from "../../devnet/devnet.js";
import { writeState } from "../../indexer/chain/state/write.js";
import { BlockRange, type ChangedState } from "../../indexer/chain/step/block-range.js";
import { noteEpoch } from "../../indexer/chain/step/network.js";
import type { CheckOptions } from "../../indexer/check/check.js";
import { checkIndex } from "../support/checked-index.js";
import { DevnetFixture } from "../support/devnet.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { namespaceIdOf } from "../support/namespace-ids.js";
import { writeStateScenario } from "../support/state-scenario.js";
import { TransactionMaker } from "../support/transaction-maker.js";

/** Blocks at the end, whose bytes are changed, so that all other rows can be rendered from theirs. */
const QUIET_BLOCKS = 40;
const ALIASED_TRANSFERS = 5;

/** Tables without chain data: pending and rejected transactions, events, and what says that a rule is missing. */
const NOT_OF_THE_CHAIN = [
  "announcements",
  "awaited_transactions",
  "deferred_indexes",
  "dropped_blocks",
  "event_addresses",
  "events",
  "indexer_failures",
  "kysely_migration",
  "kysely_migration_lock",
  "missing_rule",
  "differing_blocks",
  "unproven_finalization",
  "pending_cosignatures",
  "pending_transaction_addresses",
  "pending_transaction_mosaics",
  "pending_transactions",
  "rejected_announcements",
  "transaction_statuses",
  "webhook_messages",
  "webhooks",
];
/** The order of entries of state is stored nowhere else, but in the number of those in a range of ids. */
const isOrderOfState = ({ table, column }: Pick<Column, "table" | "column">) =>
  column === "id" && STATE_KINDS.some((kind) => STATE_TABLES[kind].table === table);
const UNKNOWN = [
  // What executing and undoing blocks needs is proven by the next blocks.
  "accounts.history",
  ...["height", "kind", "key", "value"].map((column) => `replaced_states.${column}`),
  "voting_sets.height",
  "replaced_states.history",
  "voting_sets.voters",
];
/** Columns without a value in the scenario. */
const EMPTY = [
  ...["kind", "key", "value", "history"].map((column) => `hidden_states.${column}`),
  "namespaces.earlier_end_heights",
  ...["id", "place", "type", "version"].map((column) => `unknown_entities.${column}`),
];

/** When the devnet's time begins: days depend on it. */
const EPOCH_MS = 1_573_430_400_000;
const UNIQUE_VIOLATION = "23505";

let devnet: DevnetFixture;
let index: IndexedDatabase;
let client: pg.Client;

beforeAll(async () => {
  devnet = await DevnetFixture.start();
  await writeStateScenario(devnet.devnet);
  await sendByAliases(devnet.devnet);
  await devnet.devnet.harvest(QUIET_BLOCKS);
  for (const below of [30, 20, 10, 2]) devnet.devnet.finalize(devnet.devnet.height - below);
  index = await IndexedDatabase.create();
  await index.follow(devnet.devnet);
  await index.waitForHash(devnet.devnet.block(devnet.devnet.height).hash);
  await index.stop();
  await noteEpoch(index.db, EPOCH_MS);
  client = new pg.Client({ connectionString: index.url });
  await client.connect();
});

afterAll(async () => {
  await client?.end();
  await index?.drop();
  await devnet?.stop();
});

/** A mosaic that expires soon, and transfers to a namespace linked to an account, of one linked to a mosaic. */
async function sendByAliases(node: Devnet): Promise<void> {
  const [alice, bob] = node.accounts;
  if (!alice || !bob) throw new Error("the devnet has too few accounts");
  const maker = new TransactionMaker(node);
  const mosaic = {
    type: "mosaic_definition_transaction_v1",
    nonce: 99,
    duration: 5n,
    flags: "transferable",
    divisibility: 0,
  };
  node.announce(maker.transaction(bob, { ...mosaic, id: generateMosaicId(bob.address, mosaic.nonce) }));
  const recipientAddress = new Uint8Array(encodeAliasAddress(namespaceIdOf("devnet.alice"), node.network.identifier));
  for (let amount = 1n; amount <= ALIASED_TRANSFERS; amount++) {
    const mosaics = [{ mosaicId: namespaceIdOf("symbol.xym"), amount }];
    node.announce(maker.transaction(bob, { type: "transfer_transaction_v1", recipientAddress, mosaics }));
    await node.harvest(1);
  }
}

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  /** Of an array, the name of its type. */
  readonly element: string;
}

/** Every column of every table with chain data. */
async function columnsOfTheChain(): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select table_name as table, column_name as column, data_type as type, udt_name as element from information_schema.columns
     where table_schema = 'public' and not table_name = any($1) and table_name <> 'head'
       and table_name in (select tablename from pg_tables where schemaname = 'public')
     order by table_name, ordinal_position`,
    [NOT_OF_THE_CHAIN],
  );
  return rows;
}

/** Numbers beside which there is another row. */
const FAR = ["ordinal", "bucket", "list"];
/** A key that many rows name would hide other changes of these. */
const NEWEST_FIRST: Readonly<Record<string, string>> = { raw_blocks: "height desc", keys: "id desc" };
const isKeyId = ({ table, column }: Pick<Column, "table" | "column">) => table === "keys" && column === "id";

/** The same value with one bit or digit changed. */
function otherValue({ table, column, type }: Column): string {
  // A block without transactions ends in 4 reserved bytes, which may have any value.
  const at = `length("${column}") - ${column === "block" ? 5 : 1}`;
  if (type === "bytea") return `set_byte("${column}", ${at}, get_byte("${column}", ${at}) # 128)`;
  if (type === "ARRAY") return `"${column}" || "${column}"[1]`;
  if (type === "boolean") return `not "${column}"`;
  return type === "text"
    ? `"${column}" || 'x'`
    : `"${column}" + ${table.endsWith("blocks") || isKeyId({ table, column }) || FAR.includes(column) ? 5_000 : 1}`;
}

/** The changed value, and its original. */
interface Change extends Column {
  /** Of the row, after the change. */
  readonly place: string;
  /** As text. */
  readonly before: string;
}

/** Changes a value in an unchanged row. @returns undefined if there is none with such a value */
async function change(one: Column, changed: readonly Change[]): Promise<Change | undefined> {
  const { table, column, type } = one;
  const isThere = `"${column}" is not null ${
    type === "bytea" ? `and length("${column}") > 0` : type === "ARRAY" ? `and cardinality("${column}") > 0` : ""
  }`;
  // The rows below a root are found by it.
  if (table === "namespaces" && changed.some((other) => other.table === table && isRootId(one, other)))
    return undefined;
  const used = changed.filter((other) => other.table === table).map(({ place }) => place);
  const isQuiet = table === "raw_blocks" ? "and height < (select height - 2 from head)" : "";
  const { rows } = await client.query<{ place: string; before: string }>(
    `select ctid::text as place, "${column}"::text as before from "${table}"
     where ${isThere} ${isQuiet} and ctid <> all($1::tid[])
     order by ${NEWEST_FIRST[table] ?? "ctid"} limit 20`,
    [used],
  );
  for (const { place, before } of rows) {
    const done = await client
      .query<{ place: string }>(
        `update "${table}" set "${column}" = ${otherValue(one)} where ctid = $1 returning ctid::text as place`,
        [place],
      )
      .catch((error: { code?: string }) => {
        // There is a row with that key: use another one.
        if (error.code === UNIQUE_VIOLATION) return undefined;
        throw error;
      });
    if (done) return { ...one, before, place: done.rows[0]?.place ?? "" };
  }
  return undefined;
}

const isRootId = (...columns: readonly Column[]) => columns.some(({ column }) => column === "level0");

async function undo({ table, column, type, element, place, before }: Change): Promise<void> {
  const asType = type === "ARRAY" ? element : type;
  await client.query(`update "${table}" set "${column}" = $1::${asType} where ctid = $2`, [before, place]);
}

async function check(options: Partial<CheckOptions> = {}): Promise<readonly string[]> {
  const shared = { databaseUrl: index.url, nodes: [devnet.devnet], maxDifferences: 100_000 };
  const { found } = await checkIndex({ ...shared, ...options });
  return found;
}

/** Values stored twice: the id of an account beside its balances, the newest finalized block in the head, its hash in the block. */
const ELSEWHERE: Readonly<Record<string, RegExp>> = {
  id: / document: is, from character (7|[23]\d) on|^account_balances id=\w+ mosaic_id=\w+: belongs to no account/,
  epoch: /^head id=1 finalized_epoch: /,
  point: /^head id=1 finalized_point: /,
  height: /^finalized_blocks .* hash: (is \w+, not \w+ as|belongs to) block \d+/,
};

/** Whether a difference names the table, and the column or (if the row is identified by it) the row. */
function isNamed({ table, column }: Column, found: readonly string[]): boolean {
  const ofTable = found.filter((line) => line.startsWith(`${table} `));
  // A value, and to which root a namespace belongs, are proven by the root of all entries.
  if (column === "value" && ofTable.some((line) => line.includes(" sub-cache="))) return true;
  if (column === "level0" && ofTable.length > 0) return true;
  const other = ELSEWHERE[column];
  const places = ["head", table, ...(table === "accounts" ? ["account_balances"] : [])];
  const isOfTable = (line: string) => places.some((place) => line.startsWith(`${place} `));
  if (other && found.some((line) => isOfTable(line) && other.test(line))) return true;
  return ofTable.some((line) => line.includes(` ${column}: `) || (line.includes(`${column}=`) && !/ \w+: /.test(line)));
}

describe("a check of a database that lacks some rows of state", () => {
  /** Writes values, or removes rows, exactly as an indexer does: including counters. */
  const write = (values: readonly ChangedState[]) =>
    index.db.transaction().execute(async (trx) => {
      const head = await trx.selectFrom("head").selectAll().executeTakeFirstOrThrow();
      const { height, hash, state_sequence: sequence } = head;
      const range = new BlockRange({ height, hash, timestamp: 0, score: 0n });
      range.addEntries(values.map(({ value, ...key }) => ({ ...key, after: value && { value } })));
      await trx
        .updateTable("head")
        .set({ state_sequence: await writeState(trx, range, { sequence, finalizedHeight: 0 }) })
        .execute();
    });

  async function oneOfEachKind(): Promise<ChangedState[]> {
    const found: ChangedState[] = [];
    for (const kind of STATE_KINDS) {
      const { table, keyColumn } = STATE_TABLES[kind];
      const isMeant: Partial<Record<StateKind, string>> = {
        account: "not exists (select from account_balances b where b.id = t.id)",
        namespace: "value is not null",
        secretLock: "status = 0",
      };
      const { rows } = await client.query<{ key: Buffer; value: Buffer }>(
        `select ${keyColumn} as key, value from ${table} t where ${isMeant[kind] ?? "true"} order by id limit 1`,
      );
      const [row] = rows;
      if (!row) throw new Error(`the scenario has no state of the kind ${kind}`);
      found.push({ kind, key: keyInColumn(kind, row.key), value: row.value });
    }
    return found;
  }

  const treesIn = (found: readonly string[]) =>
    found.map((line) => / sub-cache=(\w+): the root of the \d+ entries is/.exec(line)?.[1]);

  test("names the sub-cache of each kind, without a node, although rows and counters are consistent", async () => {
    const rows = await oneOfEachKind();
    await write(rows.map((row) => ({ ...row, value: undefined })));
    expect(treesIn(await check({ nodes: undefined }))).toEqual([...STATE_KINDS]);
    for (const [index, kind] of STATE_KINDS.entries()) {
      await write(rows.slice(index, index + 1));
      const left = STATE_KINDS.slice(index + 1);
      if (kind === "namespace" || left.length === 0) expect(treesIn(await check({ nodes: undefined }))).toEqual(left);
    }
  });
});

describe("a check of a database in which a value of every column was changed manually", () => {
  test("names each of them; a sample that is as large as the chain too", async () => {
    let left = await columnsOfTheChain();
    let named = 0;
    const unnamed: string[] = [];
    const unnamedInSample: string[] = [];
    while (left.length > 0) {
      const changed: Change[] = [];
      for (const one of left) {
        const done = await change(one, changed);
        if (done) changed.push(done);
      }
      if (changed.length === 0) break;
      // The node is not needed for differences that are found twice, so it is queried once.
      const whole = await check(named === 0 ? {} : { nodes: undefined });
      // As large as the chain, so it must find everything; once is enough.
      const sampled = named === 0 ? await check({ sample: 10_000 }) : whole;
      const missing = (found: readonly string[]) =>
        changed
          .filter((one) => !isNamed(one, found) && !isOrderOfState(one))
          .map(({ table, column }) => `${table}.${column}`);
      unnamed.push(...missing(whole));
      unnamedInSample.push(...missing(sampled));
      named += changed.length - missing(whole).length;
      left = left.filter((one) => !changed.some(({ table, column }) => one.table === table && one.column === column));
      for (const done of changed) await undo(done);
    }
    expect(await check({ nodes: undefined })).toEqual([]);
    expect({ empty: left.map(({ table, column }) => `${table}.${column}`), unnamed, unnamedInSample }).toEqual({
      empty: EMPTY,
      unnamed: UNKNOWN,
      unnamedInSample: UNKNOWN,
    });
  });
});
