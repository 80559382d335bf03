import { sql } from "kysely";
import { namespaceIdOf } from "../../catapult/entity/address.js";
import { BlockAliases } from "../../catapult/entity/block-aliases.js";
import { EMBEDDED, TRANSACTION } from "../../catapult/entity/entity-layout.js";
import type { BlockStatement, TransactionStatement } from "../../catapult/entity/model.js";
import { decodeStatement } from "../../catapult/entity/statement.js";
import { acceptedTransaction } from "../../catapult/entity/transaction.js";
import { decodeEntityId, entityIdOf, entityNumber, numberOf } from "../../catapult/json/entity-id.js";
import { TRANSACTION_TYPE } from "../../catapult/nouns/type-names.js";
import {
  aliasesIn,
  type BalanceMovement,
  feeIn,
  feeMosaicId,
  movementsOfStatements,
  movementsOfTransaction,
} from "../../catapult/state/balance-movements.js";
import { idBytes } from "../../catapult/state/composite-hash.js";
import type { Db } from "../database.js";
import { idKey, markedTypes } from "../lists/collections.js";

type Transaction = ReturnType<typeof acceptedTransaction>;

/** A transaction with its block's height and fee multiplier. */
interface PlacedTransaction {
  readonly height: number;
  readonly feeMultiplier: number;
  readonly transaction: Transaction;
}

/** Primary id of the sources of a block's own statements. */
const BLOCK = 0;
/** Offsets of the namespace id in transactions that link one: it is the first field after their headers. */
const TOP_NAMESPACE = TRANSACTION.headerSize;
const EMBEDDED_NAMESPACE = EMBEDDED.headerSize;
const LINK_TYPES = [TRANSACTION_TYPE.address_alias, TRANSACTION_TYPE.mosaic_alias];

/**
 * The movements of top-level transactions by id (12 bytes), in the order of the request; none for an id of no
 * transaction. Reads the transactions and their statements only, so the size of their blocks does not matter.
 */
export async function readMovements(db: Db, ids: readonly Buffer[]): Promise<BalanceMovement[][]> {
  const found = await readTransactions(db, ids);
  const places = [...found.values()].flatMap(({ height, transaction }) => [
    { height, primaryId: BLOCK },
    { height, primaryId: transaction.index + 1 },
  ]);
  const [statements, aliases] = await Promise.all([readStatements(db, places), readAliases(db, [...found.values()])]);
  return ids.map((id) => {
    const one = found.get(String(numberOf(id)));
    if (!one) return [];
    const { height, feeMultiplier, transaction } = one;
    const currency = feeMosaicId(statements.of(height, BLOCK));
    return movementsOfTransaction(transaction, {
      fee: feeIn(currency, transaction.bytes.length, feeMultiplier),
      aliases: aliases.get(height) ?? NO_ALIASES,
      statements: statements.of(height, transaction.index + 1),
    });
  });
}

/** The movements that no transaction causes, of blocks by height, in the order of the request. */
export async function readBlockMovements(db: Db, heights: readonly number[]): Promise<BalanceMovement[][]> {
  const statements = await readStatements(
    db,
    heights.map((height) => ({ height, primaryId: BLOCK })),
  );
  return heights.map((height) => movementsOfStatements(statements.of(height, BLOCK)));
}

/** By the stored form of the id. */
async function readTransactions(db: Db, ids: readonly Buffer[]): Promise<Map<string, PlacedTransaction>> {
  const numbers = ids.map(numberOf).filter((number) => number !== undefined);
  const { rows } = await sql<{ id: number | bigint; fee_multiplier: number; bytes: Buffer }>`
    select d.id, b.fee_multiplier, substring(r.block from d.position + 1 for d.size) as bytes
    from transactions d
    join blocks b on b.height = d.id >> 32
    join raw_blocks r on r.height = d.id >> 32
    where d.id = any(${numbers}::int8[]) and d.id & 4095 = 0`.execute(db);
  return new Map(
    rows.map(({ id, fee_multiplier: feeMultiplier, bytes }) => {
      const { height, index } = decodeEntityId(entityIdOf(BigInt(id)));
      return [String(id), { height, feeMultiplier, transaction: acceptedTransaction(bytes, index) }];
    }),
  );
}

interface Place {
  readonly height: number;
  readonly primaryId: number;
}

/** Transaction statements by the place of their source. */
class Statements {
  readonly #found = new Map<string, TransactionStatement[]>();

  add(height: number, statement: TransactionStatement): void {
    const name = `${height} ${statement.source.primaryId}`;
    const others = this.#found.get(name);
    if (others) others.push(statement);
    else this.#found.set(name, [statement]);
  }

  of(height: number, primaryId: number): readonly TransactionStatement[] {
    return this.#found.get(`${height} ${primaryId}`) ?? [];
  }
}

async function readStatements(db: Db, places: readonly Place[]): Promise<Statements> {
  const wanted = [...new Map(places.map((place) => [`${place.height} ${place.primaryId}`, place])).values()];
  const { rows } = await sql<{ height: number; bytes: Buffer }>`
    select p.height::int4 as height, substring(r.statement from d.position + 1 for d.size) as bytes
    from unnest(
      ${wanted.map(({ height }) => height)}::int8[],
      ${wanted.map(({ height }) => entityNumber(height))}::int8[],
      ${wanted.map(({ height }) => entityNumber(height + 1))}::int8[],
      ${wanted.map(({ primaryId }) => primaryId)}::int4[]) p (height, low, high, primary_id)
    -- Without offset 0 the planner joins all statements of the chain with all places.
    cross join lateral (
      select s.id, s.position, s.size from transaction_statements s
      where s.id >= p.low and s.id < p.high and s.primary_id = p.primary_id offset 0) d
    join raw_blocks r on r.height = p.height
    order by d.id`.execute(db);
  const statements = new Statements();
  for (const { height, bytes } of rows) {
    for (const one of statementOf({ transactions: [bytes] }).transactionStatements) statements.add(height, one);
  }
  return statements;
}

/** Decodes parts of a block's statement; each kind is preceded by its number. */
function statementOf(parts: {
  readonly transactions?: readonly Buffer[];
  readonly addresses?: readonly Buffer[];
  readonly mosaics?: readonly Buffer[];
}): BlockStatement {
  const { transactions = [], addresses = [], mosaics = [] } = parts;
  const counted = [transactions, addresses, mosaics].flatMap((all) => {
    const count = Buffer.alloc(4);
    count.writeUInt32LE(all.length);
    return [count, ...all];
  });
  return decodeStatement(Buffer.concat(counted));
}

const NO_ALIASES = new BlockAliases({ transactions: [], statement: { addressResolutions: [], mosaicResolutions: [] } });

/** What the aliases that transactions name point to, by height; nothing for blocks whose transactions name none. */
async function readAliases(db: Db, placed: readonly PlacedTransaction[]): Promise<Map<number, BlockAliases>> {
  const aliases = new Map<number, BlockAliases>();
  for (const height of new Set(placed.map((one) => one.height))) {
    const ofBlock = placed.filter((one) => one.height === height);
    const { addresses, mosaics } = aliasesIn(ofBlock.map(({ transaction }) => transaction));
    if (addresses.length === 0 && mosaics.length === 0) continue;
    const [addressStatements, mosaicStatements, transactions] = await Promise.all([
      readResolutions(db, "address_resolution_statements", height, addresses),
      readResolutions(db, "mosaic_resolution_statements", height, mosaics.map(idKey)),
      readLinks(db, height, [...addresses.map(namespaceIdOf), ...mosaics]),
    ]);
    const statement = statementOf({ addresses: addressStatements, mosaics: mosaicStatements });
    aliases.set(height, new BlockAliases({ transactions, statement }));
  }
  return aliases;
}

async function readResolutions(
  db: Db,
  table: "address_resolution_statements" | "mosaic_resolution_statements",
  height: number,
  unresolved: readonly Buffer[],
): Promise<Buffer[]> {
  if (unresolved.length === 0) return [];
  const { rows } = await sql<{ bytes: Buffer }>`
    select substring(r.statement from d.position + 1 for d.size) as bytes
    from ${sql.table(table)} d join raw_blocks r on r.height = ${height}
    where d.unresolved = any(${[...unresolved]}::bytea[])
      and d.id >= ${entityNumber(height)}::int8 and d.id < ${entityNumber(height + 1)}::int8
    order by d.id`.execute(db);
  return rows.map(({ bytes }) => bytes);
}

/** The transactions of a block that link or unlink one of these namespaces, whole aggregates where they are embedded. */
async function readLinks(db: Db, height: number, namespaces: readonly bigint[]): Promise<Transaction[]> {
  const types = sql.join(markedTypes(LINK_TYPES));
  const [low, high] = [entityNumber(height), entityNumber(height + 1)];
  const { rows } = await sql<{ id: number | bigint; bytes: Buffer }>`
    select t.id, substring(r.block from t.position + 1 for t.size) as bytes
    from (
      select distinct d.id - (d.id & 4095) as id
      from transactions d join raw_blocks w on w.height = ${height}
      where d.type in (${types}) and d.id >= ${low}::int8 and d.id < ${high}::int8
        and substring(w.block from d.position + 1 + case when d.id & 4095 = 0
          then ${sql.lit(TOP_NAMESPACE)} else ${sql.lit(EMBEDDED_NAMESPACE)} end for 8) = any(${namespaces.map(idBytes)}::bytea[])) l
    join transactions t on t.id = l.id
    join raw_blocks r on r.height = ${height}
    order by t.id`.execute(db);
  return rows.map(({ id, bytes }) => acceptedTransaction(bytes, decodeEntityId(entityIdOf(BigInt(id))).index));
}
