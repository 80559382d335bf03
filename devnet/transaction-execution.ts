import { models } from "symbol-sdk/symbol";
import { addressOfPublicKey, isAliasAddress, isValidAddress, namespaceIdOf } from "../catapult/address.js";
import type { LedgerState } from "./ledger-state.js";
import { accountAt, balanceOf, changeBalance, keyOf, putAccount } from "./ledger-state.js";
import type { DevnetNetwork } from "./network.js";
import type { RefusalName } from "./refusal.js";
import type { StatementWriter } from "./statement-writer.js";

/** A decoded transaction, as the state needs it. */
export interface LedgerTransaction {
  readonly bytes: Buffer;
  readonly entity: models.Transaction;
  /** 32 bytes. */
  readonly hash: Buffer;
  readonly signerAddress: Buffer;
  readonly embedded: readonly { readonly entity: models.EmbeddedTransaction; readonly signerAddress: Buffer }[];
}

/** Where and when a transaction is executed. */
export interface ExecutionContext {
  readonly network: DevnetNetwork;
  readonly height: number;
  /** Milliseconds since the network's epoch. */
  readonly timestamp: number;
  /** Place in the block, from 1. */
  readonly primaryId: number;
  /** What the signer pays, in atomic units. */
  readonly fee: bigint;
  readonly statement: StatementWriter;
}

type Entity = models.Transaction | models.EmbeddedTransaction;

/**
 * Executes a transaction: changes `state`, and writes what it resolved into the statement. Answers why it cannot be
 * done; `state` may then be half changed, so it must be a layer that is thrown away.
 */
export function executeTransaction(
  transaction: LedgerTransaction,
  state: LedgerState,
  context: ExecutionContext,
): RefusalName | undefined {
  const { network, statement } = context;
  statement.setSource({ primaryId: context.primaryId, secondaryId: 0 });
  return (
    checkVersion(transaction) ??
    (context.height === 1 ? undefined : checkDeadline(transaction, context)) ??
    executeBody(transaction, state, context) ??
    debit(state, transaction.signerAddress, network.currencyMosaicId, context.fee) ??
    (context.height === 1 ? undefined : checkSigners(transaction, network))
  );
}

function checkVersion({ entity }: LedgerTransaction): RefusalName | undefined {
  return entity instanceof models.AggregateCompleteTransactionV1 ? "Failure_Aggregate_V1_Prohibited" : undefined;
}

function checkDeadline(
  { entity }: LedgerTransaction,
  { network, timestamp }: ExecutionContext,
): RefusalName | undefined {
  const deadline = entity.deadline.value;
  if (BigInt(timestamp) > deadline) return "Failure_Core_Past_Deadline";
  const last = BigInt(timestamp + network.rules.maxTransactionLifetime);
  return deadline > last ? "Failure_Core_Future_Deadline" : undefined;
}

function checkSigners({ entity }: LedgerTransaction, network: DevnetNetwork): RefusalName | undefined {
  const keys = [entity.signerPublicKey.bytes];
  if (entity instanceof models.AggregateCompleteTransactionV2)
    keys.push(...entity.cosignatures.map((cosignature) => cosignature.signerPublicKey.bytes));
  const isSignedByNemesis = keys.some((key) => network.nemesisPublicKey.equals(key));
  return isSignedByNemesis ? "Failure_Core_Nemesis_Account_Signed_After_Nemesis_Block" : undefined;
}

function executeBody(
  transaction: LedgerTransaction,
  state: LedgerState,
  context: ExecutionContext,
): RefusalName | undefined {
  const { entity, signerAddress } = transaction;
  // signing makes an account known
  putAccount(state, accountAt(state, signerAddress));
  if (entity instanceof models.AggregateCompleteTransactionV2)
    return executeAggregate(transaction, entity, state, context);
  return executeSingle(entity, signerAddress, state, context);
}

function executeAggregate(
  transaction: LedgerTransaction,
  aggregate: models.AggregateCompleteTransactionV2,
  state: LedgerState,
  context: ExecutionContext,
): RefusalName | undefined {
  const signers = new Set(transaction.embedded.map(({ entity }) => keyOf(Buffer.from(entity.signerPublicKey.bytes))));
  const cosigners = [
    aggregate.signerPublicKey,
    ...aggregate.cosignatures.map((cosignature) => cosignature.signerPublicKey),
  ];
  const signed = new Set(cosigners.map((key) => keyOf(Buffer.from(key.bytes))));
  if ([...signed].some((key) => !signers.has(key))) return "Failure_Aggregate_Ineligible_Cosignatories";

  for (const [index, { entity, signerAddress }] of transaction.embedded.entries()) {
    context.statement.setSource({ primaryId: context.primaryId, secondaryId: index + 1 });
    putAccount(state, accountAt(state, signerAddress));
    if (!signed.has(keyOf(Buffer.from(entity.signerPublicKey.bytes)))) return "Failure_Aggregate_Missing_Cosignatures";
    const refusal = executeSingle(entity, signerAddress, state, context);
    if (refusal) return refusal;
  }
  return undefined;
}

function executeSingle(
  entity: Entity,
  signerAddress: Buffer,
  state: LedgerState,
  context: ExecutionContext,
): RefusalName | undefined {
  if (entity instanceof models.TransferTransactionV1 || entity instanceof models.EmbeddedTransferTransactionV1)
    return executeTransfer(entity, signerAddress, state, context);
  if (context.height === 1) return executeNemesis(entity, signerAddress, state, context);
  // a node would take other kinds too; here they are told as what comes nearest to unknown
  return "Failure_Core_Invalid_Version";
}

function executeTransfer(
  entity: models.TransferTransactionV1 | models.EmbeddedTransferTransactionV1,
  signerAddress: Buffer,
  state: LedgerState,
  context: ExecutionContext,
): RefusalName | undefined {
  const { statement } = context;
  const recipient = resolveAddress(Buffer.from(entity.recipientAddress.bytes), state, statement);
  if (recipient[0] !== context.network.rules.networkIdentifier || !isValidAddress(recipient))
    return "Failure_Core_Invalid_Address";
  putAccount(state, accountAt(state, recipient));

  for (const mosaic of entity.mosaics) {
    const id = resolveMosaic(BigInt(mosaic.mosaicId.value), state, statement);
    const amount = BigInt(mosaic.amount.value);
    const refusal = debit(state, signerAddress, id, amount);
    if (refusal) return refusal;
    changeBalance(state, recipient, id, amount);
  }
  return undefined;
}

/** The kinds of transactions that only the nemesis block may hold here. */
function executeNemesis(
  entity: Entity,
  signerAddress: Buffer,
  state: LedgerState,
  { network, statement }: ExecutionContext,
): RefusalName | undefined {
  if (entity instanceof models.NamespaceRegistrationTransactionV1) {
    const id = BigInt(entity.id.value);
    state.namespaces.set(String(id), { id, ownerAddress: signerAddress });
  } else if (entity instanceof models.MosaicDefinitionTransactionV1) {
    const id = BigInt(entity.id.value);
    state.mosaics.set(String(id), { id, ownerAddress: signerAddress, supply: 0n });
  } else if (entity instanceof models.MosaicAliasTransactionV1) {
    const id = BigInt(entity.namespaceId.value);
    state.namespaces.set(String(id), { id, ownerAddress: signerAddress, mosaicId: BigInt(entity.mosaicId.value) });
  } else if (entity instanceof models.AddressAliasTransactionV1) {
    const id = BigInt(entity.namespaceId.value);
    state.namespaces.set(String(id), { id, ownerAddress: signerAddress, address: Buffer.from(entity.address.bytes) });
  } else if (entity instanceof models.MosaicSupplyChangeTransactionV1) {
    const id = resolveMosaic(BigInt(entity.mosaicId.value), state, statement);
    const delta = BigInt(entity.delta.value);
    const mosaic = state.mosaics.get(String(id));
    if (!mosaic) return "Failure_Core_Insufficient_Balance";
    state.mosaics.set(String(id), { ...mosaic, supply: mosaic.supply + delta });
    changeBalance(state, signerAddress, id, delta);
  } else if (entity instanceof models.AccountKeyLinkTransactionV1) {
    const linked = addressOfPublicKey(Buffer.from(entity.linkedPublicKey.bytes), network.rules.networkIdentifier);
    putAccount(state, { ...accountAt(state, linked), harvestsFor: signerAddress });
  } else if (entity instanceof models.VrfKeyLinkTransactionV1) {
    putAccount(state, { ...accountAt(state, signerAddress), vrfPublicKey: Buffer.from(entity.linkedPublicKey.bytes) });
  } else if (entity instanceof models.VotingKeyLinkTransactionV1) {
    putAccount(state, {
      ...accountAt(state, signerAddress),
      votingPublicKey: Buffer.from(entity.linkedPublicKey.bytes),
    });
  } else {
    return "Failure_Core_Invalid_Version";
  }
  return undefined;
}

function debit(state: LedgerState, address: Buffer, mosaicId: bigint, amount: bigint): RefusalName | undefined {
  if (balanceOf(state, address, mosaicId) < amount) return "Failure_Core_Insufficient_Balance";
  if (amount > 0n) changeBalance(state, address, mosaicId, -amount);
  return undefined;
}

function resolveMosaic(id: bigint, state: LedgerState, statement: StatementWriter): bigint {
  const resolved = state.namespaces.get(String(id))?.mosaicId;
  if (resolved === undefined) return id;
  statement.addMosaicResolution(id, resolved);
  return resolved;
}

function resolveAddress(address: Buffer, state: LedgerState, statement: StatementWriter): Buffer {
  if (!isAliasAddress(address)) return address;
  const resolved = state.namespaces.get(String(namespaceIdOf(address)))?.address;
  if (resolved === undefined) return address;
  statement.addAddressResolution(address, resolved);
  return resolved;
}
