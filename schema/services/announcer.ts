import {
  type AnnouncementMode,
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
  /**
   * The primary database: announcements are stored, so that the indexer pushes them again until the node reports
   * them.
   */
  readonly db: Db;
  readonly node: NodeClient;
  readonly rules: NetworkRules;
}

/**
 * How invalid transactions are handled: the caller gets an error, or the rejection is reported to all subscribers of
 * its addresses, as by the node.
 */
export type RejectionMode = "throw" | "report";

/** No network lets a transaction be pending longer; if the limit is unknown, nothing is pushed again after this. */
const MAX_WAIT_MS = 48 * 3_600_000;
/** How long a cosignature of an unknown aggregate is pushed again, in ms. */
const UNKNOWN_AGGREGATE_MS = 10 * 60_000;

/**
 * Performs all stateless checks of an announcement, and pushes it to the node: a node drops everything that arrived
 * from the same identity within half a second of a transaction that fails such a check.
 */
export class Announcer {
  readonly #options: AnnouncerOptions;
  readonly #clock: NetworkClock;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
    this.#clock = new NetworkClock(options.node);
  }

  /**
   * Announces a signed transaction; `way` says whether it is partial. Resolves when the node's connection has
   * accepted the bytes, or its rejection will be reported.
   * @throws ApiError InvalidContent for bytes that are not a transaction, InvalidArgument for one that can never be
   * valid;
   *   errors of an unreachable node or database
   */
  async announceTransaction(payload: Buffer, mode: AnnouncementMode, rejection: RejectionMode): Promise<void> {
    const network = await networkOf(this.#options);
    try {
      await this.#pushTransaction(payload, mode, network);
    } catch (error) {
      if (!(error instanceof AnnouncementError)) throw error;
      if (rejection === "throw") throw toApiError(error);
      await this.#report(payload, network, error);
    }
  }

  async #pushTransaction(payload: Buffer, mode: AnnouncementMode, network: NetworkIdentity): Promise<void> {
    const { node } = this.#options;
    const rules = await this.#options.rules.read(network, await this.#heightOfRules(payload));
    const transaction = checkAnnouncedTransaction(payload, { network, rules, mode });
    const now = await this.#clock.now();
    checkDeadline(transaction, now, rules);
    const { bytes, hash } = transaction;
    const deadline = Math.min(Number(transaction.entity.deadline), now + MAX_WAIT_MS);
    await this.#push({ hash, kind: mode, payload: bytes, deadline }, () =>
      mode === "partial" ? node.pushPartialTransactions([bytes]) : node.pushTransactions([bytes]),
    );
  }

  /**
   * Announces a cosignature without its aggregate. Resolves when the node's connection has accepted the bytes. An
   * invalid one is not reported: nodes drop it without a status.
   * @throws ApiError InvalidArgument for an invalid one; errors of an unreachable node or database
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

  /** Nodes drop what they have no code for without a status. */
  async #report(payload: Buffer, network: NetworkIdentity, { code }: AnnouncementError): Promise<void> {
    const rejected = code && readRejectedTransaction(payload, network);
    if (rejected) await recordRejection(this.#options.db, { ...rejected, code });
  }

  async #push(announcement: Announcement, push: () => Promise<void>): Promise<void> {
    const { db } = this.#options;
    await recordAnnouncement(db, announcement);
    try {
      // An idle connection may turn out to be broken only now, and sending the same bytes twice is harmless.
      await push().catch((error) => (error instanceof NodeError ? push() : Promise.reject(error)));
    } catch (error) {
      await forgetAnnouncement(db, announcement.hash);
      throw error;
    }
  }

  /**
   * The height whose rules a node applies to announcements: that of its next block. Only the rules of aggregates
   * depend on it, so the node is asked for these only; if it does not respond, the index is used, and invalid bytes
   * are rejected as such.
   */
  async #heightOfRules(payload: Buffer): Promise<number> {
    const type = payload.length < TRANSACTION.headerSize ? 0 : payload.readUInt16LE(VERIFIABLE.type);
    if (!isAggregateType(type)) return 1;
    const { node, db } = this.#options;
    const head = await node.chainStatistics().catch(() => readHead(db));
    return (head?.height ?? 0) + 1;
  }
}

/** The bytes of a cosignature; undefined for an invalid one, unless that throws. */
function bytesToPush(cosignature: DetachedCosignature, rejection: RejectionMode): Buffer | undefined {
  try {
    return checkAnnouncedCosignature(cosignature);
  } catch (error) {
    if (!(error instanceof AnnouncementError)) throw error;
    if (rejection === "throw") throw toApiError(error);
    return undefined;
  }
}

/** Converts the error of a check for the announcing client. */
function toApiError(error: AnnouncementError): ApiError {
  const { problem, message } = error;
  return problem === "malformed"
    ? new ApiError("InvalidContent", `payload must be a transaction: ${message}`, { cause: error })
    : new ApiError("InvalidArgument", `this can never be valid: ${message}`, { cause: error });
}
