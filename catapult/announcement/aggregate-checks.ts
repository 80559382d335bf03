import { VERIFIABLE } from "../entity/entity-layout.js";
import type { BlockTransaction } from "../entity/model.js";
import { asAggregate } from "../entity/transaction.js";
import type { TransactionRules } from "../network/transaction-rules.js";
import { isAggregateType } from "../structs/type-names.js";
import { type AnnouncementError, impossible } from "./announcement-error.js";
import { type EntityCheck, ZERO_KEY } from "./entity-check.js";

/**
 * Returns why an aggregate as a whole can never be valid, its hash and signatures aside; undefined for other
 * transactions. Source: `plugins/txes/aggregate/src/validators`.
 */
export function checkAggregate(transaction: BlockTransaction, check: EntityCheck): AnnouncementError | undefined {
  const aggregate = asAggregate(transaction.entity);
  if (!aggregate) return undefined;
  const { path, rules } = check;
  const { maxTransactions, maxSignatures } = rules.aggregate;
  const versionError = checkVersion(aggregate.version, check);
  if (versionError) return versionError;
  const { length } = transaction.embedded;
  if (length === 0) return impossible(`${path}.transactions`, "are empty", "Failure_Aggregate_No_Transactions");
  if (length > maxTransactions) {
    const problem = `are ${length}, the maximum is ${maxTransactions}`;
    return impossible(`${path}.transactions`, problem, "Failure_Aggregate_Too_Many_Transactions");
  }
  const signers = [aggregate, ...aggregate.cosignatures].map(({ signerPublicKey }) => signerPublicKey);
  if (signers.length > maxSignatures) {
    const problem = `are ${signers.length - 1}, the maximum is ${maxSignatures - 1}`;
    return impossible(`${path}.cosignatures`, problem, "Failure_Aggregate_Too_Many_Cosignatures");
  }
  const keys = new Set(signers.map((key) => key.toString("hex")));
  if (keys.size < signers.length)
    return impossible(`${path}.cosignatures`, "contain a signer twice", "Failure_Aggregate_Redundant_Cosignatures");
  return checkEmbeddedSigners(transaction, keys, check);
}

function checkVersion(version: number, { path, rules }: EntityCheck): AnnouncementError | undefined {
  const { maxKnownVersion, minVersion, maxVersion } = rules.aggregate;
  const name = `${path}.version`;
  if (version > maxKnownVersion) return impossible(name, `is ${version}`, "Failure_Core_Invalid_Version");
  if (version >= minVersion && version <= maxVersion) return undefined;
  const allowed = minVersion === maxVersion ? `${minVersion}` : `${minVersion} to ${maxVersion}`;
  return impossible(name, `is ${version}, the network currently allows ${allowed}`, prohibitedVersion(version));
}

/**
 * Whether a transaction is an aggregate of a version that the network's nodes know, and that these rules do not allow:
 * a block before or after a fork height may have it.
 */
export function isProhibitedAggregate(transaction: Buffer, { aggregate }: TransactionRules): boolean {
  if (!isAggregateType(transaction.readUInt16LE(VERIFIABLE.type))) return false;
  const version = transaction[VERIFIABLE.version]!;
  const isKnown = version > 0 && version <= aggregate.maxKnownVersion;
  return isKnown && (version < aggregate.minVersion || version > aggregate.maxVersion);
}

/** The node's status code for an aggregate of a version (1 to 3) that is prohibited at a height. */
export function prohibitedVersion(version: number) {
  if (version >= 3) return "Failure_Aggregate_V3_Prohibited";
  return version === 2 ? "Failure_Aggregate_V2_Prohibited" : "Failure_Aggregate_V1_Prohibited";
}

function checkEmbeddedSigners(
  { embedded }: BlockTransaction,
  signers: ReadonlySet<string>,
  { path, rules, isUnsigned }: EntityCheck,
): AnnouncementError | undefined {
  const needed = new Set<string>();
  for (const { entity, index } of embedded) {
    const key = entity.signerPublicKey;
    if (key.equals(ZERO_KEY))
      return impossible(`${path}.embedded[${index}].signerPublicKey`, "is zero", "Failure_Core_Zero_Public_Key");
    needed.add(key.toString("hex"));
  }
  if (!rules.aggregate.isStrict) return undefined;
  const isExtra = [...signers].some((key) => !needed.has(key));
  if (isExtra)
    return impossible(
      `${path}.cosignatures`,
      "contain an unnecessary one",
      "Failure_Aggregate_Ineligible_Cosignatories",
    );
  const isMissing = !isUnsigned && [...needed].some((key) => !signers.has(key));
  return isMissing
    ? impossible(`${path}.cosignatures`, "lack a required one", "Failure_Aggregate_Missing_Cosignatures")
    : undefined;
}
