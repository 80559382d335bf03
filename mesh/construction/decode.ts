import { verifySignature } from "../../catapult/crypto/signature.js";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { EntityError } from "../../catapult/entity/entity-error.js";
import { COSIGNATURE, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { transactionSigningBytes } from "../../catapult/entity/hashes.js";
import { hex } from "../../catapult/entity/hex.js";
import type { BlockTransaction, NetworkIdentity } from "../../catapult/entity/model.js";
import { asAggregate, decodeTransaction } from "../../catapult/entity/transaction.js";
import type { EmbeddedEntity } from "../../catapult/entity/transaction-entity.js";
import { MeshError } from "../standard/errors.js";
import type { NetworkFacts } from "../standard/network.js";
import type { Operation } from "../standard/schemas.js";
import { buildTransaction } from "./build.js";
import type { Decimals } from "./currency.js";
import type { AggregateKind, HashLockIntent, Transfer, TransfersIntent } from "./intent.js";
import { readOperations } from "./read-operations.js";
import { writeOperations } from "./write-operations.js";

/** One of the signatures that a transaction has, or is to have. */
export interface Signer {
  /** 32 and 24 bytes. */
  readonly publicKey: Buffer;
  readonly address: Buffer;
  /** What is signed: the transaction itself, or its hash (32 bytes), which covers the signature of the first signer. */
  readonly signingBytes: Buffer;
  /** 64 bytes; zeros if it is still missing. */
  readonly signature: Buffer;
  /** Position of the signature in the payload. */
  readonly offset: number;
}

/** A transaction that this API built. */
export interface DecodedTransaction {
  readonly operations: Operation[];
  /** Requested kind of aggregate, if it is one. */
  readonly aggregate: AggregateKind | undefined;
  /** The signers in the order of the operations: the first signs the transaction, the others cosign it. */
  readonly signers: readonly Signer[];
  readonly maxFee: bigint;
  /** The deadline, in ms since the network's epoch. */
  readonly deadline: bigint;
  /** 32 bytes; final when the first signature is present. */
  readonly hash: Buffer;
}

/** The network as the codec knows it. */
function makeIdentity({ addressPrefix, generationHashSeed }: NetworkFacts): NetworkIdentity {
  return { identifier: addressPrefix, generationHashSeed: Buffer.from(generationHashSeed, "hex") };
}

/**
 * Reads a transaction. It is rejected unless its operations build the same bytes again: so the operations say all that
 * it does.
 * @throws MeshError invalidTransaction
 */
export function decodeBuilt(payload: Buffer, decimals: Decimals, network: NetworkFacts): DecodedTransaction {
  const identity = makeIdentity(network);
  const transaction = decoded(payload, identity);
  const { entity, embedded, hash } = transaction;
  const content = contentOf(transaction, identity);
  const aggregate = findAggregateKind(transaction);
  const cosignatures = asAggregate(entity)?.cosignatures ?? [];
  const operations = writeOperations(content, network, decimals);
  const keys = [entity, ...embedded.map((one) => one.entity), ...cosignatures].map((one) => one.signerPublicKey);
  const byAddress = new Map(keys.map((key) => [addressOfPublicKey(key, identity.identifier).toString("hex"), key]));
  const { maxFee, deadline, version: aggregateVersion } = entity;
  const again = rebuilt(operations, network, decimals, (intent) =>
    buildTransaction(
      intent,
      { maxFee, deadline, aggregate, aggregateVersion },
      {
        network: identity.identifier,
        keyOf: (address) => byAddress.get(address.toString("hex")) ?? Buffer.alloc(32),
      },
    ),
  );
  const signers = signersIn(transaction, identity, cosignatures);
  const unsigned = Buffer.from(payload);
  for (const { offset } of signers) unsigned.fill(0, offset, offset + 64);
  if (!again.equals(unsigned)) throw invalid("its operations do not build the same transaction");
  return { operations, aggregate, signers, maxFee, deadline, hash };
}

/** The signers whose signatures are still zeros. */
export function missingSigners({ signers }: Pick<DecodedTransaction, "signers">): readonly Signer[] {
  return signers.filter(({ signature }) => signature.every((byte) => byte === 0));
}

/** The accounts that are to sign now: the first before all others, which sign the hash of what the first has signed. */
export function nextSigners(transaction: Pick<DecodedTransaction, "signers">): readonly Signer[] {
  const missing = missingSigners(transaction);
  return missing[0] === transaction.signers[0] ? missing.slice(0, 1) : missing;
}

/** The signers whose signatures are present. @throws MeshError invalidSignature if one does not verify */
export function presentSigners({ signers }: Pick<DecodedTransaction, "signers">): readonly Signer[] {
  const present = signers.filter(({ signature }) => signature.some((byte) => byte !== 0));
  for (const { publicKey, signingBytes, signature } of present) {
    if (!verifySignature(publicKey, signingBytes, signature)) {
      throw new MeshError("invalidSignature", { public_key: hex(publicKey) });
    }
  }
  return present;
}

function decoded(payload: Buffer, identity: NetworkIdentity): BlockTransaction {
  try {
    return decodeTransaction(payload, identity, { path: "payload" });
  } catch (cause) {
    if (!(cause instanceof EntityError)) throw cause;
    throw new MeshError("invalidTransaction", { problem: cause.message }, { cause });
  }
}

function contentOf(transaction: BlockTransaction, identity: NetworkIdentity): TransfersIntent | HashLockIntent {
  const { entity, embedded, signerAddress } = transaction;
  if (entity.kind === "hash_lock") {
    const { mosaicId, amount, duration, hash } = entity;
    return { kind: "hashLock", signer: signerAddress, mosaic: { mosaicId, amount }, duration, aggregateHash: hash };
  }
  const aggregate = asAggregate(entity);
  const transfers = aggregate
    ? embedded.map((one) => transferIn(one.entity, one.signerAddress))
    : [transferIn(entity, signerAddress)];
  const others = aggregate?.cosignatures ?? [];
  const isOnlySender = others.length === 0 && transfers.every(({ sender }) => sender.equals(signerAddress));
  const addressOf = (key: Buffer) => addressOfPublicKey(key, identity.identifier);
  const cosigners = isOnlySender ? [] : [signerAddress, ...others.map((one) => addressOf(one.signerPublicKey))];
  return { kind: "transfers", transfers, cosigners };
}

function transferIn(entity: EmbeddedEntity, sender: Buffer): Transfer {
  if (entity.kind !== "transfer") throw invalid(`it contains a ${entity.kind}, which this API does not build`);
  const { recipientAddress: recipient, mosaics, message } = entity;
  return { sender, recipient, mosaics, message };
}

function findAggregateKind({ entity }: BlockTransaction): AggregateKind | undefined {
  if (entity.kind === "aggregate_bonded") return "bonded";
  return entity.kind === "aggregate_complete" ? "complete" : undefined;
}

function rebuilt(
  operations: readonly Operation[],
  network: NetworkFacts,
  decimals: Decimals,
  build: (intent: TransfersIntent | HashLockIntent) => Buffer,
): Buffer {
  try {
    const read = readOperations(operations, network);
    if (read.intent.kind === "cosignature") throw invalid("it is a cosignature");
    for (const id of decimals.keys()) if (!read.decimals.has(id)) throw invalid(`it has no mosaic ${id}`);
    return build(read.intent);
  } catch (cause) {
    if (!(cause instanceof MeshError) || cause.entry === "invalidTransaction") throw cause;
    throw new MeshError(
      "invalidTransaction",
      { problem: "it is none that this API builds", ...cause.details },
      { cause },
    );
  }
}

function signersIn(
  { entity, bytes, hash }: BlockTransaction,
  identity: NetworkIdentity,
  cosignatures: readonly { readonly signerPublicKey: Buffer; readonly signature: Buffer }[],
): readonly Signer[] {
  const address = (key: Buffer) => addressOfPublicKey(key, identity.identifier);
  const { signerPublicKey: publicKey, signature } = entity;
  const signingBytes = transactionSigningBytes(bytes, identity);
  const first = { publicKey, address: address(publicKey), signingBytes, signature, offset: VERIFIABLE.signature };
  const start = bytes.length - cosignatures.length * COSIGNATURE.size;
  const others = cosignatures.map((one, index) => ({
    publicKey: one.signerPublicKey,
    address: address(one.signerPublicKey),
    signingBytes: hash,
    signature: one.signature,
    offset: start + index * COSIGNATURE.size + COSIGNATURE.signature,
  }));
  return [first, ...others];
}

function invalid(problem: string): MeshError {
  return new MeshError("invalidTransaction", { problem });
}
