import { hash } from "node:crypto";
import { merkleRoot } from "../../catapult/crypto/merkle.js";
import { computeFee } from "../../catapult/entity/block.js";
import { hex } from "../../catapult/entity/hex.js";
import type { NetworkConfig } from "../config/network-config.js";
import { createExecutionContext, createValidationContext } from "../rules/execution-context.js";
import type { ExecutableBlock, Notify } from "../rules/notifications.js";
import type { ExecutionContext, RuleBook, ValidationContext } from "../rules/rule-book.js";
import type { ChainTables } from "../tables/chain-tables.js";
import { updateDynamicFeeMultiplier } from "../tables/fee-multiplier.js";
import { updateImportances } from "../tables/importance.js";
import { mapKey } from "../trees/state-table.js";
import { collectChanges } from "./entry-changes.js";
import { BlockExecutionError, type ExecutedBlock } from "./executed-block.js";
import { publishBlock, publishNemesisPrelude, publishTransaction, publishWithoutBody } from "./publish.js";
import { findPlacementProblem } from "./transaction-checks.js";

/** The state that blocks change, and the rules by which they do. */
interface ExecutedState {
  readonly tables: ChainTables;
  readonly config: NetworkConfig;
  readonly rules: RuleBook;
}

/**
 * Executes a block; completed steps are not undone when it fails.
 *
 * @param isProven whether votes prove the block: then nothing is checked, and what cannot be executed is left out
 * @throws BlockExecutionError naming the transaction and its failure
 */
export function executeBlock(
  { tables, config, rules }: ExecutedState,
  block: ExecutableBlock,
  isProven: boolean,
): ExecutedBlock {
  const { height } = block;
  const checks = createValidationContext(tables, config, height, block.timestamp);
  const context = createExecutionContext(checks);
  const isNemesis = height === 1;
  const notify = isProven ? leavingOut(rules, context) : checking(rules, checks, context);
  const publish = (subject: () => string, part: () => void) => {
    try {
      part();
    } catch (error) {
      if (isProven) return;
      const cause = error instanceof BlockExecutionError ? error.cause : error;
      throw new BlockExecutionError(`${subject()}: ${(error as Error).message}`, { cause });
    }
  };
  for (const [index, one] of block.transactions.entries()) {
    const name = () => `transaction ${index} (${hex(one.hash)}) of block ${height}`;
    publish(name, () => {
      if (isNemesis) publishNemesisPrelude(rules, notify);
      const fee = computeFee(one.bytes.length, block.feeMultiplier);
      const problem = isProven ? undefined : findPlacementProblem(one.entity, config);
      if (problem) throw new BlockExecutionError(problem);
      if (isProven && one.entity.kind === "unknown") publishWithoutBody(rules, one, fee, notify);
      else publishTransaction(rules, one, fee, height, notify);
    });
    tables.confirmed.set(mapKey(one.hash), one.entity.deadline);
  }
  publish(
    () => `block ${height}`,
    () => {
      if (isNemesis) publishNemesisPrelude(rules, notify);
      publishBlock(block, notify);
    },
  );
  updateImportances(context);
  updateDynamicFeeMultiplier(tables, config, block.feeMultiplier);

  const statement = context.statement.build();
  const roots = tables.stateTables().map((table) => table.updateTree(height));
  return {
    statement: statement.bytes,
    statementHashes: statement.hashes,
    receiptsHash: merkleRoot(statement.hashes),
    subCacheMerkleRoots: roots,
    stateHash: hash("sha3-256", Buffer.concat(roots), "buffer"),
    changes: collectChanges(tables),
  };
}

/** Executes what is valid. @throws BlockExecutionError with the failure of what is not */
function checking(rules: RuleBook, checks: ValidationContext, context: ExecutionContext): Notify {
  return (notification) => {
    const failure = rules.checkInBlock(notification, checks);
    if (failure) throw new BlockExecutionError(failure);
    rules.execute(notification, context);
  };
}

/** Executes everything that can be executed. */
function leavingOut(rules: RuleBook, context: ExecutionContext): Notify {
  return (notification) => {
    try {
      rules.execute(notification, context);
    } catch {
      // The network's rules are others than ours, so a rule of ours may not expect what it is given.
    }
  };
}
