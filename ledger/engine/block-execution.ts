import { hash } from "node:crypto";
import type { FailureName } from "../../catapult/announcement/status-code.js";
import { merkleRoot } from "../../catapult/crypto/merkle.js";
import { feeOf } from "../../catapult/entity/block.js";
import { hex } from "../../catapult/entity/hex.js";
import type { NetworkConfig } from "../config/network-config.js";
import { createExecutionContext, createValidationContext } from "../rules/execution-context.js";
import type { ExecutableBlock, Notification, Notify } from "../rules/notifications.js";
import type { RuleBook } from "../rules/rule-book.js";
import type { ChainTables } from "../tables/chain-tables.js";
import { updateDynamicFeeMultiplier } from "../tables/fee-multiplier.js";
import { updateImportances } from "../tables/importance.js";
import { mapKey } from "../trees/state-table.js";
import { changesOf } from "./entry-changes.js";
import { BlockExecutionError, type ExecutedBlock } from "./executed-block.js";
import type { OverruledCheck } from "./overruled-check.js";
import { publishBlock, publishNemesisPrelude, publishTransaction, publishWithoutBody } from "./publish.js";
import { placeProblem } from "./transaction-checks.js";

/** Why a notification is invalid. */
type Check = (notification: Notification) => FailureName | undefined;

/** The state that blocks change, and the rules by which they do. */
interface ExecutedState {
  readonly tables: ChainTables;
  readonly config: NetworkConfig;
  readonly rules: RuleBook;
}

/**
 * Executes a block; completed steps are not undone when it fails.
 *
 * @param overruled for a block that votes prove: failures of checks, and effects that cannot be executed, are added to
 *   it, and do not end the execution
 * @throws BlockExecutionError naming the transaction and its failure
 */
export function executeBlock(
  { tables, config, rules }: ExecutedState,
  block: ExecutableBlock,
  overruled: OverruledCheck[] | undefined,
): ExecutedBlock {
  const { height } = block;
  const checks = createValidationContext(tables, config, height, block.timestamp);
  const context = createExecutionContext(checks);
  const isNemesis = height === 1;
  let transaction: Buffer | undefined;
  const check: Check = (notification) => {
    const failure = rules.checkInBlock(notification, checks);
    if (!failure || !overruled) return failure;
    overruled.push({ height, rule: failure, transaction });
    return undefined;
  };
  const attempt = (part: () => void) => {
    try {
      part();
    } catch (error) {
      const rule = `cannot be executed: ${(error as Error).message}`;
      overruled?.push({ height, rule, transaction });
    }
  };
  const execute: Notify = (notification) => {
    if (overruled) attempt(() => rules.execute(notification, context));
    else rules.execute(notification, context);
  };
  const notify: Notify = (notification) => {
    const failure = check(notification);
    if (failure) throw new BlockExecutionError(`block ${height}: ${failure}`);
    execute(notification);
  };

  for (const [index, one] of block.transactions.entries()) {
    if (isNemesis) publishNemesisPrelude(rules, notify);
    transaction = one.hash;
    const nameOf = () => `transaction ${index} (${hex(one.hash)}) of block ${height}`;
    const fee = feeOf(one.bytes.length, block.feeMultiplier);
    const problem = placeProblem(one.entity, config);
    if (problem && !overruled) throw new BlockExecutionError(`${nameOf()} ${problem}`);
    if (problem) overruled?.push({ height, rule: problem, transaction });
    let failure: FailureName | undefined;
    const notifyOfTransaction: Notify = (notification) => {
      failure ??= check(notification);
      if (!failure) execute(notification);
    };
    const publish = () => publishTransaction(rules, one, fee, height, notifyOfTransaction);
    if (!overruled) publish();
    else if (one.entity.kind !== "unknown") attempt(publish);
    else {
      overruled.push({ height, rule: `unknown transaction type ${one.entity.type}`, transaction });
      attempt(() => publishWithoutBody(rules, one, fee, notifyOfTransaction));
    }
    if (failure) throw new BlockExecutionError(`${nameOf()}: ${failure}`);
    tables.confirmed.set(mapKey(one.hash), one.entity.deadline);
  }
  transaction = undefined;
  if (isNemesis) publishNemesisPrelude(rules, notify);
  publishBlock(block, notify);
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
    changes: changesOf(tables),
  };
}
