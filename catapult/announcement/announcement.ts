import { isNeutral, verifySignature } from "../crypto/signature.js";
import { EntityError } from "../entity/entity-error.js";
import { hex } from "../entity/hex.js";
import type { BlockTransaction, NetworkIdentity } from "../entity/model.js";
import { asAggregate, decodeTransaction } from "../entity/transaction.js";
import type { TransactionRules } from "../network/transaction-rules.js";
import { TRANSACTION_TYPE } from "../structs/type-names.js";
import { checkTransaction } from "../verify/check-transaction.js";
import { checkAggregate } from "./aggregate-checks.js";
import { AnnouncementError, codeOfField, impossible } from "./announcement-error.js";
import { checkBody } from "./body-checks.js";
import { type EntityCheck, ZERO_KEY } from "./entity-check.js";
import { wrongSeed } from "./signed-seed.js";

/**
 * The kind of packet that announces it: as a complete transaction, or as a bonded aggregate with missing
 * cosignatures.
 */
export type AnnouncementMode = "transaction" | "partial";

/** The context in which an announced transaction is checked. */
export interface AnnouncementCheck {
  readonly network: NetworkIdentity;
  readonly rules: TransactionRules;
  /** Default `transaction`. */
  readonly mode?: AnnouncementMode;
  /** Whether signatures are not verified, and cosignatures may be missing: it is yet to be signed. */
  readonly isUnsigned?: boolean;
}

const PATH = "transaction";
const SIGNATURE = `${PATH}.signature`;
const INVALID_SIGNATURE = "Failure_Consumer_Batch_Signature_Not_Verifiable";
const MAX_FEE_MULTIPLIER = 0xffff_ffffn;
/** A node collects announcements for half a second, and its clock may differ a little from ours. */
const FUTURE_SLACK_MS = 1000;

/**
 * Decodes the bytes of an announced transaction, and performs all stateless checks except that of its deadline (see
 * {@link checkDeadline}): network, version, sizes, the hash over embedded transactions, signatures, and the fields of
 * its type. A node drops all transactions that arrived with one that fails these checks.
 * @throws AnnouncementError `malformed` for bytes that are not a transaction, `impossible` naming the field
 */
export function checkAnnouncedTransaction(bytes: Buffer, check: AnnouncementCheck): BlockTransaction {
  const transaction = decode(bytes, check.network);
  checkFields(transaction, check);
  if (!check.isUnsigned) checkPoints(transaction);
  try {
    checkTransaction(transaction, check.network, { path: PATH, checkSignatures: !check.isUnsigned });
  } catch (cause) {
    const seed = isSignature(cause) ? wrongSeed(transaction, check.network) : undefined;
    throw toAnnouncementError(seed === undefined ? cause : new EntityError(SIGNATURE, `is invalid: ${seed}`));
  }
  return transaction;
}

/**
 * The same for a decoded transaction, without hashes and signatures: network, version, sizes and the fields of its type.
 * @throws AnnouncementError `impossible` naming the field
 */
export function checkFields(
  transaction: BlockTransaction,
  { network, rules, mode = "transaction", isUnsigned }: AnnouncementCheck,
): void {
  const context: EntityCheck = { network, rules, path: PATH, isEmbedded: false, isUnsigned };
  const error =
    checkMode(transaction, mode, rules) ??
    checkHeader(transaction, context) ??
    checkAggregate(transaction, context) ??
    checkBodies(transaction, context);
  if (error) throw error;
}

/**
 * Checks that a transaction's deadline has not passed, and is not farther ahead than the network allows.
 * @param now of the network's clock, in ms since its epoch adjustment
 * @throws AnnouncementError `impossible`
 */
export function checkDeadline({ entity }: BlockTransaction, now: number, rules: TransactionRules): void {
  const deadline = entity.deadline;
  const isBonded = entity.type === TRANSACTION_TYPE.aggregate_bonded;
  const lifetime = isBonded ? rules.maxBondedLifetimeMs : rules.maxLifetimeMs;
  const path = `${PATH}.deadline`;
  if (deadline < now) {
    throw impossible(path, `${deadline} is before network time ${now}`, "Failure_Core_Past_Deadline");
  }
  if (deadline > now + lifetime + FUTURE_SLACK_MS) {
    const problem = `${deadline} is more than ${lifetime} ms ahead of network time ${now}`;
    throw impossible(path, problem, "Failure_Core_Future_Deadline");
  }
}

/** A cosignature without its aggregate. */
export interface DetachedCosignature {
  readonly version: bigint;
  readonly signerPublicKey: Buffer;
  readonly signature: Buffer;
  /** Hash of the aggregate. */
  readonly parentHash: Buffer;
}

/**
 * The bytes of a detached cosignature (136), after checking its version and signature.
 * @throws AnnouncementError `impossible` naming the field
 */
export function checkAnnouncedCosignature(cosignature: DetachedCosignature): Buffer {
  const { version, signerPublicKey, signature, parentHash } = cosignature;
  if (version !== 0n) throw impossible("version", `is ${version}, not 0`, "Failure_Core_Nonzero_Internal_Padding");
  if (isNeutral(signature) || !verifySignature(signerPublicKey, parentHash, signature)) {
    const problem = `is invalid: ${hex(signerPublicKey)} did not sign ${hex(parentHash)}`;
    throw impossible("signature", problem, INVALID_SIGNATURE);
  }
  return Buffer.concat([Buffer.alloc(8), signerPublicKey, signature, parentHash]);
}

/**
 * Checks that no signature's point is the neutral one. Nodes do not agree on these, so that they are rejected here although
 * a block may have them; no wallet makes them, and verifying one takes milliseconds.
 */
function checkPoints({ entity }: BlockTransaction): void {
  const cosignatures = asAggregate(entity)?.cosignatures ?? [];
  const position = [entity, ...cosignatures].findIndex(({ signature }) => isNeutral(signature));
  if (position < 0) return;
  const path = position === 0 ? SIGNATURE : `${PATH}.cosignatures[${position - 1}].signature`;
  throw impossible(path, "has a neutral point", INVALID_SIGNATURE);
}

function decode(bytes: Buffer, network: NetworkIdentity): BlockTransaction {
  try {
    return decodeTransaction(bytes, network, { path: PATH });
  } catch (cause) {
    throw toAnnouncementError(cause);
  }
}

function isSignature(error: unknown): boolean {
  return error instanceof EntityError && error.field === SIGNATURE;
}

function toAnnouncementError(error: unknown): unknown {
  if (!(error instanceof EntityError)) return error;
  const code = codeOfField(error.field);
  return new AnnouncementError(code ? "impossible" : "malformed", error.message, code, { cause: error });
}

function checkMode(
  { entity }: BlockTransaction,
  mode: AnnouncementMode,
  rules: TransactionRules,
): AnnouncementError | undefined {
  const isBonded = entity.type === TRANSACTION_TYPE.aggregate_bonded;
  if (mode === "partial" && !isBonded)
    return impossible(`${PATH}.type`, `is ${entity.type}: only bonded aggregates can be partial`);
  return isBonded && !rules.aggregate.areBondedAllowed
    ? impossible(`${PATH}.type`, "is bonded aggregate, which the network does not allow")
    : undefined;
}

function checkHeader({ entity, bytes }: BlockTransaction, { path }: EntityCheck): AnnouncementError | undefined {
  const signer = entity.signerPublicKey;
  if (signer.equals(ZERO_KEY)) return impossible(`${path}.signerPublicKey`, "is zero", "Failure_Core_Zero_Public_Key");
  const maxFee = entity.maxFee;
  if (maxFee > MAX_FEE_MULTIPLIER * BigInt(bytes.length)) {
    const problem = `is ${maxFee}, too high for ${bytes.length} bytes`;
    return impossible(`${path}.maxFee`, problem, "Failure_Core_Invalid_Transaction_Fee");
  }
  return undefined;
}

function checkBodies({ entity, embedded }: BlockTransaction, check: EntityCheck): AnnouncementError | undefined {
  if (embedded.length === 0) return checkBody(entity, check);
  for (const { entity: inner, index } of embedded) {
    const error = checkBody(inner, { ...check, path: `${check.path}.embedded[${index}]`, isEmbedded: true });
    if (error) return error;
  }
  return undefined;
}
