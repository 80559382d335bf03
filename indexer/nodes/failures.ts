import { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";
import {
  NodeError,
  NodeResponseError,
  NodeUnavailableError,
  PacketError,
  UnexpectedPacketError,
} from "../../catapult/wire/errors.js";
import { classifyDatabaseFailure } from "../../database/outage.js";
import { FinalizationProofError } from "../../ledger/finalization/verify-proof.js";
import {
  BackfillRangeError,
  ClaimedScoreError,
  FinalizedBlockDroppedError,
  StoredStateError,
  UnknownNetworkError,
  WrongNetworkError,
} from "../chain/step/errors.js";
import type { FaultReason } from "../metrics/metrics.js";

/** Invalid data that a node served. */
export interface NodeFault {
  /** `host:port`; undefined if the connection is lost and the error does not name the node. */
  readonly node: string | undefined;
  readonly reason: FaultReason;
  /** Height of the block that the data belong to, if any. */
  readonly height?: number;
  /** Such as `stateHash`. */
  readonly field: string;
  readonly message: string;
  /** Whether it is an invalid finalization proof. */
  readonly isOfProof?: boolean;
}

/**
 * What failed, who is to blame, and what happens next. The consequences are in this order, and each row ends at its first
 * that helps; whatever fails is tried again after a growing delay (`writer.ts`), and a writer for which nothing succeeds
 * leaves the writer lock to a standby.
 *
 * | what failed | the state in memory | the node | then |
 * |---|---|---|---|
 * | connection to the node | stays | is left for the next one that answers | |
 * | its answer: packet or field | stays | is dropped | |
 * | its network | stays | is dropped | with one node, a backfill ends |
 * | its score: claims more than it serves | stays | is dropped | |
 * | its chain: lacks our final block | stays | is dropped | |
 * | a block by itself, or its header | stays | is dropped, unless votes prove the block | if all nodes serve it, `/ready` says so; a backfill ends when it is rejected twice |
 * | a block in execution: transactions, receipts, fees, state | is loaded again, before anyone is blamed | is dropped, unless votes prove the block | `/ready` names the sub-caches that differ; a backfill ends when it is rejected twice |
 * | a finalization proof | is loaded again | is dropped | if all nodes serve such, they are ignored for an hour |
 * | the rules of the network are unknown | stays | is not to blame | the command ends with exit code 2 |
 * | the stored state is not that of the head | is loaded again | is not to blame | `/ready` says so; a backfill ends |
 * | the range of a backfill | stays | is not to blame | the backfill ends |
 * | the database is not reachable, rejects us, or is overloaded | stays | is not to blame | one line a minute says so; no number of these ends a backfill |
 * | anything else: a rule of the database, the head row moved, a fault of this program | is loaded again | is not to blame | |
 */
export interface Failure {
  /** Whether it may come from the state in memory; of a rejected block, the executor knows whether it was executed. */
  readonly mayComeFromState: boolean;
  /** What the node has done; undefined if it is not to blame. */
  readonly fault: NodeFault | undefined;
  /** Whether execution failed here, or the node's block is invalid: both look alike. */
  readonly isOfExecution: boolean;
  /** Whether trying again cannot help, whatever the nodes do. */
  readonly isForOperator: boolean;
}

/** @param connectedNode `host:port` of the node that was connected when the error occurred */
export function classifyFailure(error: unknown, connectedNode?: string): Failure {
  const fault = findNodeFault(error, connectedNode);
  const isBlock = error instanceof BlockRejectedError;
  const isOfConnection = error instanceof NodeError || error instanceof NodeUnavailableError;
  const isOfStored = error instanceof StoredStateError;
  const isOfSettings = error instanceof UnknownNetworkError || error instanceof BackfillRangeError;
  const isElsewhere = fault || isBlock || isOfConnection || isOfSettings || classifyDatabaseFailure(error);
  return {
    mayComeFromState: error instanceof FinalizationProofError || !isElsewhere,
    fault,
    isOfExecution: isBlock ? EXECUTED_FIELDS.has(error.field) : isOfStored || error instanceof UnknownNetworkError,
    isForOperator: isOfStored || isOfSettings || error instanceof WrongNetworkError,
  };
}

/** Fields of a block that are verified against the result of executing it. */
const EXECUTED_FIELDS: ReadonlySet<string> = new Set(["transactions", "receiptsHash", "stateHash", "totalFee"]);

/** The metric's reason for a rejected field; "block" for all others. */
const FIELD_REASONS: readonly (readonly [RegExp, FaultReason])[] = [
  [/^stateHash$/, "state"],
  [/^(receiptsHash|transactionStatements|addressResolutions|mosaicResolutions|statement)/, "receipts"],
];

/**
 * What an error means about the data of a node; undefined if it is not about them, such as a lost connection.
 *
 * @param connectedNode `host:port` of the node that was connected when the error occurred
 */
function findNodeFault(error: unknown, connectedNode: string | undefined): NodeFault | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message } = error;
  const fault = (reason: FaultReason, field: string, node = connectedNode): NodeFault => {
    return { node, reason, field, message };
  };
  if (error instanceof BlockRejectedError) {
    const [, reason = "block"] = FIELD_REASONS.find(([pattern]) => pattern.test(error.field)) ?? [];
    return { ...fault(reason, error.field), height: error.height };
  }
  if (error instanceof FinalizationProofError) {
    return { ...fault("finalization", error.field), height: error.height, isOfProof: true };
  }
  if (error instanceof FinalizedBlockDroppedError) {
    return { ...fault("finalization", "finalizedBlock"), height: error.finalizedHeight };
  }
  if (error instanceof WrongNetworkError) return fault("network", "generationHashSeed");
  if (error instanceof ClaimedScoreError) return fault("score", "score");
  if (error instanceof NodeResponseError) return fault("answer", error.field, error.node);
  if (error instanceof PacketError || error instanceof UnexpectedPacketError)
    return fault("answer", "packet", error.node);
  if (error instanceof NodeError && error.cause) return findNodeFault(error.cause, error.node);
  return undefined;
}

/** Maximum number of consecutive failures of a backfill without a block written in between. */
const MAX_FAILURES = 10;

/** The failures of a backfill since it last wrote something. */
export class BackfillFailures {
  #failures: unknown[] = [];

  succeeded(): void {
    this.#failures = [];
  }

  /** @throws the error, if it ends the backfill */
  failed(error: unknown): void {
    if (classifyDatabaseFailure(error)) return;
    if (endsBackfill(error, this.#failures)) throw error;
    this.#failures.push(error);
  }
}

/**
 * Whether a backfill ends. What is invalid is tried once more: a node may just have switched branch, and votes may
 * prove what was rejected.
 */
export function endsBackfill(error: unknown, failures: readonly unknown[]): boolean {
  if (classifyFailure(error).isForOperator) return true;
  const last = failures.at(-1);
  if (error instanceof BlockRejectedError) {
    return last instanceof BlockRejectedError && last.height === error.height && last.field === error.field;
  }
  return failures.length + 1 >= MAX_FAILURES;
}
