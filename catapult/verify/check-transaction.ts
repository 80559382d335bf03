import { verifySignature } from "../crypto/signature.js";
import { EntityError } from "../entity/entity-error.js";
import { AGGREGATE, VERIFIABLE } from "../entity/entity-layout.js";
import { transactionSigningBytes } from "../entity/hashes.js";
import { hex } from "../entity/hex.js";
import type { BlockTransaction, NetworkIdentity } from "../entity/model.js";
import { asAggregate } from "../entity/transaction.js";
import { embeddedTransactionsHash, isEmbeddedHashAccepted } from "./aggregate-hash.js";

/** Options of {@link checkTransaction}. */
export interface TransactionCheckOptions {
  /** Whether to verify the signature and those of cosigners (default true). */
  readonly checkSignatures?: boolean;
  /** Replaces the network's own list: the hash in the header by the aggregate's hash, both upper-case hex. */
  readonly corruptAggregateHashes?: ReadonlyMap<string, string>;
  /**
   * Receives an invalid signature of the transaction, instead of an error: for one whose hash, which covers the
   * signature, is proven otherwise. Cosignatures, which no hash covers, are always rejected.
   */
  readonly onInvalidSignature?: ((field: string) => void) | undefined;
  /** The transaction's name in error messages, by default `transaction`. */
  readonly path?: string;
}

/**
 * Verifies a transaction by itself: its signature, and for an aggregate the hash over its embedded transactions and
 * every cosignature (version 0, signed over the aggregate's hash). Throws `EntityError` with the field:
 * `<path>.signature`, `<path>.transactionsHash`, `<path>.cosignatures[n].version` or
 * `<path>.cosignatures[n].signature`.
 */
export function checkTransaction(
  transaction: BlockTransaction,
  network: NetworkIdentity,
  options: TransactionCheckOptions = {},
): void {
  const { checkSignatures = true, corruptAggregateHashes, onInvalidSignature, path = "transaction" } = options;
  const { bytes, hash } = transaction;
  const aggregate = asAggregate(transaction.entity);
  if (aggregate && !isEmbeddedHashAccepted(bytes, hash, network.generationHashSeed, corruptAggregateHashes)) {
    const claimed = hex(bytes.subarray(AGGREGATE.transactionsHash, AGGREGATE.payloadSize));
    const problem = `is ${claimed}, but that of the embedded transactions is ${hex(embeddedTransactionsHash(bytes))}`;
    throw new EntityError(`${path}.transactionsHash`, problem);
  }
  const cosignatures = aggregate?.cosignatures ?? [];
  cosignatures.forEach((cosignature, index) => {
    if (cosignature.version !== 0n)
      throw new EntityError(`${path}.cosignatures[${index}].version`, `is ${cosignature.version} instead of 0`);
  });
  if (!checkSignatures) return;

  const signerPublicKey = bytes.subarray(VERIFIABLE.signerPublicKey, VERIFIABLE.bodyReserved);
  const signature = bytes.subarray(VERIFIABLE.signature, VERIFIABLE.signerPublicKey);
  if (!verifySignature(signerPublicKey, transactionSigningBytes(bytes, network), signature)) {
    const field = `${path}.signature`;
    if (!onInvalidSignature)
      throw new EntityError(field, `is invalid: ${hex(signerPublicKey)} did not sign transaction ${hex(hash)}`);
    onInvalidSignature(field);
  }
  cosignatures.forEach((cosignature, index) => {
    const { signerPublicKey: cosigner } = cosignature;
    if (!verifySignature(cosigner, hash, cosignature.signature))
      throw new EntityError(
        `${path}.cosignatures[${index}].signature`,
        `is invalid: ${hex(cosigner)} did not sign transaction ${hex(hash)}`,
      );
  });
}
