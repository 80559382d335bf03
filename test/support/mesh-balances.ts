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
} from "../../mesh/standard/schemas.js";
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
async function storedChanges(db: Db): Promise<Map<number, Sums>> {
  const { rows } = await sql<{ height: number; address: Buffer; mosaic: Buffer; change: number | string }>`
    select c.height, a.key as address, m.key as mosaic, c.change
    from balance_changes c join keys a on a.id = c.account join keys m on m.id = c.mosaic
    where c.change <> 0`.execute(db);
  const changes = new Map<number, Sums>();
  for (const { height, address, mosaic, change } of rows) {
    const sums = changes.get(height) ?? new Map<string, bigint>();
    changes.set(height, sums.set(nameOf(encodeAddress(address), mosaic.toString("hex").toUpperCase()), BigInt(change)));
  }
  return changes;
}

/** The balances of an account after a block, as the gateway answers: by the names in {@link Sums}. */
async function balancesOf(mesh: MeshClient, address: string, block_identifier: object): Promise<Sums> {
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

/** What the balances of the accounts that a block touches have to be after it. */
export interface ExpectedBalances {
  readonly block: Block;
  readonly byAddress: ReadonlyMap<string, Sums>;
}

/** Follows a chain from its first block: the operations of each block have to be the stored changes. */
export class ChainFollower {
  /** For each block so far, the running sums of operations of the accounts that it touches. */
  readonly expected: ExpectedBalances[] = [];
  readonly #mesh: MeshClient;
  readonly #stored: ReadonlyMap<number, Sums>;
  readonly #types: ReadonlySet<string>;
  readonly #running = new Map<string, Sums>();

  private constructor(mesh: MeshClient, stored: ReadonlyMap<number, Sums>, types: ReadonlySet<string>) {
    this.#mesh = mesh;
    this.#stored = stored;
    this.#types = types;
  }

  static async start(mesh: MeshClient, db: Db): Promise<ChainFollower> {
    const { allow } = await mesh.ask<{ allow: { operation_types: string[] } }>("/network/options");
    return new ChainFollower(mesh, await storedChanges(db), new Set(allow.operation_types));
  }

  /** Follows to a height. @returns what is new in `expected` */
  async follow(height: number): Promise<readonly ExpectedBalances[]> {
    const start = this.expected.length;
    while (this.expected.length < height) this.#add(await wholeBlock(this.#mesh, this.expected.length + 1));
    return this.expected.slice(start);
  }

  #add(block: Block): void {
    const { index } = block.block_identifier;
    const changes: Sums = new Map();
    for (const {
      transaction_identifier: { hash },
      operations,
    } of block.transactions) {
      const problems = problemsOf(operations, this.#types);
      if (problems.length > 0) throw new Error(`block ${index}, transaction ${hash}: ${problems.join("; ")}`);
      addOperations(changes, operations);
      for (const operation of operations) addTo(this.#running, operation);
    }
    requireEqual(`changes of block ${index}`, changes, this.#stored.get(index) ?? new Map());
    const touched = [...changes.keys()].map((name) => name.split(" ")[0] as string);
    this.expected.push({ block, byAddress: new Map(touched.map((one) => [one, new Map(this.#running.get(one))])) });
  }
}

function addTo(running: Map<string, Sums>, operation: Operation): void {
  const { address } = operation.account!;
  running.set(address, addOperations(running.get(address) ?? new Map(), [operation]));
}

/** Compares the answers about balances with what they have to be. @returns the number of balances */
export async function compareBalances(mesh: MeshClient, expected: readonly ExpectedBalances[]): Promise<number> {
  let balances = 0;
  for (const { block, byAddress } of expected) {
    await Promise.all(
      [...byAddress].map(async ([address, own]) => {
        const answered = await balancesOf(mesh, address, block.block_identifier);
        requireEqual(`balances of ${address} at ${block.block_identifier.index}`, answered, own);
        balances += answered.size;
      }),
    );
  }
  return balances;
}

function requireEqual(what: string, found: Sums, expected: Sums): void {
  const shown = (sums: Sums) => JSON.stringify([...sums].sort().map(([name, sum]) => `${name} ${sum}`));
  if (shown(found) !== shown(expected)) throw new Error(`${what}: ${shown(found)} instead of ${shown(expected)}`);
}
