import { BlockAliases } from "../entity/block-aliases.js";
import type { TransactionStatement, VerifiedBlock } from "../entity/model.js";
import {
  type BalanceChange,
  type BalanceMovement,
  feeIn,
  feeMosaicId,
  movementsOfStatements,
  movementsOfTransaction,
} from "./balance-movements.js";

/** What a block did to one account's balance of one mosaic. */
export interface BlockBalanceChange extends BalanceChange {
  /** Atomic units: received minus sent; 0 if the movements cancel each other. */
  readonly change: bigint;
  /** Atomic units that were received, if some were sent too; undefined where `change` is all there is. */
  readonly received: bigint | undefined;
}

/**
 * The balance changes of a block, per account and mosaic: the sums of all movements (see `balance-movements.ts`), of its
 * transactions and of its receipts. The sum over all blocks up to a height is the balance at that height,
 * unless there are transactions of an unknown type or version: of these only fees and receipts count. Without receipts,
 * on a network that writes none, fees are unknown.
 */
export function balanceChanges(block: VerifiedBlock): BlockBalanceChange[] {
  const { transactionStatements } = block.statement;
  const aliases = new BlockAliases(block);
  const currency = feeMosaicId(transactionStatements);
  const statementsOf = byTransaction(transactionStatements);
  const sums = new BalanceSums();
  for (const transaction of block.transactions) {
    const primaryId = transaction.index + 1;
    const statements = statementsOf.get(primaryId) ?? [];
    statementsOf.delete(primaryId);
    const fee = feeIn(currency, transaction.bytes.length, block.feeMultiplier);
    sums.add(movementsOfTransaction(transaction, { fee, aliases, statements }));
  }
  for (const statements of statementsOf.values()) sums.add(movementsOfStatements(statements));
  return sums.changes();
}

/** Statements by the primary id of their source: 0 is the block. */
function byTransaction(statements: readonly TransactionStatement[]): Map<number, TransactionStatement[]> {
  const found = new Map<number, TransactionStatement[]>();
  for (const statement of statements) {
    const { primaryId } = statement.source;
    const others = found.get(primaryId);
    if (others) others.push(statement);
    else found.set(primaryId, [statement]);
  }
  return found;
}

class BalanceSums {
  readonly #sums: { readonly address: Buffer; readonly mosaicId: bigint; received: bigint; sent: bigint }[] = [];
  /** Indexes in `#sums` by mosaic and address, whose text has a character per byte. */
  readonly #indexes = new Map<bigint, Map<string, number>>();

  add(movements: readonly BalanceMovement[]): void {
    for (const { changes } of movements) {
      for (const change of changes) this.#add(change);
    }
  }

  changes(): BlockBalanceChange[] {
    return this.#sums.map(({ address, mosaicId, received, sent }) => ({
      ...{ address, mosaicId, change: received - sent },
      received: received > 0n && sent > 0n ? received : undefined,
    }));
  }

  #add({ address, mosaicId, change }: BalanceChange): void {
    let indexes = this.#indexes.get(mosaicId);
    if (!indexes) {
      indexes = new Map();
      this.#indexes.set(mosaicId, indexes);
    }
    const name = address.toString("latin1");
    let index = indexes.get(name);
    if (index === undefined) {
      index = this.#sums.push({ address, mosaicId, received: 0n, sent: 0n }) - 1;
      indexes.set(name, index);
    }
    const sum = this.#sums[index]!;
    if (change > 0n) sum.received += change;
    else sum.sent -= change;
  }
}
