import { verifySignature } from "../crypto/signature.js";
import { EntityError } from "../entity/entity-error.js";
import { AGGREGATE, VERIFIABLE } from "../entity/entity-layout.js";
import { transactionSigningBytes } from "../entity/hashes.js";
import type { BlockTransaction, NetworkIdentity } from "../entity/model.js";
import { asAggregate } from "../entity/transaction.js";
import { embeddedTransactionsHash, isEmbeddedHashAccepted } from "./aggregate-hash.js";

/** What is checked of a transaction. */
export interface TransactionCheckOptions {
  /** Whether to check the signature and those of cosigners (default true). */
  readonly checkSignatures?: boolean;
  /** In place of the network's own list: by an aggregate's hash the hash in its header, both upper-case hex. */
  readonly corruptAggregateHashes?: ReadonlyMap<string, string>;
  /** How error messages call the transaction, by default `transaction`. */
  readonly path?: string;
}

function hex(bytes: Buffer): string {
  return bytes.toString("hex").toUpperCase();
}

/**
 * Checks by itself what a transaction claims: its signature, and of an aggregate the hash over its embedded transactions
 * and every cosignature (version 0, signed over the aggregate's hash).
 * Throws `EntityError` with the field: `<path>.signature`, `<path>.transactionsHash`, `<path>.cosignatures[n].version`
 * or `<path>.cosignatures[n].signature`.
 */
export function checkTransaction(
  transaction: BlockTransaction,
  network: NetworkIdentity,
  options: TransactionCheckOptions = {},
): void {
  const { checkSignatures = true, corruptAggregateHashes, path = "transaction" } = options;
  const { bytes, hash } = transaction;
  const aggregate = asAggregate(transaction.entity);
  if (aggregate && !isEmbeddedHashAccepted(bytes, hash, network.generationHashSeed, corruptAggregateHashes)) {
    const claimed = hex(bytes.subarray(AGGREGATE.transactionsHash, AGGREGATE.payloadSize));
    const problem = `is ${claimed}, but the embedded transactions give ${hex(embeddedTransactionsHash(bytes))}`;
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
  if (!verifySignature(signerPublicKey, transactionSigningBytes(bytes, network), signature))
    throw new EntityError(`${path}.signature`, `is none by ${hex(signerPublicKey)} of transaction ${hex(hash)}`);
  cosignatures.forEach((cosignature, index) => {
    const { signerPublicKey: cosigner } = cosignature;
    if (!verifySignature(cosigner, hash, cosignature.signature))
      throw new EntityError(
        `${path}.cosignatures[${index}].signature`,
        `is none by ${hex(cosigner)} of transaction ${hex(hash)}`,
      );
  });
}
