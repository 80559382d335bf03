import { setImmediate, setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { AnnouncementMode } from "../../catapult/announcement/announcement.js";
import type { FailureName } from "../../catapult/announcement/status-code.js";
import { splitCosignatures } from "../../catapult/entity/cosignature.js";
import { transactionHash } from "../../catapult/entity/hashes.js";
import type { BlockTransaction, NetworkIdentity } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import type { SimulationBody } from "../../catapult/json/simulation.js";
import type { NodeResources } from "../../catapult/network/node-resources.js";
import { NetworkClock } from "../../catapult/wire/network-clock.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { findPendingAnnouncements, hasOthersPending } from "../../database/mempool/announcements.js";
import { readIndexPoint } from "../../database/queries/head.js";
import { DryRunLimitError } from "../../ledger/engine/dry-run.js";
import { invalidArgument, serviceUnavailable } from "../errors/errors.js";
import type { DryRunShare, DryRunThreads } from "./dry-run-threads.js";
import { type FeeProblem, findFeeProblem } from "./fee-problem.js";
import { HeadMovedError, type HeadState, openHeadState } from "./head-state.js";
import { NetworkRules, networkOf } from "./network-rules.js";
import { type CheckedCandidate, readCandidate } from "./simulator.js";

export interface DryRunsOptions {
  readonly node: NodeClient;
  readonly resources: NodeResources | undefined;
  /** In which transactions are tried. */
  readonly threads: Pick<DryRunThreads, "run" | "share">;
}

/**
 * What a node would say to an announcement: nothing against it, a code, or `unknown` if the index cannot tell. With a
 * reason, the code is what a look-up or two have found: the transaction was not tried.
 */
export type AnnouncementResult = { readonly code: FailureName; readonly reason?: string } | "accepted" | "unknown";

/** More pending announcements are not tried before another one, nor more bytes of them. */
const MAX_PENDING_TRIED = { count: 200, bytes: 131_072 };
/** How long the index may need for a block that the node has just received, in ms. */
const LONGEST_LAG_MS = 1_000;
const LAG_CHECK_MS = 50;
/** How often work begins anew because a block has come meanwhile. */
const MAX_ATTEMPTS = 5;

/** What is known when a dry run needed too much. */
const ifTooMuch =
  <Known>(known: Known) =>
  (error: unknown): Known => {
    if (error instanceof DryRunLimitError) return known;
    throw error;
  };

/** What is tried for an announcement. */
interface AnnouncedTransaction {
  readonly transaction: BlockTransaction;
  readonly isPartial: boolean;
  readonly network: NetworkIdentity;
  /** The network's time, in ms since its epoch. */
  readonly now: number;
}

/** Tries transactions on the state of the index. */
export class DryRuns {
  readonly #node: NodeClient;
  readonly #rules: NetworkRules;
  readonly #clock: NetworkClock;
  readonly #threads: DryRunsOptions["threads"];

  constructor({ node, resources, threads }: DryRunsOptions) {
    this.#threads = threads;
    this.#node = node;
    this.#rules = new NetworkRules(resources);
    this.#clock = new NetworkClock(node);
  }

  /** The lowest fee multiplier that the node accepts; 0 if its network's rules are not known. */
  async minFeeMultiplier(network: NetworkIdentity): Promise<number> {
    return (await this.#rules.readForDryRuns(network))?.minFeeMultiplier ?? 0;
  }

  /**
   * What a node would say to an announced transaction that has passed all checks without state: on the head, and on the
   * head with what was announced here and is pending. What succeeds with all of that is accepted: there is money for
   * all. Otherwise it fails if it fails on the head, or with what the node has reported; unless others' pending
   * transactions concern the same accounts. A new block of the node is awaited for up to {@link LONGEST_LAG_MS}. Before
   * it is tried, a few look-ups tell whether its signer can pay its fee.
   *
   * @param db the primary database
   * @param now the network's time, in ms since its epoch
   * @param client whose turn it takes
   * @throws ApiError TooManyRequests for a client whose dry runs were ended; errors of an unreachable database or node
   */
  async evaluate(
    db: Db,
    transaction: BlockTransaction,
    mode: AnnouncementMode,
    now: number,
    client: string,
  ): Promise<AnnouncementResult> {
    const network = await networkOf({ db, node: this.#node });
    const known = await this.#rules.readForDryRuns(network);
    if (!known) return "unknown";
    const isPartial = mode === "partial";
    const bytes = isPartial ? splitCosignatures(transaction.bytes).aggregate : transaction.bytes;
    const announced = {
      transaction: isPartial ? decodeTransaction(bytes, network) : transaction,
      isPartial,
      network,
      now,
    };
    const share = this.#threads.share(client);
    const giveUpAt = performance.now() + LONGEST_LAG_MS;
    for (;;) {
      const nodeHeight = (await this.#node.chainStatistics()).height;
      const opened = await openHeadState(db, known.config, [transaction.hash], (snapshot) =>
        findFeeProblem(snapshot, transaction, known.config, now),
      );
      const height = opened?.state.basis.height;
      if (opened && height === nodeHeight) {
        const result = await this.#evaluateOn(opened.state, opened.also, announced, share).catch(ifMoved);
        if (result) return result;
        // Each may have got a block since the other was asked.
      } else if (height === undefined || Math.abs(height - nodeHeight) !== 1) return "unknown";
      if (performance.now() > giveUpAt) return "unknown";
      await setTimeout(LAG_CHECK_MS);
    }
  }

  async #evaluateOn(
    state: HeadState,
    feeProblem: FeeProblem | undefined,
    announced: AnnouncedTransaction,
    share: DryRunShare,
  ): Promise<AnnouncementResult> {
    const { transaction, isPartial, network, now } = announced;
    const [confirmed] = state.basis.confirmed;
    if (confirmed) return { code: "Failure_Hash_Already_Exists" };
    if (feeProblem) return feeProblem;
    const tryAfter = async (others: readonly Buffer[]): Promise<AnnouncementResult> => {
      const job = { kind: "evaluate", network, others, payload: transaction.bytes, isPartial, now } as const;
      const failure = await this.#threads.run(share, job, state);
      return failure ? { code: failure } : "accepted";
    };
    const alone = await tryAfter([]).catch(ifTooMuch("unknown" as const));
    // A lock counts only when it is in a block.
    if (alone === "unknown" || (typeof alone === "object" && alone.code === "Failure_LockHash_Unknown_Hash"))
      return alone;
    const tryAfterPending = async (areReported: boolean): Promise<AnnouncementResult> => {
      const limits = { ...MAX_PENDING_TRIED, areReported };
      const payloads = await state.at((snapshot) => findPendingAnnouncements(snapshot, now, limits));
      if (!payloads) return "unknown";
      const others = payloads.filter((bytes) => !transactionHash(bytes, network).equals(transaction.hash));
      return others.length > 0 ? await tryAfter(others).catch(ifTooMuch("unknown" as const)) : alone;
    };
    let result = await tryAfterPending(false);
    if (typeof result === "string") return result;
    if (alone === "accepted") {
      // A conflict with what the node has not reported yet is not certain.
      result = await tryAfterPending(true);
      if (typeof result === "string") return "unknown";
    }
    const others = await state.at((snapshot) => hasOthersPending(snapshot, transaction.relatedAddresses));
    return others ? "unknown" : result;
  }

  /**
   * Whether the signature of an account counts for an aggregate: for the signer of one of its transactions, or for a
   * multisig account. Undefined if the index cannot tell.
   */
  async mayCosign(db: Db, payload: Buffer, publicKey: Buffer, client: string): Promise<boolean | undefined> {
    const network = await networkOf({ db, node: this.#node });
    const known = await this.#rules.readForDryRuns(network);
    if (!known) return undefined;
    const { aggregate } = splitCosignatures(payload);
    const share = this.#threads.share(client);
    const job = { kind: "cosign", network, aggregate, publicKey } as const;
    const tried = await onHead(async () => {
      const opened = await openHeadState(db, known.config, []);
      return opened && { failure: await this.#threads.run(share, job, opened.state) };
    }).catch(ifTooMuch(undefined));
    return tried && tried.failure !== "Failure_Aggregate_Ineligible_Cosignatories";
  }

  /**
   * What would happen to these transactions in the next block, each after those before it.
   *
   * @param isUnsigned whether they are yet to be signed
   * @param client whose turn it takes
   * @throws ApiError InvalidContent for bytes that are not a transaction, InvalidArgument if they need too much of the
   *   state or too much work, TooManyRequests for a client whose dry runs were ended, ServiceUnavailable if the index
   *   cannot evaluate them; errors of an unreachable database
   */
  async simulate(
    db: Db,
    payloads: readonly Buffer[],
    isUnsigned: boolean,
    client: string,
  ): Promise<readonly SimulationBody[]> {
    const share = this.#threads.share(client);
    const network = await networkOf({ db, node: this.#node });
    const known = await this.#rules.readForDryRuns(network);
    const { height, timestamp } = await readIndexPoint(db);
    const rules = await this.#rules.read(network, height + 1);
    // Without a node, the time is that of the last block.
    const now = await this.#clock.now().catch(() => timestamp);
    const options = { network, rules, isUnsigned, now, minFeeMultiplier: known?.minFeeMultiplier ?? 0 };
    const candidates: CheckedCandidate[] = [];
    for (const [index, bytes] of payloads.entries()) {
      // Many signatures take long: others are served in between.
      if (index > 0) await setImmediate();
      candidates.push(readCandidate(bytes, `payloads[${index}]`, options));
    }
    if (!known)
      throw serviceUnavailable("this needs the node's resource files: set CATAPULT_RESOURCES to their folder");
    const hashes = candidates.map(({ hash }) => hash);
    const tried = await onHead(async () => {
      const opened = await openHeadState(db, known.config, hashes);
      if (!opened) throw serviceUnavailable("nothing is indexed yet: try again");
      const rulesOfState = await this.#rules.read(network, opened.state.basis.height + 1);
      if (!isDeepStrictEqual(rulesOfState, rules)) return "otherRules";
      return await this.#threads.run(share, { kind: "simulate", candidates, options }, opened.state);
    }).catch((error: unknown) => {
      if (error instanceof DryRunLimitError) throw invalidArgument(`payloads: this ${error.message}`);
      throw error;
    });
    // Blocks have come meanwhile, from which on other rules hold.
    if (tried === "otherRules") return await this.simulate(db, payloads, isUnsigned, client);
    if (!tried) throw serviceUnavailable("the index changes too fast at the moment: try again");
    return tried;
  }
}

/** Work on the state at the head, begun anew while the head changes; undefined if it changes too often. */
async function onHead<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; ++attempt) {
    const result = await work().catch(ifMoved);
    if (result !== undefined) return result;
  }
  return undefined;
}

/** Undefined for work whose head has changed. */
function ifMoved(error: unknown): undefined {
  if (error instanceof HeadMovedError) return undefined;
  throw error;
}
