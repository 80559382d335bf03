import {
  type AnnouncementMode,
  checkAnnouncedCosignature,
  checkAnnouncedTransaction,
  checkDeadline,
  type DetachedCosignature,
} from "../../catapult/announcement/announcement.js";
import { AnnouncementError, failing, impossible } from "../../catapult/announcement/announcement-error.js";
import { type RejectionReceivers, readRejectedTransaction } from "../../catapult/announcement/rejected-transaction.js";
import { TRANSACTION, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { sha3 } from "../../catapult/entity/hashes.js";
import type { BlockTransaction, NetworkIdentity } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { isAggregateType } from "../../catapult/structs/type-names.js";
import { isLacking, NodeError } from "../../catapult/wire/errors.js";
import { NetworkClock } from "../../catapult/wire/network-clock.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import {
  type Announcement,
  forgetAnnouncement,
  holdAnnouncement,
  recordAnnouncement,
} from "../../database/mempool/announcements.js";
import { recordRejection } from "../../database/mempool/rejected-announcements.js";
import { findLock, findWaitingAggregate, type WaitingAggregate } from "../../database/mempool/waiting-aggregate.js";
import { readHead } from "../../database/queries/head.js";
import { ApiError, serviceUnavailable } from "../errors/errors.js";
import type { AnnouncementResult, DryRuns } from "./dry-runs.js";
import { type NetworkRules, networkOf } from "./network-rules.js";
import { StoredShare } from "./stored-share.js";

export interface AnnouncerOptions {
  /**
   * The primary database: announcements are stored, so that the indexer pushes them again until the node reports
   * them.
   */
  readonly db: Db;
  readonly node: NodeClient;
  readonly rules: NetworkRules;
  readonly dryRuns: DryRuns;
  /** Whether everything that passes the checks without state is pushed, without trying it. */
  readonly pushesEverything?: boolean | undefined;
  /** Default the usual one. */
  readonly stored?: StoredShare | undefined;
}

/**
 * How invalid transactions are handled: the caller gets an error, or the rejection is reported to all subscribers of
 * its addresses, as by the node.
 */
export type RejectionMode = "throw" | "report";

/** Who announces something, and how it is rejected. */
export interface AnnouncedBy {
  /** The client, of whose announcements few are held: an IPv4 address, or the /64 of an IPv6 address. */
  readonly client: string;
  readonly rejection: RejectionMode;
}

/** Why a transaction is rejected. */
interface Rejection {
  readonly network: NetworkIdentity;
  readonly code: AnnouncementError["code"];
}

/** The code of what is in a block. */
const CONFIRMED = "Failure_Hash_Already_Exists";
/** The code of a bonded aggregate without a lock. */
const NO_LOCK = "Failure_LockHash_Unknown_Hash";
/** The code of one that made room for others. */
const PRUNED = "Failure_Extension_Partial_Transaction_Cache_Prune";

/** Pushes to the node of this identity. */
type PushTo = (to: Buffer) => Promise<void>;

/** No partial transaction has a later deadline: the node's response about those is empty. */
const NO_DEADLINE = Number.MAX_SAFE_INTEGER;
/** No network lets a transaction be pending longer; if the limit is unknown, nothing is pushed again after this. */
const MAX_WAIT_MS = 48 * 3_600_000;

/**
 * Performs all stateless checks of an announcement, and pushes it to the node: a node drops everything that arrived
 * from the same identity within half a second of a transaction that fails such a check.
 */
export class Announcer {
  readonly #options: AnnouncerOptions;
  readonly #clock: NetworkClock;
  readonly #stored: StoredShare;
  /** The node that has answered about partial transactions, as `host:port`. */
  #takesPartial: string | undefined;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
    this.#stored = options.stored ?? new StoredShare();
    this.#clock = new NetworkClock(options.node, async () => {
      const epoch = await options.rules.epoch(await networkOf(options));
      return epoch === undefined ? undefined : Date.now() - epoch;
    });
  }

  /**
   * Announces a signed transaction; `way` says whether it is partial. Resolves when the node's connection has
   * accepted the bytes, or its rejection will be reported.
   * @throws ApiError InvalidContent for bytes that are not a transaction, InvalidArgument for one that can never be
   *   valid, or whose signer cannot pay its fee, TooManyRequests for a client who takes too much work, or for whom too
   *   much is stored; errors of an unreachable node or database
   */
  async announceTransaction(payload: Buffer, mode: AnnouncementMode, by: AnnouncedBy): Promise<void> {
    const network = await networkOf(this.#options);
    try {
      await this.#pushTransaction(payload, mode, network, by.client);
    } catch (error) {
      if (!(error instanceof AnnouncementError)) throw error;
      if (by.rejection === "throw") throw toApiError(error);
      const { code } = error;
      // A node checks that a bonded aggregate has a lock before its deadline.
      const isLate = mode === "partial" && code === "Failure_Core_Future_Deadline";
      const lock = isLate
        ? await this.#evaluate(decodeTransaction(payload, network), mode, await this.#clock.now(), by.client)
        : undefined;
      const rejection = { network, code: typeof lock === "object" ? lock.code : code };
      // A node drops such a transaction without a status.
      if (!rejection.code) return;
      // Naming others in a transaction costs nothing.
      if (this.#stored.take(by.client, { addresses: 1 })) await this.#report(payload, rejection, "signer");
      else throw toApiError(error);
    }
  }

  async #pushTransaction(payload: Buffer, mode: AnnouncementMode, network: NetworkIdentity, client: string) {
    const { node, rules: networkRules, dryRuns, pushesEverything } = this.#options;
    const rules = await networkRules.read(network, await this.#heightOfRules(payload));
    const transaction = checkAnnouncedTransaction(payload, { network, rules, mode });
    const now = await this.#clock.now();
    checkDeadline(transaction, now, rules);
    if (!pushesEverything) checkFee(transaction, await dryRuns.minFeeMultiplier(network));
    if (mode === "partial") await this.#requirePartial();
    const { bytes, hash, entity } = transaction;
    const room = { bytes: bytes.length, addresses: transaction.relatedAddresses.length };
    const deadline = Math.min(Number(entity.deadline), now + MAX_WAIT_MS);
    const announcement = { hash, kind: mode, payload: bytes, deadline };
    const result = await this.#evaluate(transaction, mode, now, client);
    const lock = mode === "partial" ? await this.#lockFor(hash, result, now) : "confirmed";
    const failed = typeof result === "string" ? undefined : result;
    const code = lock === "missing" ? NO_LOCK : failed?.code;
    if (lock === "pending") {
      this.#takeRoom(client, room);
      await this.#hold(announcement, client, network);
    } else if (code === CONFIRMED) {
      // Its status is that it is confirmed.
    } else if (code) {
      const isStored = failed?.reason === undefined && this.#stored.take(client, { addresses: room.addresses });
      if (!isStored) throw failing(failed?.reason ?? "transaction: fails in the present state", code);
      await this.#report(bytes, { network, code });
    } else {
      // The index cannot tell whether it will be paid.
      if (result === "unknown" || pushesEverything) this.#takeRoom(client, room);
      await this.#push(announcement, (to) =>
        mode === "partial" ? node.pushPartialTransactions([bytes], to) : node.pushTransactions([bytes], to),
      );
    }
  }

  /**
   * A node without the extension drops partial transactions and their cosignatures, with the connection.
   * @throws ApiError ServiceUnavailable for such a node
   */
  async #requirePartial(): Promise<void> {
    const { node } = this.#options;
    const isKnown = () => node.connectedNode !== undefined && this.#takesPartial === node.connectedNode.node;
    if (isKnown()) return;
    try {
      await node.partialTransactions({ minDeadline: NO_DEADLINE });
      this.#takesPartial = node.connectedNode?.node;
    } catch (error) {
      if (!isLacking(error)) throw error;
      // A state of the node, of which each request need not be logged.
      throw serviceUnavailable("this node takes no partial transactions (extension.partialtransaction)");
    }
  }

  async #evaluate(
    transaction: BlockTransaction,
    mode: AnnouncementMode,
    now: number,
    client: string,
  ): Promise<AnnouncementResult> {
    const { db, dryRuns, pushesEverything } = this.#options;
    return pushesEverything ? "accepted" : await dryRuns.evaluate(db, transaction, mode, now, client);
  }

  /**
   * The lock of a bonded aggregate: pending if it is to be awaited, because it was announced here or is at the node.
   * Where the aggregate cannot be tried, the index may lag too far to know that it is missing: then the node decides.
   */
  async #lockFor(hash: Buffer, result: AnnouncementResult, now: number): Promise<"confirmed" | "pending" | "missing"> {
    const isUnknown = result === "unknown";
    const lacksLock = typeof result === "object" && result.code === NO_LOCK;
    if (!isUnknown && !lacksLock) return "confirmed";
    const lock = await findLock(this.#options.db, hash, now);
    if (lacksLock) return lock === "pending" ? lock : "missing";
    return lock ?? ((await this.#isAtHead()) ? "missing" : "confirmed");
  }

  async #hold(announcement: Announcement, client: string, network: NetworkIdentity): Promise<void> {
    const { db } = this.#options;
    for (const payload of await holdAnnouncement(db, announcement, client))
      await this.#report(payload, { network, code: PRUNED });
  }

  /** @throws ApiError TooManyRequests if too much is stored for the client */
  #takeRoom(client: string, room: { readonly bytes: number; readonly addresses: number }): void {
    if (this.#stored.take(client, room)) return;
    const problem = "too much was announced from your address of which the index cannot tell whether it will be paid";
    throw new ApiError("TooManyRequests", `${problem}: try again in an hour`);
  }

  /**
   * Announces a cosignature without its aggregate. Resolves when the node's connection has accepted the bytes, or it
   * will be pushed when the node has the aggregate. An invalid one is not reported: nodes drop it without a status.
   * @throws ApiError InvalidArgument for an invalid one, and for one that does not count; errors of an unreachable node
   *   or database
   */
  async announceCosignature(cosignature: DetachedCosignature, { client, rejection }: AnnouncedBy): Promise<void> {
    const payload = bytesToPush(cosignature, rejection);
    if (!payload) return;
    const aggregate = await findWaitingAggregate(this.#options.db, cosignature.parentHash);
    if (aggregate?.signerPublicKey.equals(cosignature.signerPublicKey)) {
      // In either mode: a node drops an aggregate that is cosigned by its own signer.
      throw new ApiError("InvalidArgument", "signerPublicKey is that of the aggregate, whose signature it has already");
    }
    try {
      await this.#pushCosignature(cosignature, payload, aggregate, client);
    } catch (error) {
      const isRejected = error instanceof ApiError && error.code === "InvalidArgument";
      if (!isRejected || rejection === "throw") throw error;
    }
  }

  async #pushCosignature(
    { parentHash, signerPublicKey }: DetachedCosignature,
    payload: Buffer,
    aggregate: WaitingAggregate | undefined,
    client: string,
  ): Promise<void> {
    const { db, node, dryRuns, pushesEverything } = this.#options;
    await this.#requirePartial();
    const pushTo: PushTo = (to) => node.pushCosignatures([payload], to);
    if (!aggregate) {
      if (!pushesEverything && (await this.#isAtHead())) {
        const problem = "is that of no aggregate that is pending here or at the node: it must be announced first";
        throw new ApiError("InvalidArgument", `parentHash ${problem}`);
      }
      await pushTo(await this.#connectedNode());
      return;
    }
    if (aggregate.cosigners.some((one) => one.equals(signerPublicKey))) {
      throw new ApiError("InvalidArgument", "signerPublicKey has cosigned the aggregate already");
    }
    const network = await networkOf(this.#options);
    const mayCosign = pushesEverything
      ? undefined
      : await dryRuns.mayCosign(db, aggregate.payload, signerPublicKey, client);
    if (mayCosign === false) {
      throw new ApiError("InvalidArgument", "signerPublicKey is of no account whose signature the aggregate needs");
    }
    if (mayCosign === undefined || !aggregate.isReported) {
      this.#takeRoom(client, { bytes: payload.length, addresses: 0 });
    }
    const { deadline } = aggregate;
    const announcement = { hash: sha3(payload), kind: "cosignature", payload, parentHash, deadline } as const;
    // A node forgets one that arrives before its aggregate.
    if (aggregate.isReported || pushesEverything) await this.#push(announcement, pushTo);
    else await this.#hold(announcement, client, network);
  }

  /** Whether the index would show what the node has. */
  async #isAtHead(): Promise<boolean> {
    const { db, node } = this.#options;
    const head = await readHead(db);
    return head !== undefined && (await node.chainStatistics()).height <= head.height;
  }

  async #report(payload: Buffer, { network, code }: Rejection, receivers?: RejectionReceivers): Promise<void> {
    const rejected = code && readRejectedTransaction(payload, network, receivers);
    if (rejected) await recordRejection(this.#options.db, { ...rejected, code });
  }

  /** An idle connection may turn out to be broken only now: then the next one is tried, which may be another node's. */
  async #push(announcement: Announcement, push: PushTo): Promise<void> {
    await this.#pushOnce(announcement, push).catch((error) =>
      error instanceof NodeError ? this.#pushOnce(announcement, push) : Promise.reject(error),
    );
  }

  async #pushOnce(announcement: Announcement, push: PushTo): Promise<void> {
    const { db } = this.#options;
    const to = await this.#connectedNode();
    if (!(await recordAnnouncement(db, announcement, to))) return;
    try {
      await push(to);
    } catch (error) {
      await forgetAnnouncement(db, announcement.hash, to);
      throw error;
    }
  }

  /** The identity of the node (32 bytes). */
  async #connectedNode(): Promise<Buffer> {
    const { node } = this.#options;
    if (!node.connectedNode) await node.chainStatistics();
    const { connectedNode } = node;
    if (!connectedNode) throw new NodeError("", "the connection was lost");
    return connectedNode.publicKey;
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

/** A node ignores a transaction that pays too little, without a status. */
function checkFee({ bytes, entity }: BlockTransaction, minFeeMultiplier: number): void {
  const min = BigInt(bytes.length) * BigInt(minFeeMultiplier);
  if (entity.maxFee >= min) return;
  const problem = `is ${entity.maxFee}, the node accepts no less than ${min} for ${bytes.length} bytes`;
  throw impossible("transaction.maxFee", problem, "Failure_Core_Invalid_Transaction_Fee");
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
  if (problem === "failing") return new ApiError("InvalidArgument", message, { cause: error });
  return problem === "malformed"
    ? new ApiError("InvalidContent", `payload must be a transaction: ${message}`, { cause: error })
    : new ApiError("InvalidArgument", `this can never be valid: ${message}`, { cause: error });
}
