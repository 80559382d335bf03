import { setTimeout } from "node:timers/promises";
import type { AnnouncementMode } from "../../catapult/announcement/announcement.js";
import type { FailureName } from "../../catapult/announcement/status-code.js";
import { splitCosignatures } from "../../catapult/entity/cosignature.js";
import { transactionHash } from "../../catapult/entity/hashes.js";
import type { BlockTransaction, NetworkIdentity } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import type { NodeResources } from "../../catapult/network/node-resources.js";
import { NetworkClock } from "../../catapult/wire/network-clock.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { findPendingAnnouncements, hasOthersPending } from "../../database/mempool/announcements.js";
import { inOneState } from "../../database/one-connection.js";
import { readIndexPoint } from "../../database/queries/head.js";
import { TrialLimitError } from "../../ledger/engine/trial.js";
import { invalidArgument, serviceUnavailable } from "../errors/errors.js";
import { openHeadState } from "./head-state.js";
import { NetworkRules, networkOf } from "./network-rules.js";
import { readCandidate } from "./simulator.js";
import type { TrialThread } from "./trial-thread.js";

export interface TrialsOptions {
  readonly node: NodeClient;
  readonly resources: NodeResources | undefined;
  /** In which transactions are tried. */
  readonly thread: TrialThread;
}

/** What a node would say to an announcement: nothing against it, a code, or `unknown` if the index cannot tell. */
export type Verdict = { readonly code: FailureName } | "accepted" | "unknown";

/** More pending announcements are not tried before another one. */
const MAX_PENDING_TRIED = 200;
/** How long the index may need for a block that the node has just received, in ms. */
const LONGEST_LAG_MS = 1_000;
const LAG_CHECK_MS = 50;

/** What is known when a trial needed too much, which no client is to blame for: the machine may be busy. */
const ifTooMuch =
  <Known>(known: Known) =>
  (error: unknown): Known => {
    if (error instanceof TrialLimitError) return known;
    throw error;
  };

/** Tries transactions on the state of the index. */
export class Trials {
  readonly #node: NodeClient;
  readonly #rules: NetworkRules;
  readonly #clock: NetworkClock;
  readonly #thread: TrialThread;

  constructor({ node, resources, thread }: TrialsOptions) {
    this.#thread = thread;
    this.#node = node;
    this.#rules = new NetworkRules(resources);
    this.#clock = new NetworkClock(node);
  }

  /** The lowest fee multiplier that the node accepts; 0 if its network's rules are not known. */
  async minFeeMultiplier(network: NetworkIdentity): Promise<number> {
    return (await this.#rules.readForTrials(network))?.minFeeMultiplier ?? 0;
  }

  /**
   * What a node would say to an announced transaction that has passed all checks without state: on the head, and on the
   * head with what was announced here and is pending. What succeeds with all of that is accepted. Otherwise it fails if it
   * fails on the head, or with what the node has reported; unless others' pending transactions concern the same accounts.
   * A new block of the node is awaited for up to {@link LONGEST_LAG_MS}.
   *
   * @param db the primary database
   * @param now the network's time, in ms since its epoch
   * @param client whose turn it takes
   * @throws errors of an unreachable database or node
   */
  async judge(
    db: Db,
    transaction: BlockTransaction,
    mode: AnnouncementMode,
    now: number,
    client: string,
  ): Promise<Verdict> {
    const network = await networkOf({ db, node: this.#node });
    const known = await this.#rules.readForTrials(network);
    if (!known) return "unknown";
    const nodeHeight = (await this.#node.chainStatistics()).height;
    const isPartial = mode === "partial";
    const judged = isPartial ? decodeTransaction(splitCosignatures(transaction.bytes).aggregate, network) : transaction;
    const judgeOn = async (snapshot: Db) => {
      const state = await openHeadState(snapshot, known.config, [judged.hash]);
      const height = state?.basis.height;
      if (!state || height !== nodeHeight) return height === nodeHeight - 1 ? "behind" : "unknown";
      const tryAfter = async (others: readonly Buffer[]): Promise<Verdict> => {
        const job = { kind: "judge", network, others, judged: judged.bytes, isPartial, now } as const;
        const failure = await this.#thread.run(client, job, state);
        return failure ? { code: failure } : "accepted";
      };
      const alone = await tryAfter([]);
      const succeeds = alone === "accepted";
      // A lock counts only when it is in a block.
      if (typeof alone === "object" && alone.code === "Failure_LockHash_Unknown_Hash") return alone;
      const tryAfterPending = async (areReported: boolean): Promise<Verdict> => {
        const limits = { limit: MAX_PENDING_TRIED + 1, areReported };
        const payloads = await findPendingAnnouncements(snapshot, now, limits);
        if (payloads.length > MAX_PENDING_TRIED) return succeeds ? alone : "unknown";
        const others = payloads.filter((bytes) => !transactionHash(bytes, network).equals(judged.hash));
        return others.length > 0 ? await tryAfter(others) : alone;
      };
      // What the node has not reported yet may be what this needs, but a conflict with it is not certain.
      const verdict = await tryAfterPending(succeeds);
      if (verdict === "accepted" || (succeeds && (await tryAfterPending(false)) === "accepted")) return "accepted";
      return (await hasOthersPending(snapshot, judged.relatedAddresses)) ? "unknown" : verdict;
    };
    const giveUpAt = performance.now() + LONGEST_LAG_MS;
    for (;;) {
      const verdict = await inOneState(db, judgeOn).catch(ifTooMuch("unknown" as const));
      if (verdict !== "behind") return verdict;
      if (performance.now() > giveUpAt) return "unknown";
      await setTimeout(LAG_CHECK_MS);
    }
  }

  /**
   * Whether the signature of an account counts for an aggregate: for the signer of one of its transactions, or for a
   * multisig account. Undefined if the index cannot tell.
   */
  async mayCosign(db: Db, payload: Buffer, publicKey: Buffer, client: string): Promise<boolean | undefined> {
    const network = await networkOf({ db, node: this.#node });
    const known = await this.#rules.readForTrials(network);
    if (!known) return undefined;
    const { aggregate } = splitCosignatures(payload);
    return inOneState(db, async (snapshot) => {
      const state = await openHeadState(snapshot, known.config, []);
      if (!state) return undefined;
      const failure = await this.#thread.run(client, { kind: "cosign", network, aggregate, publicKey }, state);
      return failure !== "Failure_Aggregate_Ineligible_Cosignatories";
    }).catch(ifTooMuch(undefined));
  }

  /**
   * What would happen to these transactions in the next block, each after those before it.
   *
   * @param isUnsigned whether they are yet to be signed
   * @param client whose turn it takes
   * @throws ApiError InvalidContent for bytes that are not a transaction, InvalidArgument if they need too much of the
   *   state, ServiceUnavailable if the index cannot judge them; errors of an unreachable database
   */
  async simulate(db: Db, payloads: readonly Buffer[], isUnsigned: boolean, client: string) {
    const network = await networkOf({ db, node: this.#node });
    const known = await this.#rules.readForTrials(network);
    return inOneState(db, async (snapshot) => {
      const { height, timestamp } = await readIndexPoint(snapshot);
      const rules = await this.#rules.read(network, height + 1);
      // Without a node, time stands still at the last block.
      const now = await this.#clock.now().catch(() => timestamp);
      const options = { network, rules, isUnsigned, now, minFeeMultiplier: known?.minFeeMultiplier ?? 0 };
      const candidates = payloads.map((bytes, index) => readCandidate(bytes, `payloads[${index}]`, options));
      if (!known)
        throw serviceUnavailable("this needs the node's resource files: set CATAPULT_RESOURCES to their folder");
      const state = await openHeadState(
        snapshot,
        known.config,
        candidates.map(({ hash }) => hash),
      );
      if (!state) throw serviceUnavailable("nothing is indexed yet: try again");
      try {
        return await this.#thread.run(client, { kind: "simulate", candidates, options }, state);
      } catch (error) {
        if (error instanceof TrialLimitError) throw invalidArgument(`payloads: this ${error.message}`);
        throw error;
      }
    });
  }
}
