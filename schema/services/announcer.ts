import {
  type AnnouncementWay,
  checkAnnouncedCosignature,
  checkAnnouncedTransaction,
  checkDeadline,
  type DetachedCosignature,
} from "../../catapult/announcement/announcement.js";
import { AnnouncementError } from "../../catapult/announcement/announcement-error.js";
import { readRejectedTransaction } from "../../catapult/announcement/rejected-transaction.js";
import { isAggregateType, TRANSACTION, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { sha3 } from "../../catapult/entity/hashes.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { NodeError } from "../../catapult/wire/errors.js";
import { NetworkClock } from "../../catapult/wire/network-clock.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { findAggregateDeadline } from "../../database/mempool/aggregate-deadline.js";
import { type Announcement, forgetAnnouncement, recordAnnouncement } from "../../database/mempool/announcements.js";
import { recordRejection } from "../../database/mempool/rejected-announcements.js";
import { readHead } from "../../database/queries/head.js";
import { ApiError } from "./errors.js";
import { networkOf } from "./network-identity.js";
import type { NetworkRules } from "./network-rules.js";

export interface AnnouncerOptions {
  /** The database itself: announcements are written, for the indexer to push again what is not heard of. */
  readonly db: Db;
  readonly node: NodeClient;
  readonly rules: NetworkRules;
}

/**
 * What happens to what can never be valid: the caller gets an error, or it is reported to everybody whom it concerns, as
 * the node does it.
 */
export type RejectionMode = "throw" | "report";

/** No network lets a transaction wait longer; where the limit is not known, nothing is pushed again after this. */
const MAX_WAIT_MS = 48 * 3_600_000;
/** How long a cosignature of an aggregate that nobody has heard of yet is pushed again, in ms. */
const UNKNOWN_AGGREGATE_MS = 10 * 60_000;

/**
 * Checks what is announced by all rules that need no state, and pushes it to the node: a node drops everything that came
 * from one identity within half a second of a transaction that such a rule forbids.
 */
export class Announcer {
  readonly #options: AnnouncerOptions;
  readonly #clock: NetworkClock;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
    this.#clock = new NetworkClock(options.node);
  }

  /**
   * Announces a signed transaction; `way` says whether it is to wait for cosignatures. Resolves when the node's
   * connection has taken it, or its rejection will be reported.
   * @throws ApiError InvalidContent for bytes that are no transaction, InvalidArgument for one that can never be valid;
   *   what is thrown when node or database cannot be reached
   */
  async announceTransaction(payload: Buffer, way: AnnouncementWay, rejection: RejectionMode): Promise<void> {
    const network = await networkOf(this.#options);
    try {
      await this.#pushTransaction(payload, way, network);
    } catch (error) {
      if (!(error instanceof AnnouncementError)) throw error;
      if (rejection === "throw") throw toApiError(error);
      await this.#report(payload, network, error);
    }
  }

  async #pushTransaction(payload: Buffer, way: AnnouncementWay, network: NetworkIdentity): Promise<void> {
    const { node } = this.#options;
    const rules = await this.#options.rules.read(network, await this.#heightOfRules(payload));
    const transaction = checkAnnouncedTransaction(payload, { network, rules, way });
    const now = await this.#clock.now();
    checkDeadline(transaction, now, rules);
    const { bytes, hash } = transaction;
    const deadline = Math.min(Number(transaction.entity.deadline), now + MAX_WAIT_MS);
    await this.#push({ hash, kind: way, payload: bytes, deadline }, () =>
      way === "partial" ? node.pushPartialTransactions([bytes]) : node.pushTransactions([bytes]),
    );
  }

  /**
   * Announces a cosignature apart from its aggregate. Resolves when the node's connection has taken it. There is nothing to
   * report of one that is not right: nodes drop it without a word.
   * @throws ApiError InvalidArgument for one that is not right; what is thrown when node or database cannot be reached
   */
  async announceCosignature(cosignature: DetachedCosignature, rejection: RejectionMode): Promise<void> {
    const { db, node } = this.#options;
    const payload = bytesToPush(cosignature, rejection);
    if (!payload) return;
    const { parentHash } = cosignature;
    const deadline = (await findAggregateDeadline(db, parentHash)) ?? (await this.#clock.now()) + UNKNOWN_AGGREGATE_MS;
    await this.#push({ hash: sha3(payload), kind: "cosignature", payload, parentHash, deadline }, () =>
      node.pushCosignatures([payload]),
    );
  }

  /** Nodes drop what they have no code for without a word. */
  async #report(payload: Buffer, network: NetworkIdentity, { code }: AnnouncementError): Promise<void> {
    const rejected = code && readRejectedTransaction(payload, network);
    if (rejected) await recordRejection(this.#options.db, { ...rejected, code });
  }

  async #push(announcement: Announcement, push: () => Promise<void>): Promise<void> {
    const { db } = this.#options;
    await recordAnnouncement(db, announcement);
    try {
      // A connection that had lain idle may turn out to be broken only now, and the same bytes twice do no harm.
      await push().catch((error) => (error instanceof NodeError ? push() : Promise.reject(error)));
    } catch (error) {
      await forgetAnnouncement(db, announcement.hash);
      throw error;
    }
  }

  /**
   * The height by whose rules a node checks what is announced: that of its next block. Only the rules of aggregates depend
   * on it, so only for these the node is asked; without an answer, the index says so, and bad bytes are rejected as such.
   */
  async #heightOfRules(payload: Buffer): Promise<number> {
    const type = payload.length < TRANSACTION.headerSize ? 0 : payload.readUInt16LE(VERIFIABLE.type);
    if (!isAggregateType(type)) return 1;
    const { node, db } = this.#options;
    const head = await node.chainStatistics().catch(() => readHead(db));
    return (head?.height ?? 0) + 1;
  }
}

/** The bytes of a cosignature; undefined for one that is not right, where that is not thrown. */
function bytesToPush(cosignature: DetachedCosignature, rejection: RejectionMode): Buffer | undefined {
  try {
    return checkAnnouncedCosignature(cosignature);
  } catch (error) {
    if (!(error instanceof AnnouncementError)) throw error;
    if (rejection === "throw") throw toApiError(error);
    return undefined;
  }
}

/** What a check found wrong, for the client that announced. */
function toApiError(error: AnnouncementError): ApiError {
  const { problem, message } = error;
  return problem === "malformed"
    ? new ApiError("InvalidContent", `payload must be a transaction: ${message}`, { cause: error })
    : new ApiError("InvalidArgument", `this can never be valid: ${message}`, { cause: error });
}
