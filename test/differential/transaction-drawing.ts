import { COSIGNATURE, EMBEDDED, TRANSACTION, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { transactionHash, transactionSigningBytes } from "../../catapult/entity/hashes.js";
import {
  aggregateContent,
  embeddedBytes,
  hashLockContent,
  type TransactionContent,
  unsignedTransaction,
} from "../../catapult/entity/transaction-writer.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { drawKeyLink, drawMetadata, drawMultisig, drawVotingKeyLink } from "./draw-accounts.js";
import {
  drawAccountRestriction,
  drawAlias,
  drawMosaic,
  drawMosaicRestriction,
  drawNamespace,
  drawRevocation,
  drawSupply,
  drawTransfer,
} from "./draw-assets.js";
import { drawSecretLock, drawSecretProof } from "./draw-locks.js";
import type { Draw, WalkCast } from "./walk-cast.js";
import type { Party } from "./walk-network.js";

/** How often a kind is drawn, relative to the others. */
const WEIGHTS: readonly (readonly [number, (cast: WalkCast, height: number) => Draw | undefined])[] = [
  [18, drawTransfer],
  [8, drawKeyLink],
  [5, drawVotingKeyLink],
  [7, drawMetadata],
  [5, drawMultisig],
  [12, drawNamespace],
  [10, drawAlias],
  [8, drawMosaic],
  [9, drawSupply],
  [4, drawRevocation],
  [6, drawAccountRestriction],
  [8, drawMosaicRestriction],
  [9, drawSecretLock],
  [9, drawSecretProof],
];
const ALL_WEIGHTS = WEIGHTS.reduce((sum, [weight]) => sum + weight, 0);

const DEADLINE_MS = 3_600_000;

/** Draws signed transactions for the next block of a walk. */
export class TransactionDrawing {
  readonly #cast: WalkCast;
  #nonce = 0;

  constructor(cast: WalkCast) {
    this.#cast = cast;
  }

  /**
   * One or more transactions that are to be announced in this order.
   *
   * @param height of the next block @param now in ms since the network's epoch
   */
  draw(height: number, now: number): Buffer[] {
    const cast = this.#cast;
    const first = this.#drawOne(height);
    const isMultisig = (party: Party) =>
      (cast.tables.multisigs.get(party.address)?.cosignatoryAddresses.length ?? 0) > 0;
    if (!first.isEmbeddedOnly && (!isMultisig(first.signer) || cast.chance(3)) && cast.chance(55)) {
      return [this.single(first.signer, first.content, now)];
    }
    const count = cast.chance(4) ? cast.between(20, 60) : cast.random.below(5);
    const draws = [first, ...Array.from({ length: count }, () => this.#drawOne(height))];
    if (!cast.chance(12)) return [this.#aggregate(draws, height, now, TRANSACTION_TYPE.aggregate_complete)];
    const bonded = this.#aggregate(draws, height, now, TRANSACTION_TYPE.aggregate_bonded);
    const hash = transactionHash(bonded, cast.network.identity);
    const { currencyMosaicId, config } = cast.network;
    const mosaic = { mosaicId: currencyMosaicId, amount: config.hashLock.lockedFundsPerAggregate };
    const lock = hashLockContent(mosaic, BigInt(cast.between(1, 32)), hash);
    return [this.single(cast.account(), lock, now), bonded];
  }

  #drawOne(height: number): Draw {
    for (;;) {
      let left = this.#cast.random.below(ALL_WEIGHTS);
      const [, draw] = WEIGHTS.find(([weight]) => {
        left -= weight;
        return left < 0;
      })!;
      const drawn = draw(this.#cast, height);
      if (drawn) return drawn;
    }
  }

  /** With the cosignatures that the embedded transactions need, seldom one more or less. */
  #aggregate(draws: readonly Draw[], height: number, now: number, type: number): Buffer {
    const cast = this.#cast;
    const needed = new Set(draws.flatMap(({ signer, agreeing = [] }) => [signer, ...agreeing]));
    const signers = new Set<Party>();
    for (const party of needed) this.#addSigners(party, signers, 0);
    if (cast.chance(2)) signers.add(cast.account());
    const [first = cast.account(), ...cosigners] = [...signers];
    if (cast.chance(2)) cosigners.pop();
    const embedded = draws.map(({ signer, content }) => this.#embedded(signer, content));
    const version = this.#aggregateVersion(height);
    const blank = { version: 0n, signerPublicKey: Buffer.alloc(32), signature: Buffer.alloc(64) };
    const content = aggregateContent(
      { type, version },
      embedded,
      cosigners.map(() => blank),
    );
    const bytes = this.single(first, content, now);
    const hash = transactionHash(bytes, cast.network.identity);
    cosigners.forEach((cosigner, index) => {
      const start = bytes.length - COSIGNATURE.size * (cosigners.length - index);
      cosigner.publicKey.copy(bytes, start + COSIGNATURE.signerPublicKey);
      cosigner.sign(hash).copy(bytes, start + COSIGNATURE.signature);
    });
    return bytes;
  }

  /** The account itself, or as many cosignatories of a multisig account as have to agree. */
  #addSigners(party: Party, signers: Set<Party>, level: number): void {
    const entry = this.#cast.tables.multisigs.get(party.address);
    if (!entry || entry.cosignatoryAddresses.length === 0 || level > 4) {
      signers.add(party);
      return;
    }
    const count = Math.max(entry.minApproval, entry.minRemoval, 1);
    for (const address of entry.cosignatoryAddresses.slice(0, count)) {
      const cosignatory = this.#cast.partyOf(address);
      if (cosignatory) this.#addSigners(cosignatory, signers, level + 1);
    }
  }

  #aggregateVersion(height: number): number {
    const { strictAggregateTransactionHash, uniqueAggregateTransactionHash } = this.#cast.network.config.forkHeights;
    if (this.#cast.chance(2)) return this.#cast.between(1, 3);
    if (uniqueAggregateTransactionHash !== undefined && height >= uniqueAggregateTransactionHash) return 3;
    return height >= strictAggregateTransactionHash ? 2 : 1;
  }

  #embedded(signer: Party, content: TransactionContent): Buffer {
    const bytes = embeddedBytes(content, signer.publicKey, this.#cast.network.identity.identifier);
    if (this.#cast.random.below(400) === 0) bytes[EMBEDDED.headerReserved + this.#cast.random.below(4)] = 7;
    if (this.#cast.random.below(400) === 0) bytes[EMBEDDED.bodyReserved + this.#cast.random.below(4)] = 7;
    return bytes;
  }

  /** A transaction of this content and signer, as it is. No two are alike: the deadline differs. */
  single(signer: Party, content: TransactionContent, now: number): Buffer {
    const cast = this.#cast;
    const { identity } = cast.network;
    const deadline = BigInt(now + DEADLINE_MS + (this.#nonce++ % 100_000));
    const multiplier = BigInt(cast.pick([10, 50, 100, 100, 100, 1000]));
    const maxFee = multiplier * BigInt(TRANSACTION.headerSize + content.body.length);
    const terms = { network: identity.identifier, signerPublicKey: signer.publicKey, maxFee, deadline };
    const bytes = unsignedTransaction(content, terms);
    if (cast.chance(1)) bytes[VERIFIABLE.headerReserved + cast.random.below(4)] = 9;
    if (cast.chance(1)) bytes[VERIFIABLE.bodyReserved + cast.random.below(4)] = 9;
    signer.sign(transactionSigningBytes(bytes, identity)).copy(bytes, VERIFIABLE.signature);
    return bytes;
  }
}
