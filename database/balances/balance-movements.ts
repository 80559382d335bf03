import { sql } from "kysely";
import type { TransactionStatement } from "../../catapult/entity/model.js";
import { decodeStatements } from "../../catapult/entity/statement.js";
import { acceptedTransaction } from "../../catapult/entity/transaction.js";
import { decodeEntityId, encodeEntityNumber, entityNumber, parseEntityNumber } from "../../catapult/json/entity-id.js";
import {
  aliasesIn,
  type BalanceMovement,
  feeIn,
  feeMosaicId,
  movementsOfStatements,
  movementsOfTransaction,
  type NamedAliases,
} from "../../catapult/state/balance-movements.js";
import type { Db } from "../database.js";
import { groupedByHeight, NO_ALIASES, readBlockAliases } from "./block-aliases.js";

type Transaction = ReturnType<typeof acceptedTransaction>;

/** A transaction with its block's height and fee multiplier. */
interface FoundTransaction {
  readonly height: number;
  readonly feeMultiplier: number;
  readonly transaction: Transaction;
}

/** Primary id of the sources of a block's own statements. */
const BLOCK = 0;

/**
 * The movements of top-level transactions by id (12 bytes), in the order of the request; none for an id of no
 * transaction. Reads the transactions and their statements only, so the size of their blocks does not matter.
 */
export async function readMovements(db: Db, ids: readonly Buffer[]): Promise<BalanceMovement[][]> {
  const found = await readTransactions(db, ids);
  const sources = [...found.values()].flatMap(({ height, transaction }) => [
    { height, primaryId: BLOCK },
    { height, primaryId: transaction.index + 1 },
  ]);
  const [statements, aliases] = await Promise.all([readStatements(db, sources), readBlockAliases(db, namedIn(found))]);
  return ids.map((id) => {
    const one = found.get(String(parseEntityNumber(id)));
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

/** The aliases that transactions name, by height. */
function namedIn(found: ReadonlyMap<string, FoundTransaction>): Map<number, NamedAliases> {
  const ofBlocks = groupedByHeight([...found.values()].map(({ height, transaction }) => [height, transaction]));
  return new Map([...ofBlocks].map(([height, transactions]) => [height, aliasesIn(transactions)]));
}

/** By the stored form of the id. */
async function readTransactions(db: Db, ids: readonly Buffer[]): Promise<Map<string, FoundTransaction>> {
  const numbers = ids.map(parseEntityNumber).filter((number) => number !== undefined);
  const { rows } = await sql<{ id: number | bigint; fee_multiplier: number; bytes: Buffer }>`
    select d.id, b.fee_multiplier, substring(r.block from d.position + 1 for d.size) as bytes
    from transactions d
    join blocks b on b.height = d.id >> 32
    join raw_blocks r on r.height = d.id >> 32
    where d.id = any(${numbers}::int8[]) and d.id & 4095 = 0`.execute(db);
  return new Map(
    rows.map(({ id, fee_multiplier: feeMultiplier, bytes }) => {
      const { height, index } = decodeEntityId(encodeEntityNumber(BigInt(id)));
      return [String(id), { height, feeMultiplier, transaction: acceptedTransaction(bytes, index) }];
    }),
  );
}

interface Source {
  readonly height: number;
  readonly primaryId: number;
}

/** Transaction statements by their source. */
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

async function readStatements(db: Db, sources: readonly Source[]): Promise<Statements> {
  const wanted = [...new Map(sources.map((source) => [`${source.height} ${source.primaryId}`, source])).values()];
  const { rows } = await sql<{ height: number; bytes: Buffer }>`
    select p.height::int4 as height, substring(r.statement from d.position + 1 for d.size) as bytes
    from unnest(
      ${wanted.map(({ height }) => height)}::int8[],
      ${wanted.map(({ height }) => entityNumber(height))}::int8[],
      ${wanted.map(({ height }) => entityNumber(height + 1))}::int8[],
      ${wanted.map(({ primaryId }) => primaryId)}::int4[]) p (height, low, high, primary_id)
    -- Without offset 0 the planner joins all statements of the chain with all sources.
    cross join lateral (
      select s.id, s.position, s.size from transaction_statements s
      where s.id >= p.low and s.id < p.high and s.primary_id = p.primary_id offset 0) d
    join raw_blocks r on r.height = p.height
    order by d.id`.execute(db);
  const statements = new Statements();
  for (const { height, bytes } of rows) {
    for (const one of decodeStatements({ transactions: [bytes] }).transactionStatements) statements.add(height, one);
  }
  return statements;
}
