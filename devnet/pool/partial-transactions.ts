import type { FailureName } from "../../catapult/announcement/status-code.js";
import { verifySignature } from "../../catapult/crypto/signature.js";
import { encodeCosignature } from "../../catapult/entity/cosignature.js";
import { COSIGNATURE } from "../../catapult/entity/entity-layout.js";
import { sha3 } from "../../catapult/entity/hashes.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { asAggregate } from "../../catapult/entity/transaction.js";
import type { ChainState } from "../../ledger/engine/chain-state.js";
import { mapKey } from "../../ledger/trees/state-table.js";
import { type DevnetTransaction, decodeDevnetTransaction, withCosignatures } from "../chain/transaction.js";
import type { DevnetRules } from "../network/settings.js";
import type { DevnetEvents } from "./events.js";
import type { Rejections } from "./rejections.js";
import { checkSignatures } from "./transaction-check.js";

const PARENT_HASH_SIZE = 32;
const NO_COSIGNATURES_HASH = Buffer.alloc(32);

/** A partial aggregate and its cosignatures. */
export interface PartialEntry {
  /** The aggregate without cosignatures. */
  readonly aggregate: DevnetTransaction;
  /** 104 bytes each, in the order of their public keys. */
  readonly cosignatures: readonly Buffer[];
}

/** Filter of a request for partial aggregates. */
export interface PartialFilter {
  /** Milliseconds since the network's epoch. */
  readonly minDeadline: bigint;
  /**
   * What the peer already has: the first four bytes of an aggregate's hash, with those of the hash over its
   * cosignatures, both as little-endian numbers.
   */
  readonly knownShortHashes: ReadonlyMap<number, number>;
}

/** Dependencies of the partial transactions. */
export interface PartialTransactionsOptions {
  readonly state: ChainState;
  readonly rules: DevnetRules;
  readonly network: NetworkIdentity;
  /** Milliseconds since the network's epoch. */
  readonly now: () => number;
  readonly events: DevnetEvents;
  readonly rejections: Rejections;
  /** Processes an aggregate with all its cosignatures. */
  readonly complete: (aggregate: Buffer) => void;
}

/**
 * Partial aggregates. Cosignatures are checked one by one; with the last one that is needed, an aggregate is removed
 * and processed like all announced transactions (catapult `partialtransaction/chain/PtUpdater`).
 */
export class PartialTransactions {
  readonly #options: PartialTransactionsOptions;
  readonly #entries = new Map<string, PartialEntry>();
  #size = 0;

  constructor(options: PartialTransactionsOptions) {
    this.#options = options;
  }

  /** Number of aggregates. */
  get length(): number {
    return this.#entries.size;
  }

  /** Bytes of all aggregates and cosignatures. */
  get size(): number {
    return this.#size;
  }

  has(hash: Buffer): boolean {
    return this.#entries.has(mapKey(hash));
  }

  /**
   * Adds a new aggregate, if it is valid now. Returns why not; one that exceeds the size limit is dropped without a
   * status.
   */
  add(announced: DevnetTransaction): FailureName | undefined {
    const { state, rules, network, now, events, rejections } = this.#options;
    const aggregate = decodeDevnetTransaction(withCosignatures(announced.bytes, []), network);
    const failure = state.checkPartial(aggregate, now()) ?? checkOwnSignature(aggregate, network);
    if (failure) {
      rejections.add(aggregate, failure);
      return failure;
    }
    if (this.#size + aggregate.bytes.length > rules.partialTransactionsCacheMaxSize) return undefined;
    this.#entries.set(mapKey(aggregate.hash), { aggregate, cosignatures: [] });
    this.#size += aggregate.bytes.length;
    events.emit("partialAdded", aggregate);

    const cosignatures = encodeCosignatures(announced);
    // some need no cosignature at all
    if (cosignatures.length === 0) this.#completeIfPossible(aggregate.hash);
    for (const cosignature of cosignatures) this.addCosignature(Buffer.concat([cosignature, aggregate.hash]));
    return undefined;
  }

  /** Adds a detached cosignature (136 bytes). One that does not belong to a partial aggregate is ignored. */
  addCosignature(detached: Buffer): void {
    const { events, rejections } = this.#options;
    const cosignature = detached.subarray(0, COSIGNATURE.size);
    const parentHash = detached.subarray(COSIGNATURE.size, COSIGNATURE.size + PARENT_HASH_SIZE);
    const publicKey = readPublicKey(cosignature);
    const entry = this.#entries.get(mapKey(parentHash));
    if (!entry || entry.cosignatures.some((other) => readPublicKey(other).equals(publicKey))) return;

    const failure = this.#checkEligibility(entry, cosignature);
    if (failure === "Failure_Aggregate_Ineligible_Cosignatories") return;
    if (failure) {
      rejections.add(entry.aggregate, failure);
      this.#remove(parentHash);
      return;
    }
    const signature = cosignature.subarray(COSIGNATURE.signature, COSIGNATURE.size);
    if (!verifySignature(publicKey, parentHash, signature)) return;
    this.#put(parentHash, cosignature);
    events.emit("cosignatureAdded", entry.aggregate, cosignature);
    this.#completeIfPossible(parentHash);
  }

  /**
   * To be called after the chain changed, with the transactions of dropped blocks: drops aggregates that lost their
   * hash lock, even if the new blocks contain that too, those that are confirmed, and those past their deadline.
   */
  chainChanged(reverted: readonly DevnetTransaction[]): void {
    const { state, now } = this.#options;
    for (const hash of reverted.flatMap(lockedHashes))
      this.#reject(hash, "Failure_Extension_Partial_Transaction_Dependency_Removed");
    for (const { aggregate } of this.#entries.values()) {
      if (state.isConfirmed(aggregate.hash)) this.#remove(aggregate.hash);
      else if (aggregate.deadline < BigInt(now()))
        this.#reject(aggregate.hash, "Failure_Extension_Partial_Transaction_Cache_Prune");
    }
  }

  /**
   * Aggregates that another node does not have, or has with other cosignatures, as many as fit into a response. For
   * those that it has, only the cosignatures are included.
   */
  unknown({ minDeadline, knownShortHashes }: PartialFilter): (PartialEntry & { readonly isKnown: boolean })[] {
    const { partialTransactionsCacheMaxResponseSize: maxSize } = this.#options.rules;
    const unknown: (PartialEntry & { readonly isKnown: boolean })[] = [];
    let size = 0;
    for (const entry of this.#entries.values()) {
      const { aggregate, cosignatures } = entry;
      const known = knownShortHashes.get(aggregate.hash.readUInt32LE(0));
      if (known === shortCosignaturesHash(cosignatures) || aggregate.deadline < minDeadline) continue;
      const isKnown = known !== undefined;
      size += PARENT_HASH_SIZE + COSIGNATURE.size * cosignatures.length + (isKnown ? 0 : aggregate.bytes.length);
      if (size > maxSize) break;
      unknown.push({ ...entry, isKnown });
    }
    return unknown;
  }

  /**
   * Whether a cosignature may be added: undefined if so. If an earlier cosigner has become ineligible meanwhile, that
   * cosignature is dropped.
   */
  #checkEligibility({ aggregate, cosignatures }: PartialEntry, added: Buffer): FailureName | undefined {
    const check = (cosigners: readonly Buffer[]) => {
      const failure = this.#options.state.checkCosignatories(aggregate, cosigners.map(readPublicKey));
      return failure === "Failure_Aggregate_Missing_Cosignatures" ? undefined : failure;
    };
    const isIneligible = (failure: FailureName | undefined) => failure === "Failure_Aggregate_Ineligible_Cosignatories";
    const failure = check([...cosignatures, added]);
    if (!isIneligible(failure)) return failure;
    const ownFailure = check([added]);
    if (isIneligible(ownFailure)) return ownFailure;

    const eligible = cosignatures.filter((cosignature) => !isIneligible(check([cosignature])));
    this.#entries.set(mapKey(aggregate.hash), { aggregate, cosignatures: eligible });
    this.#size -= COSIGNATURE.size * (cosignatures.length - eligible.length);
    return ownFailure;
  }

  #put(hash: Buffer, cosignature: Buffer): void {
    const entry = this.#entries.get(mapKey(hash));
    if (!entry) return;
    const cosignatures = [...entry.cosignatures, cosignature].sort((left, right) =>
      readPublicKey(left).compare(readPublicKey(right)),
    );
    this.#entries.set(mapKey(hash), { aggregate: entry.aggregate, cosignatures });
    this.#size += COSIGNATURE.size;
  }

  #completeIfPossible(hash: Buffer): void {
    const { state, complete } = this.#options;
    const entry = this.#entries.get(mapKey(hash));
    if (!entry || state.checkCosignatories(entry.aggregate, entry.cosignatures.map(readPublicKey))) return;
    this.#remove(hash);
    complete(withCosignatures(entry.aggregate.bytes, entry.cosignatures));
  }

  #reject(hash: Buffer, name: FailureName): void {
    const entry = this.#remove(hash);
    if (entry) this.#options.rejections.add(entry.aggregate, name);
  }

  #remove(hash: Buffer): PartialEntry | undefined {
    const key = mapKey(hash);
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#size -= entry.aggregate.bytes.length + COSIGNATURE.size * entry.cosignatures.length;
    this.#options.events.emit("partialRemoved", entry.aggregate);
    return entry;
  }
}

/** Why the signature of an aggregate without cosignatures would be rejected. */
function checkOwnSignature(aggregate: DevnetTransaction, network: NetworkIdentity): FailureName | undefined {
  const failure = checkSignatures(aggregate, network);
  // partial aggregates are checked one by one, not in batches
  return failure === "Failure_Consumer_Batch_Signature_Not_Verifiable" ? "Failure_Signature_Not_Verifiable" : failure;
}

function encodeCosignatures({ entity }: DevnetTransaction): Buffer[] {
  return (asAggregate(entity)?.cosignatures ?? []).map(encodeCosignature);
}

function readPublicKey(cosignature: Buffer): Buffer {
  return cosignature.subarray(COSIGNATURE.signerPublicKey, COSIGNATURE.signature);
}

function shortCosignaturesHash(cosignatures: readonly Buffer[]): number {
  const hash = cosignatures.length ? sha3(...cosignatures) : NO_COSIGNATURES_HASH;
  return hash.readUInt32LE(0);
}

/** Hashes of the aggregates for which a transaction, or one inside it, locks funds. */
function lockedHashes({ entity, embedded }: DevnetTransaction): Buffer[] {
  return [entity, ...embedded.map((inner) => inner.entity)].flatMap((one) =>
    one.kind === "hash_lock" ? [Buffer.from(one.hash)] : [],
  );
}
