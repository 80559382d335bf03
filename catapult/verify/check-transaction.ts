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
  /** Whether votes prove its hash: the signature that it covers is not verified then, but those of cosigners are. */
  readonly isProven?: boolean;
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
  const { checkSignatures = true, corruptAggregateHashes, isProven = false, path = "transaction" } = options;
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
  for (const signed of listSignatures(transaction, network, path, isProven)) {
    if (!verifySignature(signed.publicKey, signed.data, signed.signature)) rejectSignature(signed);
  }
}

/** A signature, and what was signed. */
export interface Signed {
  /** Its name in error messages. */
  readonly field: string;
  /** 32 bytes. */
  readonly publicKey: Buffer;
  readonly data: Buffer;
  /** 64 bytes. */
  readonly signature: Buffer;
  /** What was signed, for error messages. */
  readonly what: "block" | "transaction";
  /** The hash of the block or transaction, 32 bytes. */
  readonly hash: Buffer;
}

/** The signature of a transaction, unless its hash, which covers it, is proven; and those of its cosigners. */
export function* listSignatures(
  { bytes, hash, entity }: BlockTransaction,
  network: NetworkIdentity,
  path: string,
  isProven: boolean,
): Generator<Signed> {
  const signed = { what: "transaction", hash } as const;
  if (!isProven) {
    yield {
      ...signed,
      field: `${path}.signature`,
      publicKey: bytes.subarray(VERIFIABLE.signerPublicKey, VERIFIABLE.bodyReserved),
      data: transactionSigningBytes(bytes, network),
      signature: bytes.subarray(VERIFIABLE.signature, VERIFIABLE.signerPublicKey),
    };
  }
  for (const [index, { signerPublicKey, signature }] of (asAggregate(entity)?.cosignatures ?? []).entries()) {
    const field = `${path}.cosignatures[${index}].signature`;
    yield { ...signed, field, publicKey: signerPublicKey, data: hash, signature };
  }
}

/** @throws EntityError that names the signature */
export function rejectSignature({ field, publicKey, what, hash }: Signed): never {
  throw new EntityError(field, `is invalid: ${hex(publicKey)} did not sign ${what} ${hex(hash)}`);
}
