import { sql } from "kysely";
import { encodeAddress } from "../../catapult/entity/address.js";
import type { Db } from "../../database/database.js";
import type {
  AccountBalanceResponse,
  Block,
  BlockResponse,
  BlockTransactionResponse,
  Operation,
  Transaction,
} from "../../gateway/mesh/standard/schemas.js";
import type { MeshClient } from "./mesh-client.js";

/** Atomic units by `address mosaicId`; none is 0. */
export type Sums = Map<string, bigint>;

const nameOf = (address: string, mosaicId: string) => `${address} ${mosaicId}`;

/** A block with all of its transactions, also those that the response only identifies. */
export async function wholeBlock(mesh: MeshClient, height: number): Promise<Block> {
  const { block, other_transactions: others = [] } = await mesh.ask<BlockResponse>("/block", {
    block_identifier: { index: height },
  });
  if (!block) throw new Error(`block ${height} has no content`);
  const transactions: Transaction[] = [...block.transactions];
  for (const transaction_identifier of others) {
    const request = { block_identifier: block.block_identifier, transaction_identifier };
    transactions.push((await mesh.ask<BlockTransactionResponse>("/block/transaction", request)).transaction);
  }
  return { ...block, transactions };
}

/** Adds the amounts of operations. */
export function addOperations(sums: Sums, operations: readonly Operation[]): Sums {
  for (const { account, amount } of operations) {
    if (!account || !amount) continue;
    const name = nameOf(account.address, String(amount.currency.metadata?.id));
    const sum = (sums.get(name) ?? 0n) + BigInt(amount.value);
    if (sum === 0n) sums.delete(name);
    else sums.set(name, sum);
  }
  return sums;
}

/** The changes of balances that the index stored, by height. */
export async function storedChanges(db: Db): Promise<Map<number, Sums>> {
  const { rows } = await sql<{ height: number; address: Buffer; mosaic: Buffer; change: number | string }>`
    select c.height, a.key as address, m.key as mosaic, c.change
    from balance_changes c join keys a on a.id = c.account join keys m on m.id = c.mosaic`.execute(db);
  const changes = new Map<number, Sums>();
  for (const { height, address, mosaic, change } of rows) {
    const sums = changes.get(height) ?? new Map<string, bigint>();
    changes.set(height, sums.set(nameOf(encodeAddress(address), mosaic.toString("hex").toUpperCase()), BigInt(change)));
  }
  return changes;
}

/** The balances of an account after a block, as the gateway answers: by the names in {@link Sums}. */
export async function balancesOf(mesh: MeshClient, address: string, block_identifier: object): Promise<Sums> {
  const { balances } = await mesh.ask<AccountBalanceResponse>("/account/balance", {
    account_identifier: { address },
    block_identifier,
  });
  return new Map(
    balances.map(({ value, currency }) => [nameOf(address, String(currency.metadata?.id)), BigInt(value)]),
  );
}

/** What is wrong with the form of operations, beyond the schemas: as the standard's checker asserts it. */
export function problemsOf(operations: readonly Operation[], types: ReadonlySet<string>): string[] {
  return operations.flatMap(({ operation_identifier: { index }, type, status, related_operations, account }, place) => {
    const problems: string[] = [];
    if (index !== place) problems.push(`operation ${place} has index ${index}`);
    if (!types.has(type)) problems.push(`operation ${place} has type ${type}`);
    if (status !== "SUCCESS") problems.push(`operation ${place} has status ${status}`);
    if (!account) problems.push(`operation ${place} has no account`);
    if (related_operations?.some((one) => one.index >= place))
      problems.push(`operation ${place} is related to a later one`);
    return problems;
  });
}

/**
 * Follows a chain from its first block to `height`: the operations of each block have to be the stored changes, and
 * their running sums the balances at each height of each account that the block touches.
 * @returns the number of compared changes and balances
 */
export async function reconcile(
  mesh: MeshClient,
  db: Db,
  height: number,
  onBlock: (block: Block) => void = () => undefined,
): Promise<{ readonly changes: number; readonly balances: number }> {
  const stored = await storedChanges(db);
  const { allow } = await mesh.ask<{ allow: { operation_types: string[] } }>("/network/options");
  const types = new Set(allow.operation_types);
  const running: Sums = new Map();
  const counts = { changes: 0, balances: 0 };
  for (let at = 1; at <= height; at += 1) {
    const block = await wholeBlock(mesh, at);
    onBlock(block);
    const changes: Sums = new Map();
    for (const {
      transaction_identifier: { hash },
      operations,
    } of block.transactions) {
      const problems = problemsOf(operations, types);
      if (problems.length > 0) throw new Error(`block ${at}, transaction ${hash}: ${problems.join("; ")}`);
      addOperations(changes, operations);
      addOperations(running, operations);
    }
    requireEqual(`changes of block ${at}`, changes, stored.get(at) ?? new Map());
    counts.changes += changes.size;
    const touched = [...new Set([...changes.keys()].map((name) => name.split(" ")[0] as string))];
    await Promise.all(
      touched.map(async (address) => {
        const answered = await balancesOf(mesh, address, block.block_identifier);
        const own = new Map([...running].filter(([name]) => name.startsWith(address)));
        requireEqual(`balances of ${address} at ${at}`, answered, own);
        counts.balances += answered.size;
      }),
    );
  }
  return counts;
}

function requireEqual(what: string, found: Sums, expected: Sums): void {
  const shown = (sums: Sums) => JSON.stringify([...sums].sort().map(([name, sum]) => `${name} ${sum}`));
  if (shown(found) !== shown(expected)) throw new Error(`${what}: ${shown(found)} instead of ${shown(expected)}`);
}
