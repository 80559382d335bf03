import { sql } from "kysely";
import { isProhibitedAggregate } from "../../catapult/announcement/aggregate-checks.js";
import { AnnouncementError } from "../../catapult/announcement/announcement-error.js";
import { decodeCosignature, isCosignatureOf } from "../../catapult/entity/cosignature.js";
import { EntityError } from "../../catapult/entity/entity-error.js";
import { TRANSACTION } from "../../catapult/entity/entity-layout.js";
import type { TransactionRules } from "../../catapult/network/transaction-rules.js";
import type { Db } from "../../database/database.js";
import type { IndexContext } from "../chain/step/index-context.js";
import { Slices } from "../chain/step/slices.js";
import type { Change } from "./change.js";
import type { NodePool } from "./node-pool.js";
import { readPartialAggregate, readPendingTransaction } from "./pending-transaction.js";

/** Pending transactions in the tables, by hashes as hex digits. */
export interface KnownPending {
  readonly unconfirmed: ReadonlySet<string>;
  /** Partial transactions with the public keys of their cosigners, as hex digits. */
  readonly partial: ReadonlyMap<string, ReadonlySet<string>>;
}

export async function readKnownPending(db: Db): Promise<KnownPending> {
  const unconfirmed = await sql<{ hash: Buffer }>`
    select hash from pending_transactions where "group" = 'unconfirmed' and not embedded`.execute(db);
  const partial = await sql<{ hash: Buffer; cosigners: Buffer[] }>`
    select t.hash, array(select c.signer_public_key from pending_cosignatures c where c.id = t.id) as cosigners
    from pending_transactions t where t."group" = 'partial' and not t.embedded`.execute(db);
  return {
    unconfirmed: new Set(unconfirmed.rows.map(({ hash }) => hash.toString("hex"))),
    partial: new Map(
      partial.rows.map(({ hash, cosigners }) => [
        hash.toString("hex"),
        new Set(cosigners.map((key) => key.toString("hex"))),
      ]),
    ),
  };
}

export interface ComparisonLimits {
  /** Transactions about which something newer than the poll is known. */
  isReported(hash: string): boolean;
  /** Transactions with a deadline up to this have expired, in ms since the network's epoch. */
  readonly expiredUntil: number;
  /** How long a difference must persist, in ms: longer than another source needs to report it. */
  readonly settledMs: number;
  /** The network's rules about transactions in the node's next block. */
  readonly rules: TransactionRules;
}

/** A poll, beside the tables. */
interface Comparison {
  readonly pool: NodePool;
  readonly known: KnownPending;
  readonly limits: ComparisonLimits;
  /** Whether a difference has persisted long enough, and if it has to be there twice, was there in the last poll. */
  readonly isSettled: (name: string, isTwice?: boolean) => boolean;
}

/** Number of remembered invalid transactions, so that they are decoded and logged once. */
const MAX_BAD = 10_000;
/** After this number of new invalid transactions in one poll, the rest of it is ignored: nodes hold none. */
const MAX_INVALID = 100;

/**
 * Computes from consecutive polls of a node's pool what has changed. A missing transaction has to be missing twice,
 * because it may just be moving into the pool, or into a block that is not here yet. Nodes keep aggregates of a version
 * that was allowed before a fork height: these are not valid any more, and no sign of an attack.
 */
export class PoolDifferences {
  readonly #context: Pick<IndexContext, "network" | "log">;
  readonly #bad = new Set<string>();
  /** The differences of the last poll, and since when. */
  #since = new Map<string, number>();
  /** Number of new invalid transactions in the last poll. */
  #invalid = 0;

  constructor(context: Pick<IndexContext, "network" | "log">) {
    this.#context = context;
  }

  /** Whether there are differences that have to persist longer before they count. */
  get isOpen(): boolean {
    return this.#since.size > 0;
  }

  /** Whether the rest of the last poll was ignored, because too many of its transactions were invalid. */
  get isJunk(): boolean {
    return this.#invalid >= MAX_INVALID;
  }

  /** The changes that make the tables match the node's pool. */
  async compare(pool: NodePool, known: KnownPending, limits: ComparisonLimits): Promise<Change[]> {
    const before = this.#since;
    const now = performance.now();
    this.#since = new Map();
    this.#invalid = 0;
    const isSettled = (name: string, isTwice = false) => {
      const since = before.get(name);
      if ((since !== undefined || !isTwice) && now - (since ?? now) >= limits.settledMs) return true;
      this.#since.set(name, since ?? now);
      return false;
    };
    const changes: Change[] = [];
    const slices = new Slices();
    const comparison = { pool, known, limits, isSettled };
    for (const some of [this.#removed(comparison), this.#partial(comparison), this.#unconfirmed(comparison)]) {
      for (const change of some) {
        if (change) changes.push(change);
        if (slices.isUsedUp) await slices.next();
      }
    }
    return changes;
  }

  *#removed({ pool, known, limits, isSettled }: Comparison): Generator<Change | undefined> {
    for (const group of ["partial", "unconfirmed"] as const) {
      if (!pool.isWhole[group]) continue;
      const shortHashes = new Set([...pool[group].keys()].map(shortHash));
      for (const hash of known[group].keys()) {
        // By short hashes, because the node omits those that match a known one.
        if (shortHashes.has(shortHash(hash)) || limits.isReported(hash)) continue;
        // A partial one that moved to the pool is reported by its addition, with its last cosignatures.
        if (group === "partial" && pool.unconfirmed.has(hash)) continue;
        if (!isSettled(`- ${group} ${hash}`, true)) continue;
        yield { kind: `${group}Removed` as const, hash: Buffer.from(hash, "hex") };
      }
    }
  }

  *#unconfirmed({ pool, known, limits, isSettled }: Comparison): Generator<Change | undefined> {
    for (const [key, bytes] of pool.unconfirmed) {
      yield;
      if (this.isJunk) return;
      if (known.unconfirmed.has(key) || this.#isOut(key, bytes, limits)) continue;
      if (isProhibitedAggregate(bytes, limits.rules) || !isSettled(`+ unconfirmed ${key}`)) continue;
      const hash = Buffer.from(key, "hex");
      const { network } = this.#context;
      const pending = this.#readable(key, () => readPendingTransaction(bytes, network, hash, limits.rules));
      if (pending) yield { kind: "unconfirmedAdded", hash, pending, addresses: [] };
    }
  }

  *#partial({ pool, known, limits, isSettled }: Comparison): Generator<Change | undefined> {
    for (const [key, { transaction, cosignatures: encoded }] of pool.partial) {
      yield;
      if (this.isJunk) return;
      if (this.#isOut(key, transaction, limits)) continue;
      const hash = Buffer.from(key, "hex");
      const cosigners = known.partial.get(key);
      const cosignatures = encoded.map(decodeCosignature);
      if (!cosigners) {
        if (isProhibitedAggregate(transaction, limits.rules) || !isSettled(`+ partial ${key}`)) continue;
        const { network } = this.#context;
        const { rules } = limits;
        const pending = this.#readable(key, () =>
          readPartialAggregate(transaction, network, { hash, cosignatures, rules }),
        );
        if (pending) yield { kind: "partialAdded", hash, pending, addresses: [] };
        continue;
      }
      for (const cosignature of cosignatures) {
        const cosigner = cosignature.signerPublicKey.toString("hex");
        if (cosigners.has(cosigner) || !isSettled(`+ cosignature ${key} ${cosigner}`)) continue;
        yield;
        if (!isCosignatureOf(cosignature, hash)) continue;
        yield { kind: "cosignatureAdded", hash, cosignature };
      }
    }
  }

  #isOut(hash: string, bytes: Buffer, limits: ComparisonLimits): boolean {
    if (limits.isReported(hash) || this.#bad.has(hash)) return true;
    return bytes.readBigUInt64LE(TRANSACTION.deadline) <= BigInt(limits.expiredUntil);
  }

  #readable<T>(hash: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof EntityError || error instanceof AnnouncementError)) throw error;
      this.#invalid += 1;
      this.#context.log.warn({ hash, problem: error.message }, "Rejected an invalid transaction of the node's pool");
      if (this.#bad.size >= MAX_BAD) this.#bad.clear();
      this.#bad.add(hash);
      return undefined;
    }
  }
}

function shortHash(hash: string): string {
  return hash.slice(0, 8);
}
