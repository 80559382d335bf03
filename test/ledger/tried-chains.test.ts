import { describe, expect, test } from "@jest/globals";
import type { Block } from "../../catapult/entity/model.js";
import { decodeStatement } from "../../catapult/entity/statement.js";
import { decodeState } from "../../catapult/state/state.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import type { DryRunResult } from "../../ledger/engine/dry-run.js";
import type { ExecutedBlock } from "../../ledger/engine/executed-block.js";
import { matchesHeader } from "../../ledger/engine/header-match.js";
import { ChainRecording } from "../support/chain-recording.js";
import { sparseStateOf } from "./sparse-state-of.js";

/** Tries the transactions of each block on the state before it, and compares with what the block does. */
function tries(open: () => ChainRecording, transactions: number): void {
  test("succeed on the state before them, with the receipts and balances of their blocks", async () => {
    const chain = open();
    const state = new ChainState(chain.config);
    const wrong: string[] = [];
    let tried = 0;
    for (const { decoded: block } of chain.blocks) {
      const final = chain.finalizedBefore(block.height);
      if (final > 0) state.finalize(final, chain.blocks[final - 1]!.decoded.timestamp);
      const results = block.height > 1 ? await tryBlock(state, block) : undefined;
      const executed = state.execute(block, (result) => matchesHeader(result, block.entity));
      if (!matchesHeader(executed, block.entity)) throw new Error(`block ${block.height} differs from its header`);
      if (results) wrong.push(...differencesOf(block, results, executed));
      tried += results?.length ?? 0;
    }
    process.stderr.write(`tried: ${tried}, of which ${wrong.length} differ\n`);
    expect(wrong).toEqual([]);
    expect(tried).toBe(transactions);
  });
}

describe.each([
  ["announced", 983],
  ["main-rules", 1_585],
  ["walk", 904],
])("dry runs of the transactions that a real node recorded in %s", (name, transactions) => {
  tries(() => new ChainRecording(name), transactions);
});

function tryBlock(state: ChainState, { transactions, timestamp, feeMultiplier }: Block) {
  return sparseStateOf(state, transactions).run((startDryRun) => {
    const dryRun = startDryRun();
    return transactions.map((one) =>
      dryRun.try(one, timestamp, { fee: BigInt(one.bytes.length) * BigInt(feeMultiplier) }),
    );
  });
}

/** Failures, and receipts and balances that are not those of the block. */
function differencesOf(
  { height, transactions }: Block,
  tried: readonly DryRunResult[],
  { changes, statement }: ExecutedBlock,
) {
  const { transactionStatements } = decodeStatement(statement);
  const ofBlock = transactionStatements.filter(({ source }) => source.primaryId === 0);
  const expected = new BalanceSums();
  for (const { kind, before, after } of changes)
    if (kind === "account") expected.addAccount(before?.value, after?.value);
  for (const { receipts } of ofBlock) {
    for (const receipt of receipts) {
      if (receipt.kind === "balanceChange") expected.add(receipt.targetAddress, receipt.mosaicId, -receipt.amount);
    }
  }
  const found = new BalanceSums();
  const wrong: string[] = [];
  for (const [index, { failure, changes: own }] of tried.entries()) {
    const name = `transaction ${index} of block ${height} (${transactions[index]!.entity.kind})`;
    if (!own) {
      wrong.push(`${name}: ${failure}`);
      continue;
    }
    for (const { address, mosaicId, before, after } of own.balances) found.add(address, mosaicId, after - before);
    const receiptsOf = (statements: typeof transactionStatements, primaryId: number) =>
      statements
        .filter(({ source }) => source.primaryId === primaryId)
        .map(({ source, receipts }) => [source.secondaryId, receipts.map((one) => one.bytes.toString("hex"))]);
    const inBlock = receiptsOf(transactionStatements, index + 1);
    const alone = receiptsOf(decodeStatement(own.statement).transactionStatements, 1);
    if (JSON.stringify(inBlock) !== JSON.stringify(alone)) wrong.push(`${name}: other receipts`);
  }
  return JSON.stringify(expected.all()) === JSON.stringify(found.all())
    ? wrong
    : [...wrong, `block ${height}: balances ${JSON.stringify([expected.all(), found.all()])}`];
}

class BalanceSums {
  readonly #sums = new Map<string, bigint>();

  add(address: Buffer, mosaicId: bigint, amount: bigint): void {
    const key = `${address.toString("hex")} ${mosaicId.toString(16)}`;
    this.#sums.set(key, (this.#sums.get(key) ?? 0n) + amount);
  }

  addAccount(before: Buffer | undefined, after: Buffer | undefined): void {
    for (const [value, sign] of [[before, -1n] as const, [after, 1n] as const]) {
      if (!value) continue;
      const { address, mosaics } = decodeState("account", value);
      for (const { id, amount } of mosaics) this.add(address, id, sign * amount);
    }
  }

  /** Those that are not 0, sorted. */
  all(): string[] {
    return [...this.#sums]
      .filter(([, sum]) => sum !== 0n)
      .map(([key, sum]) => `${key}: ${sum}`)
      .sort();
  }
}
