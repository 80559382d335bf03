import type { Logger } from "pino";
import { hex } from "../../catapult/entity/hex.js";
import type { StateKind } from "../../catapult/state/kind.js";
import type { Db } from "../../database/database.js";
import { clearIndexerFailure, writeIndexerFailure } from "../../database/queries/indexer-failures.js";
import { DifferingStateError } from "../execution/errors.js";
import type { LedgerFollower } from "../execution/ledger-follower.js";
import { compareWithNode, describeComparison, type NodeComparison } from "../execution/node-comparison.js";
import { isExecutionFailure } from "../execution/options.js";
import type { FollowedNodes } from "./followed-nodes.js";
import { type NodeFault, nodeFaultOf } from "./node-fault.js";

export interface FailureHandlerOptions {
  readonly db: Db;
  readonly nodes: FollowedNodes;
  readonly log: Logger;
  /** Whether votes do not overrule checks; default false. */
  readonly stopsAtUnknownRule?: boolean | undefined;
}

/** Consequences of an error. */
export interface FailureOutcome {
  /** Whether the node was dropped and another one can be followed at once. */
  readonly hasNextNode: boolean;
  /** Whether all reachable nodes serve invalid finalization proofs, which are to be ignored from now on. */
  readonly areProofsInvalid?: boolean;
}

const WRONG_PROGRAM = "All nodes serve the same data: this program may lack a rule of the network. Update it";
const CONTINUING = "the block is indexed once votes prove it";
const STOPPING = "or set ON_UNKNOWN_RULE=continue";
const PROVEN_BLOCK = "Votes prove this block: this program lacks a rule of the network. Update it";
const WRONG_CLOCK = "All nodes serve the same data: set this machine's clock";
const NOT_CONTINUING: FailureOutcome = { hasNextNode: false };

/**
 * Handles the error that ended a round of following: drops nodes that serve invalid data, compares rejected state
 * with the node's, and records why the index cannot continue, for `/ready`, until it does.
 */
export class FailureHandler {
  readonly #options: FailureHandlerOptions;
  /** An earlier process may have left a record. */
  #isRecorded = true;
  #compared: { readonly problem: string; readonly comparison: NodeComparison } | undefined;

  constructor(options: FailureHandlerOptions) {
    this.#options = options;
  }

  /** @param node that served it, `host:port`: the connection may be lost by now; default the connected one */
  async failed(
    error: unknown,
    ledger: LedgerFollower | undefined,
    node = this.#options.nodes.client.connectedNode?.node,
  ): Promise<FailureOutcome> {
    const { nodes } = this.#options;
    const fault = nodeFaultOf(error, node);
    const isOurs = isExecutionFailure(error) || error instanceof DifferingStateError;
    if (!fault && !isOurs) return NOT_CONTINUING;
    const height = fault?.height ?? null;
    const { message } = error as Error;
    const comparison = isOurs && ledger?.rejected?.height === height ? await this.#compare(message, ledger) : undefined;
    const isProven = ledger?.isProvenAndRejected(height) === true;
    if (fault && !isProven && (await nodes.drop(fault))) return { hasNextNode: true };
    if (fault?.isOfProof && !this.#options.stopsAtUnknownRule && nodes.isOnlyReason(fault)) {
      return { ...NOT_CONTINUING, areProofsInvalid: true };
    }
    const parts = [message, comparison && describeComparison(comparison)];
    if (isProven) parts.push(PROVEN_BLOCK);
    else if (fault && nodes.isServedByAll(fault)) parts.push(this.#adviceOn(fault));
    await this.#record(height, parts.filter((part) => part).join(". "));
    return NOT_CONTINUING;
  }

  /** To be called after each round that succeeded. */
  async succeeded(): Promise<void> {
    this.#options.nodes.advanced();
    if (!this.#isRecorded) return;
    await clearIndexerFailure(this.#options.db);
    this.#isRecorded = false;
  }

  /** Each problem with each node is compared once: a node that does not trust us closes the connection each time. */
  async #compare(message: string, ledger: LedgerFollower): Promise<NodeComparison | undefined> {
    const { nodes, log } = this.#options;
    const { rejected } = ledger;
    if (!rejected) return undefined;
    const node = nodes.client.connectedNode?.node;
    const problem = `${node} ${message}`;
    if (this.#compared?.problem !== problem) {
      const keysOf = (kind: StateKind) => ledger.ledger?.tables.byKind(kind).keys() ?? [];
      const comparison = await compareWithNode(nodes.client, rejected, keysOf);
      this.#compared = { problem, comparison };
      const { kinds, entries } = comparison;
      const keys = entries.map(({ key, ...entry }) => ({ ...entry, ...(key && { key: hex(key) }) }));
      log.error(
        { node, height: rejected.height, kinds, keys, nodeHasProvenRoots: comparison.hasProvenRoots },
        "The result of executing a block differs from its header",
      );
    }
    return this.#compared?.comparison;
  }

  /** What to do when all nodes serve the same invalid data. */
  #adviceOn({ height, field }: NodeFault): string {
    const isOfClock = height !== undefined && field === "timestamp";
    const advice = isOfClock ? WRONG_CLOCK : WRONG_PROGRAM;
    return this.#options.stopsAtUnknownRule ? `${advice}, ${STOPPING}` : `${advice}; ${CONTINUING}`;
  }

  async #record(height: number | null, reason: string): Promise<void> {
    const { db, log } = this.#options;
    this.#isRecorded = true;
    await writeIndexerFailure(db, { height, reason }).catch((err: unknown) =>
      log.warn({ err }, "Recording the reason of a failure failed"),
    );
  }
}
