import type { Logger } from "pino";
import type { StateKind } from "../../catapult/state/kind.js";
import type { Db } from "../../database/database.js";
import { clearIndexerFailure, writeIndexerFailure } from "../../database/queries/indexer-failures.js";
import type { Executor } from "../chain/execution/executor.js";
import { differingSubCaches, type RejectedExecution } from "../chain/execution/sub-cache-roots.js";
import { classifyFailure, type NodeFault } from "./failures.js";
import type { FollowedNodes } from "./followed-nodes.js";

interface FailureHandlerOptions {
  readonly db: Db;
  readonly nodes: FollowedNodes;
  readonly log: Logger;
}

/**
 * What follows from an error, if it is not only tried again: the node was dropped, and another one can be followed at once;
 * or all reachable nodes serve invalid finalization proofs, which are to be ignored from now on.
 */
export type FailureOutcome = "nextNode" | "ignoreProofs" | undefined;

const WRONG_PROGRAM = "All nodes serve the same data: this program may lack a rule of the network. Update it";
const CONTINUING = "the block is indexed once votes prove it";
const WRONG_CLOCK = "All nodes serve the same data: set this machine's clock";

/**
 * Handles the error that ended a round of following: drops nodes that serve invalid data, names the sub-caches in which
 * a rejected state differs from the node's, and records why the index cannot continue, for `/ready`, until it does.
 */
export class FailureHandler {
  readonly #options: FailureHandlerOptions;
  /** An earlier process may have left a record. */
  #isRecorded = true;
  #compared: { readonly problem: string; readonly kinds: readonly StateKind[] } | undefined;

  constructor(options: FailureHandlerOptions) {
    this.#options = options;
  }

  /** @param node that served it, `host:port`: the connection may be lost by now; default the connected one */
  async failed(
    error: unknown,
    ledger: Executor | undefined,
    node = this.#options.nodes.client.connectedNode?.node,
  ): Promise<FailureOutcome> {
    const { nodes } = this.#options;
    const { fault, isOfExecution: isOurs } = classifyFailure(error, node);
    if (!fault && !isOurs) return undefined;
    const height = fault?.height ?? null;
    const { message } = error as Error;
    const rejected = isOurs ? ledger?.rejected : undefined;
    const kinds = rejected?.height === height ? await this.#compare(message, rejected) : [];
    const isProven = ledger?.isProvenAndRejected(height) === true;
    if (fault && !isProven && (await nodes.drop(fault))) return "nextNode";
    if (fault?.isOfProof && nodes.isOnlyReason(fault)) return "ignoreProofs";
    const parts = [message];
    if (kinds.length > 0) parts.push(`the roots of ${kinds.join(", ")} differ from the node's`);
    if (fault && nodes.isServedByAll(fault)) parts.push(adviceOn(fault));
    await this.#record(height, parts.join(". "));
    return undefined;
  }

  /** To be called after each round that succeeded. */
  async succeeded(): Promise<void> {
    this.#options.nodes.advanced();
    if (!this.#isRecorded) return;
    await clearIndexerFailure(this.#options.db);
    this.#isRecorded = false;
  }

  /** Each problem with each node is compared once. @returns the sub-caches that differ, as far as the node shows */
  async #compare(message: string, rejected: RejectedExecution): Promise<readonly StateKind[]> {
    const { nodes, log } = this.#options;
    const node = nodes.client.connectedNode?.node;
    const problem = `${node} ${message}`;
    if (this.#compared?.problem !== problem) {
      const kinds = await differingSubCaches(nodes.client, rejected);
      this.#compared = { problem, kinds };
      log.error({ node, height: rejected.height, kinds }, "The result of executing a block differs from its header");
    }
    return this.#compared.kinds;
  }

  async #record(height: number | null, reason: string): Promise<void> {
    const { db, log } = this.#options;
    this.#isRecorded = true;
    await writeIndexerFailure(db, { height, reason }).catch((err: unknown) =>
      log.warn({ err }, "Recording the reason of a failure failed"),
    );
  }
}

/** What to do when all nodes serve the same invalid data. */
function adviceOn({ height, field }: NodeFault): string {
  const isOfClock = height !== undefined && field === "timestamp";
  return `${isOfClock ? WRONG_CLOCK : WRONG_PROGRAM}; ${CONTINUING}`;
}
