import { totalFee } from "../../catapult/entity/block.js";
import { BLOCK_VERSION } from "../../catapult/entity/entity-layout.js";
import { asAggregate } from "../../catapult/entity/transaction.js";
import { isAggregateType, TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { addressAt } from "../config/network-config.js";
import { maxAggregateVersion, publishAggregate } from "../rules/aggregate.js";
import type { ExecutableBlock, ExecutableTransaction, Notify } from "../rules/notifications.js";
import type { RuleBook } from "../rules/rule-book.js";
import { bytesOf } from "../rules/wire.js";

/**
 * Publishes a transaction (catapult `model/NotificationPublisher`): the common notifications, those of its type, and
 * finally its fee. In blocks below the height of `totalVotingBalanceCalculationFix`, the fee comes before those of its
 * type: there it cannot be paid from what the transaction itself brings.
 *
 * @param fee atomic units that the signer pays.
 * @param height of its block; 0 for an unconfirmed transaction.
 */
export function publishTransaction(
  rules: RuleBook,
  transaction: ExecutableTransaction,
  fee: bigint,
  height: number,
  notify: Notify,
): void {
  publishBeforeBody(rules, transaction, fee, notify);
  const isFeeLast = height === 0 || height >= rules.config.forkHeights.totalVotingBalanceCalculationFix;
  if (!isFeeLast) publishFee(rules, transaction, fee, notify);
  publishBody(rules, transaction, height, notify);
  if (isFeeLast) publishFee(rules, transaction, fee, notify);
}

/** Publishes the common notifications of all transactions, without those of the type. */
export function publishWithoutBody(
  rules: RuleBook,
  transaction: ExecutableTransaction,
  fee: bigint,
  notify: Notify,
): void {
  publishBeforeBody(rules, transaction, fee, notify);
  publishFee(rules, transaction, fee, notify);
}

/** Publishes the notifications of a transaction's type. */
export function publishBody(rules: RuleBook, transaction: ExecutableTransaction, height: number, notify: Notify): void {
  const { entity, signerAddress } = transaction;
  const aggregate = asAggregate(entity);
  if (aggregate) {
    publishAggregate(rules, transaction, aggregate.cosignatures, height, notify);
  } else {
    rules.publishEntity(entity, { signerAddress, signerPublicKey: bytesOf(entity.signerPublicKey), height }, notify);
  }
}

function publishBeforeBody(rules: RuleBook, transaction: ExecutableTransaction, fee: bigint, notify: Notify): void {
  const { entity, hash, bytes, signerAddress: sender } = transaction;
  const type = entity.type;
  const maxVersion = isAggregateType(type) ? maxAggregateVersion(rules.config) : 1;
  const maxLifetime = type === TRANSACTION_TYPE.aggregate_bonded ? rules.config.aggregate.maxBondedLifetime : 0;
  notify({ kind: "sourceChange", to: "transaction" });
  notify({ kind: "accountPublicKey", publicKey: bytesOf(entity.signerPublicKey) });
  notify({ kind: "entity", network: entity.network, type, version: entity.version, maxVersion });
  notify({ kind: "transaction", sender, hash, type });
  notify({ kind: "transactionDeadline", deadline: entity.deadline, maxLifetime });
  notify({ kind: "transactionFee", sender, size: bytes.length, fee, maxFee: entity.maxFee });
}

function publishFee(rules: RuleBook, transaction: ExecutableTransaction, fee: bigint, notify: Notify): void {
  const { entity, signerAddress: sender } = transaction;
  notify({ kind: "balanceDebit", sender, mosaicId: rules.config.currencyMosaicId, amount: fee });
  notify({
    kind: "signature",
    signerPublicKey: bytesOf(entity.signerPublicKey),
    signature: bytesOf(entity.signature),
  });
}

/**
 * Publishes a block itself, without its transactions, which come before it. Its type and its footer are rules of the
 * header: see `header-rules.ts`.
 */
export function publishBlock(block: ExecutableBlock, notify: Notify): void {
  const { signerPublicKey, signerAddress: harvester, beneficiaryAddress: beneficiary, feeMultiplier, entity } = block;
  notify({ kind: "sourceChange", to: "block" });
  notify({ kind: "accountPublicKey", publicKey: signerPublicKey });
  if (!harvester.equals(beneficiary)) notify({ kind: "accountAddress", address: beneficiary, isResolved: true });
  if (entity) {
    const { network, type, version } = entity;
    notify({ kind: "entity", network, type, version, maxVersion: BLOCK_VERSION });
  }
  notify({
    kind: "block",
    harvester,
    beneficiary,
    feeMultiplier,
    totalFee: totalFee(block),
    isNemesis: block.height === 1,
    transactionCount: block.transactions.reduce((sum, { embedded }) => sum + 1 + embedded.length, 0),
  });
  if (entity) notify({ kind: "signature", signerPublicKey, signature: bytesOf(entity.signature) });
}

/** Before each entity of the nemesis block, the network's fee sink is created, if it receives a share of the fees. */
export function publishNemesisPrelude({ config }: RuleBook, notify: Notify): void {
  if (config.harvestNetworkPercentage === 0n) return;
  notify({ kind: "accountAddress", address: addressAt(config.harvestNetworkFeeSink, 1) });
}
