import { prohibitedVersion } from "../../catapult/announcement/aggregate-checks.js";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import type { CosignatureFields } from "../../catapult/structs/nested-structs.js";
import { isAggregateType } from "../../catapult/structs/type-names.js";
import { isEmbeddedHashAccepted } from "../../catapult/verify/aggregate-hash.js";
import type { NetworkConfig } from "../config/network-config.js";
import { Approvals } from "../tables/approvals.js";
import { mapKey } from "../trees/state-table.js";
import type { ExecutableTransaction, NotificationOf, Notify } from "./notifications.js";
import type { RuleBook } from "./rule-book.js";
import { bytesOf } from "./wire.js";

/** The highest version of aggregates known to nodes of the network. */
export function maxAggregateVersion({ forkHeights }: NetworkConfig): number {
  return forkHeights.uniqueAggregateTransactionHash === undefined ? 2 : 3;
}

/** The only version of aggregates that is allowed at a height (catapult `AggregateTransactionVersionValidator`). */
function allowedVersion({ forkHeights }: NetworkConfig, height: number): number {
  const { strictAggregateTransactionHash, uniqueAggregateTransactionHash } = forkHeights;
  if (uniqueAggregateTransactionHash !== undefined && height >= uniqueAggregateTransactionHash) return 3;
  return height >= strictAggregateTransactionHash ? 2 : 1;
}

/** Aggregates (catapult `plugins/txes/aggregate`). */
export function addAggregateRules(rules: RuleBook) {
  rules.stateless("aggregateEmbedded", ({ transaction: { bytes, hash } }, config) => {
    const isAccepted = isEmbeddedHashAccepted(bytes, hash, config.generationHashSeed, config.aggregate.corruptHashes);
    return isAccepted ? undefined : "Failure_Aggregate_Transactions_Hash_Mismatch";
  });
  rules.stateless("aggregateCosignatures", ({ transaction, cosigners }, { aggregate }) => {
    const { length } = transaction.embedded;
    if (length === 0) return "Failure_Aggregate_No_Transactions";
    if (length > aggregate.maxTransactions) return "Failure_Aggregate_Too_Many_Transactions";
    if (cosigners.length + 1 > aggregate.maxCosignatures) return "Failure_Aggregate_Too_Many_Cosignatures";
    const signers = new Set([transaction.signerAddress, ...cosigners].map(mapKey));
    return signers.size === cosigners.length + 1 ? undefined : "Failure_Aggregate_Redundant_Cosignatures";
  });
  rules.stateless("aggregateCosignatures", (notification, { aggregate }) =>
    aggregate.strictCosignatureCheck ? checkStrictly(notification) : undefined,
  );

  rules.stateful("entity", ({ type, version }, { config, height }) => {
    if (!isAggregateType(type)) return undefined;
    return version === allowedVersion(config, height) ? undefined : prohibitedVersion(version);
  });
  return {};
}

/** Publishes an aggregate: notifications about the whole, then its embedded transactions one by one. */
export function publishAggregate(
  rules: RuleBook,
  transaction: ExecutableTransaction,
  cosignatures: readonly CosignatureFields[],
  height: number,
  notify: Notify,
): void {
  const cosigners = addressesOf(
    cosignatures.map(({ signerPublicKey }) => bytesOf(signerPublicKey)),
    rules,
  );
  notify({ kind: "aggregateCosignatures", transaction, cosigners });
  notify({ kind: "aggregateEmbedded", transaction });
  const approvals = new Approvals([transaction.signerAddress, ...cosigners], rules.config.multisig.maxDepth);
  for (const { entity, signerAddress } of transaction.embedded) {
    const signerPublicKey = bytesOf(entity.signerPublicKey);
    notify({ kind: "sourceChange", to: "embedded" });
    notify({ kind: "accountPublicKey", publicKey: signerPublicKey });
    notify({
      kind: "entity",
      network: entity.network,
      type: entity.type,
      version: entity.version,
      maxVersion: 1,
    });
    notify({ kind: "embeddedTransaction", entity, signerAddress, approvals });
    rules.publishEntity(entity, { signerAddress, signerPublicKey, height }, notify);
  }
  for (const { signerPublicKey, signature } of cosignatures) {
    notify({ kind: "signature", signerPublicKey: bytesOf(signerPublicKey), signature: bytesOf(signature) });
  }
}

/** Publishes the notifications that check whether these cosigners are eligible, and sufficient. */
export function publishCosignatories(
  rules: RuleBook,
  transaction: ExecutableTransaction,
  cosignerPublicKeys: readonly Buffer[],
  notify: Notify,
): void {
  const cosigners = addressesOf(cosignerPublicKeys, rules);
  notify({ kind: "aggregateCosignatures", transaction, cosigners });
  const approvals = new Approvals([transaction.signerAddress, ...cosigners], rules.config.multisig.maxDepth);
  for (const { entity, signerAddress } of transaction.embedded) {
    notify({ kind: "embeddedTransaction", entity, signerAddress, approvals });
  }
}

function addressesOf(publicKeys: readonly Buffer[], { config }: RuleBook): readonly Buffer[] {
  return publicKeys.map((key) => addressOfPublicKey(key, config.networkIdentifier));
}

/** Every signer must be the signer of an embedded transaction, and vice versa. */
function checkStrictly({ transaction, cosigners }: NotificationOf<"aggregateCosignatures">) {
  const signers = new Set([transaction.signerAddress, ...cosigners].map(mapKey));
  const needed = new Set(transaction.embedded.map(({ signerAddress }) => mapKey(signerAddress)));
  if ([...signers].some((signer) => !needed.has(signer))) return "Failure_Aggregate_Ineligible_Cosignatories";
  return [...needed].every((signer) => signers.has(signer)) ? undefined : "Failure_Aggregate_Missing_Cosignatures";
}
