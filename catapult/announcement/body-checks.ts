import { hashSecret } from "../crypto/secret.js";
import { addressOfPublicKey, isAliasAddress, isValidAddress } from "../entity/address.js";
import type { Body, EmbeddedEntity, EntityHeader } from "../entity/transaction-entity.js";
import type { TransactionKind } from "../structs/type-names.js";
import { type AnnouncementError, impossible } from "./announcement-error.js";
import { mosaicDefinition, mosaicSupplyChange, namespaceRegistration } from "./artifact-checks.js";
import { type EntityCheck, ZERO_KEY } from "./entity-check.js";
import { accountRestriction, mosaicAddressRestriction, operationRestriction } from "./restriction-checks.js";

type Check<K extends TransactionKind> = (
  transaction: EntityHeader & Body<K>,
  check: EntityCheck,
) => AnnouncementError | undefined;

function accountKeyLink(tx: Body<"account_key_link">, { path }: EntityCheck) {
  const isZero = tx.linkedPublicKey.equals(ZERO_KEY);
  return isZero ? impossible(`${path}.linkedPublicKey`, "is zero", "Failure_Core_Zero_Public_Key") : undefined;
}

function votingKeyLink(tx: Body<"voting_key_link">, { path, rules: { votingKey } }: EntityCheck) {
  const { startEpoch: start, endEpoch: end } = tx;
  if (start === 0) return impossible(`${path}.startEpoch`, "is 0", "Failure_Core_Link_Start_Epoch_Invalid");
  const count = end - start + 1;
  if (count >= votingKey.minEpochs && count <= votingKey.maxEpochs && count > 0) return undefined;
  const expected = `not from ${votingKey.minEpochs} to ${votingKey.maxEpochs}`;
  return impossible(`${path}.endEpoch`, `is ${count} epochs, ${expected}`, "Failure_Core_Invalid_Link_Range");
}

function transfer(tx: Body<"transfer">, { path, rules, network }: EntityCheck) {
  const { maxMessageSize } = rules.transfer;
  if (tx.messageSize > maxMessageSize) {
    const problem = `has ${tx.messageSize} bytes, the maximum is ${maxMessageSize}`;
    return impossible(`${path}.message`, problem, "Failure_Transfer_Message_Too_Large");
  }
  return checkAddress(tx.recipientAddress, `${path}.recipientAddress`, network.identifier);
}

function hashLock(tx: Body<"hash_lock">, { path, rules }: EntityCheck) {
  const { amount, maxDuration } = rules.hashLock;
  const given = tx.amount;
  if (amount !== undefined && given !== amount)
    return impossible(`${path}.amount`, `is ${given}, not ${amount}`, "Failure_LockHash_Invalid_Mosaic_Amount");
  return checkDuration(tx.duration, maxDuration, path, "Failure_LockHash_Invalid_Duration");
}

function secretLock(tx: Body<"secret_lock">, { path, rules, network }: EntityCheck) {
  const { maxDuration } = rules.secretLock;
  return (
    checkDuration(tx.duration, maxDuration, path, "Failure_LockSecret_Invalid_Duration") ??
    checkAddress(tx.recipientAddress, `${path}.recipientAddress`, network.identifier)
  );
}

function checkDuration(
  duration: bigint,
  max: number,
  path: string,
  code: "Failure_LockHash_Invalid_Duration" | "Failure_LockSecret_Invalid_Duration",
): AnnouncementError | undefined {
  const isRight = duration > 0n && duration <= max;
  return isRight ? undefined : impossible(`${path}.duration`, `is ${duration} blocks, not from 1 to ${max}`, code);
}

function secretProof(tx: Body<"secret_proof">, { path, rules }: EntityCheck) {
  const { minProofSize, maxProofSize } = rules.secretLock;
  const { length } = tx.proof;
  if (length < minProofSize || length > maxProofSize) {
    const problem = `has ${length} bytes, not from ${minProofSize} to ${maxProofSize}`;
    return impossible(`${path}.proof`, problem, "Failure_LockSecret_Proof_Size_Out_Of_Bounds");
  }
  if (hashSecret(tx.hashAlgorithm, tx.proof)?.equals(tx.secret)) return undefined;
  return impossible(`${path}.proof`, "does not match the secret", "Failure_LockSecret_Secret_Mismatch");
}

function metadata(
  tx: Body<"account_metadata" | "mosaic_metadata" | "namespace_metadata">,
  { path, rules, isEmbedded, network }: EntityCheck,
) {
  if (!isEmbedded) return onlyEmbedded(path);
  const length = tx.valueSize;
  const { maxValueSize } = rules.metadata;
  const value = `${path}.value`;
  if (length === 0) return impossible(value, "is empty", "Failure_Metadata_Value_Too_Small");
  if (Math.abs(tx.valueSizeDelta) > length) {
    const problem = `is ${tx.valueSizeDelta} with a value of ${length} bytes`;
    return impossible(`${path}.valueSizeDelta`, problem, "Failure_Metadata_Value_Size_Delta_Too_Large");
  }
  if (length > maxValueSize) {
    const problem = `has ${length} bytes, the maximum is ${maxValueSize}`;
    return impossible(value, problem, "Failure_Metadata_Value_Too_Large");
  }
  return checkAddress(tx.targetAddress, `${path}.targetAddress`, network.identifier);
}

function multisig(tx: Body<"multisig_account_modification">, check: EntityCheck) {
  const { path, isEmbedded, network } = check;
  if (!isEmbedded) return onlyEmbedded(path);
  const { addressAdditions: additions, addressDeletions: deletions } = tx;
  if (deletions.length > 1)
    return impossible(`${path}.addressDeletions`, "contains more than one", "Failure_Multisig_Multiple_Deletes");
  const added = new Set(additions.map((address) => address.toString("hex")));
  if (added.size < additions.length)
    return impossible(`${path}.addressAdditions`, "contains one twice", "Failure_Multisig_Redundant_Modification");
  if (deletions.some((address) => added.has(address.toString("hex"))))
    return impossible(`${path}.addressDeletions`, "contains an added one", "Failure_Multisig_Account_In_Both_Sets");
  return findFirst(additions, (address, index) =>
    checkAddress(address, `${path}.addressAdditions[${index}]`, network.identifier),
  );
}

function revocation(tx: Body<"mosaic_supply_revocation">, { path, network }: EntityCheck) {
  return checkAddress(tx.sourceAddress, `${path}.sourceAddress`, network.identifier);
}

/** An alias may point to any account; any other value must be an account's address of this network. */
function checkAddress(address: Buffer, path: string, networkIdentifier: number): AnnouncementError | undefined {
  if (isAliasAddress(address)) return undefined;
  if (address[0] !== networkIdentifier || !isValidAddress(address))
    return impossible(path, "is not an address of this network", "Failure_Core_Invalid_Address");
  return address.equals(addressOfPublicKey(ZERO_KEY, networkIdentifier))
    ? impossible(path, "belongs to the zero key", "Failure_Core_Zero_Address")
    : undefined;
}

/** As top-level transactions, nodes drop these without a status. */
function onlyEmbedded(path: string): AnnouncementError {
  return impossible(`${path}.type`, "is only allowed inside an aggregate");
}

function findFirst<T>(values: readonly T[], check: (value: T, index: number) => AnnouncementError | undefined) {
  for (const [index, value] of values.entries()) {
    const error = check(value, index);
    if (error) return error;
  }
  return undefined;
}

/** The kinds whose fields may have any value without state; aggregates have checks of their own. */
const anyBody = () => undefined;

const CHECKS: { readonly [K in TransactionKind]: Check<K> } = {
  account_key_link: accountKeyLink,
  node_key_link: anyBody,
  vrf_key_link: anyBody,
  voting_key_link: votingKeyLink,
  aggregate_complete: anyBody,
  aggregate_bonded: anyBody,
  transfer,
  hash_lock: hashLock,
  secret_lock: secretLock,
  secret_proof: secretProof,
  account_metadata: metadata,
  mosaic_metadata: metadata,
  namespace_metadata: metadata,
  multisig_account_modification: multisig,
  mosaic_supply_revocation: revocation,
  mosaic_definition: mosaicDefinition,
  mosaic_supply_change: mosaicSupplyChange,
  address_alias: anyBody,
  mosaic_alias: anyBody,
  namespace_registration: namespaceRegistration,
  account_address_restriction: accountRestriction,
  account_mosaic_restriction: accountRestriction,
  account_operation_restriction: operationRestriction,
  mosaic_address_restriction: mosaicAddressRestriction,
  mosaic_global_restriction: anyBody,
};

/** Returns why a transaction of this type can never be valid, in any state; undefined if it may be. */
export function checkBody(transaction: EmbeddedEntity, check: EntityCheck): AnnouncementError | undefined {
  if (transaction.kind === "unknown") return undefined;
  return (CHECKS[transaction.kind] as Check<TransactionKind>)(transaction, check);
}
