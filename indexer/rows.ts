import type { Insertable } from "kysely";
import { models } from "symbol-sdk/symbol";
import { isAliasAddress } from "../catapult/address.js";
import { balanceChanges } from "../catapult/balance-changes.js";
import { totalFee } from "../catapult/block.js";
import { renderBlock, totalTransactionsCount } from "../catapult/json/block.js";
import {
  renderAddressResolution,
  renderMosaicResolution,
  renderTransactionStatement,
} from "../catapult/json/statement.js";
import { renderEmbedded, renderTransaction } from "../catapult/json/transaction.js";
import type {
  BlockTransaction,
  EmbeddedTransaction,
  Receipt,
  ReceiptSource,
  VerifiedBlock,
} from "../catapult/model.js";
import { resolveAddress, resolveMosaic } from "../catapult/statement.js";
import type { BalanceChangeTable } from "../schema/db/balance-changes.js";
import type { BlockTable, RawBlockTable } from "../schema/db/blocks.js";
import { idKey } from "../schema/db/collections.js";
import { encodeEntityId, formatEntityId } from "../schema/db/entity-id.js";
import type { ReceiptTable, ResolutionStatementTable, TransactionStatementTable } from "../schema/db/statements.js";
import type { TransactionAddressTable, TransactionMosaicTable, TransactionTable } from "../schema/db/transactions.js";

/** All rows of one or more blocks, by table. */
export interface Rows {
  readonly raw_blocks: Insertable<RawBlockTable>[];
  readonly blocks: Insertable<BlockTable>[];
  readonly transactions: Insertable<TransactionTable>[];
  readonly transaction_addresses: Insertable<TransactionAddressTable>[];
  readonly transaction_mosaics: Insertable<TransactionMosaicTable>[];
  readonly transaction_statements: Insertable<TransactionStatementTable>[];
  readonly receipts: Insertable<ReceiptTable>[];
  readonly address_resolution_statements: Insertable<ResolutionStatementTable>[];
  readonly mosaic_resolution_statements: Insertable<ResolutionStatementTable>[];
  readonly balance_changes: Insertable<BalanceChangeTable>[];
}

/** Rows of no block; blocks are added by `addBlock`. */
export function emptyRows(): Rows {
  return {
    raw_blocks: [],
    blocks: [],
    transactions: [],
    transaction_addresses: [],
    transaction_mosaics: [],
    transaction_statements: [],
    receipts: [],
    address_resolution_statements: [],
    mosaic_resolution_statements: [],
    balance_changes: [],
  };
}

/** Adds all rows of a block, REST bodies rendered. `score` is the chain's score up to and including it. */
export function addBlock(rows: Rows, block: VerifiedBlock, score: bigint): void {
  for (const _ of addingBlock({ rows }, block, score));
}

/** The same with a pause after each top-level transaction, in which `target` may be given other rows to add to. */
export function* addingBlock(target: { rows: Rows }, block: VerifiedBlock, score: bigint): Generator<void> {
  addBlockRow(target.rows, block, score);
  for (const transaction of block.transactions) {
    addTransaction(target.rows, block, transaction);
    yield;
  }
  addStatements(target.rows, block);
  for (const row of balanceChangeRows(block)) target.rows.balance_changes.push(row);
}

/** What a block did to balances. */
export function balanceChangeRows(block: VerifiedBlock): Insertable<BalanceChangeTable>[] {
  const { height } = block;
  return balanceChanges(block).map(({ address, mosaicId, change }) => ({
    mosaic_id: idKey(mosaicId),
    address,
    height,
    change: Number(change),
  }));
}

function addBlockRow(rows: Rows, block: VerifiedBlock, score: bigint): void {
  const id = encodeEntityId(block.height);
  rows.raw_blocks.push({
    height: block.height,
    block: block.bytes,
    statement: block.statementBytes,
    sub_cache_merkle_roots: Buffer.concat(block.subCacheMerkleRoots),
  });
  rows.blocks.push({
    id,
    height: block.height,
    hash: block.hash,
    generation_hash: block.generationHash,
    type: block.entity.type.value,
    timestamp: block.timestamp,
    difficulty: block.difficulty,
    score,
    fee_multiplier: block.feeMultiplier,
    total_fee: Number(totalFee(block)),
    signer_public_key: block.signerPublicKey,
    signer_address: block.signerAddress,
    beneficiary_address: block.beneficiaryAddress,
    transactions_count: block.transactions.length,
    total_transactions_count: totalTransactionsCount(block),
    statements_count: statementsCount(block),
    size: block.bytes.length,
    document: renderBlock(block, formatEntityId(id)),
  });
}

/** Fee that was paid, atomic units: size in bytes times the block's fee multiplier. */
function feeOf(block: VerifiedBlock, transaction: BlockTransaction): number {
  return transaction.bytes.length * block.feeMultiplier;
}

function statementsCount({ statement }: VerifiedBlock): number {
  return (
    statement.transactionStatements.length + statement.addressResolutions.length + statement.mosaicResolutions.length
  );
}

function addTransaction(rows: Rows, block: VerifiedBlock, transaction: BlockTransaction): void {
  const id = encodeEntityId(block.height, transaction.index);
  const { entity } = transaction;
  rows.transactions.push({
    id,
    embedded: false,
    hash: transaction.hash,
    merkle_component_hash: transaction.merkleComponentHash,
    type: entity.type.value,
    version: entity.version,
    signer_public_key: Buffer.from(entity.signerPublicKey.bytes),
    signer_address: transaction.signerAddress,
    recipient_address: recipientOf(entity),
    max_fee: Number(entity.fee.value),
    fee: feeOf(block, transaction),
    deadline: Number(entity.deadline.value),
    size: transaction.bytes.length,
    document: renderTransaction(transaction, block, formatEntityId(id)),
  });
  addMosaics(rows, id, entity, false, block, sourceOf(transaction));
  const addresses = [...transactionAddresses(block, transaction)];
  for (const embedded of transaction.embedded) addresses.push(...addEmbedded(rows, block, transaction, embedded));
  addAddresses(rows, id, entity.type.value, addresses, false);
}

/** Adds an embedded transaction; returns whom it concerns, because its aggregate concerns them too. */
function addEmbedded(
  rows: Rows,
  block: VerifiedBlock,
  aggregate: BlockTransaction,
  embedded: EmbeddedTransaction,
): Buffer[] {
  const aggregateId = encodeEntityId(block.height, aggregate.index);
  const id = encodeEntityId(block.height, aggregate.index, embedded.index + 1);
  const { entity } = embedded;
  rows.transactions.push({
    id,
    embedded: true,
    hash: null,
    merkle_component_hash: null,
    type: entity.type.value,
    version: entity.version,
    signer_public_key: Buffer.from(entity.signerPublicKey.bytes),
    signer_address: embedded.signerAddress,
    recipient_address: recipientOf(entity),
    max_fee: null,
    fee: null,
    deadline: null,
    size: entity.size,
    document: renderEmbedded(embedded, aggregate, block, formatEntityId(id), formatEntityId(aggregateId)),
  });
  addMosaics(rows, id, entity, true, block, sourceOf(aggregate, embedded));
  const addresses = embeddedAddresses(block, aggregate, embedded);
  addAddresses(rows, id, entity.type.value, addresses, true);
  return addresses;
}

/** The place that receipts and resolutions of a transaction are noted under: both numbers count from 1. */
function sourceOf(transaction: BlockTransaction, embedded?: EmbeddedTransaction): ReceiptSource {
  return { primaryId: transaction.index + 1, secondaryId: embedded ? embedded.index + 1 : 0 };
}

/** Addresses of a transaction as written and, where one is an alias, what it stood for in this block. */
function transactionAddresses(block: VerifiedBlock, transaction: BlockTransaction): Buffer[] {
  const source = sourceOf(transaction);
  return transaction.relatedAddresses.flatMap((address) => withResolved(block, address, source));
}

function embeddedAddresses(block: VerifiedBlock, aggregate: BlockTransaction, embedded: EmbeddedTransaction): Buffer[] {
  const source = sourceOf(aggregate, embedded);
  return embedded.relatedAddresses.flatMap((address) => withResolved(block, address, source));
}

function withResolved(block: VerifiedBlock, address: Buffer, source: ReceiptSource): Buffer[] {
  const resolved = isAliasAddress(address) ? resolveAddress(address, block.statement, source) : undefined;
  return resolved ? [address, resolved] : [address];
}

function addAddresses(rows: Rows, id: Buffer, type: number, addresses: readonly Buffer[], embedded: boolean): void {
  for (const address of distinct(addresses)) rows.transaction_addresses.push({ address, id, embedded, type });
}

/** Everybody whom a transaction of a block concerns, aliases and what they stood for both, without repeats (24 bytes each). */
export function concernedAddresses(block: VerifiedBlock, transaction: BlockTransaction): Buffer[] {
  return distinct([
    ...transactionAddresses(block, transaction),
    ...transaction.embedded.flatMap((embedded) => embeddedAddresses(block, transaction, embedded)),
  ]);
}

function distinct(buffers: readonly Buffer[]): Buffer[] {
  return [...new Map(buffers.map((buffer) => [buffer.toString("hex"), buffer])).values()];
}

/** The recipient of a transfer, a secret lock or a secret proof, as written. */
export function recipientOf(entity: models.Transaction | models.EmbeddedTransaction): Buffer | null {
  const { recipientAddress } = entity as { recipientAddress?: models.UnresolvedAddress };
  return recipientAddress ? Buffer.from(recipientAddress.bytes) : null;
}

/**
 * Transfers only. A mosaic stands by the id that was written and, where that is an alias, by the id it stood for in
 * this block. Amounts of the same mosaic are added up, so that a mosaic has one amount in a transaction.
 */
function addMosaics(
  rows: Rows,
  id: Buffer,
  entity: models.Transaction | models.EmbeddedTransaction,
  embedded: boolean,
  block: VerifiedBlock,
  source: ReceiptSource,
): void {
  if (!isTransfer(entity)) return;
  const amounts = new Map<bigint, bigint>();
  for (const { mosaicId, amount } of entity.mosaics as models.UnresolvedMosaic[]) {
    const written = BigInt(mosaicId.value);
    const resolved = resolveMosaic(written, block.statement, source);
    for (const key of new Set([written, resolved ?? written])) {
      amounts.set(key, (amounts.get(key) ?? 0n) + BigInt(amount.value));
    }
  }
  for (const [mosaicId, amount] of amounts) {
    rows.transaction_mosaics.push({ mosaic_id: idKey(mosaicId), id, embedded, amount: Number(amount) });
  }
}

/** Whether an entity moves mosaics by itself: a transfer, embedded or not. */
export function isTransfer(
  entity: object,
): entity is models.TransferTransactionV1 | models.EmbeddedTransferTransactionV1 {
  return entity instanceof models.TransferTransactionV1 || entity instanceof models.EmbeddedTransferTransactionV1;
}

function addStatements(rows: Rows, block: VerifiedBlock): void {
  const { statement, height } = block;
  statement.transactionStatements.forEach((transactionStatement, index) => {
    const id = encodeEntityId(height, index);
    rows.transaction_statements.push({
      id,
      primary_id: transactionStatement.source.primaryId,
      secondary_id: transactionStatement.source.secondaryId,
      hash: transactionStatement.hash,
      document: renderTransactionStatement(transactionStatement, block, formatEntityId(id)),
    });
    transactionStatement.receipts.forEach((receipt, receiptIndex) => {
      rows.receipts.push(receiptRow(id, receiptIndex, receipt));
    });
  });
  statement.addressResolutions.forEach((resolution, index) => {
    const id = encodeEntityId(height, index);
    rows.address_resolution_statements.push({
      id,
      unresolved: resolution.unresolved,
      hash: resolution.hash,
      document: renderAddressResolution(resolution, block, formatEntityId(id)),
    });
  });
  statement.mosaicResolutions.forEach((resolution, index) => {
    const id = encodeEntityId(height, index);
    rows.mosaic_resolution_statements.push({
      id,
      unresolved: idKey(resolution.unresolved),
      hash: resolution.hash,
      document: renderMosaicResolution(resolution, block, formatEntityId(id)),
    });
  });
}

function receiptRow(statementId: Buffer, index: number, receipt: Receipt): Insertable<ReceiptTable> {
  return {
    statement_id: statementId,
    index,
    type: receipt.type,
    sender_address: receipt.kind === "balanceTransfer" ? receipt.senderAddress : null,
    recipient_address: receipt.kind === "balanceTransfer" ? receipt.recipientAddress : null,
    target_address: receipt.kind === "balanceChange" ? receipt.targetAddress : null,
    mosaic_id: "mosaicId" in receipt ? idKey(receipt.mosaicId) : null,
    amount: "amount" in receipt ? Number(receipt.amount) : null,
    artifact_id: receipt.kind === "artifactExpiry" ? idKey(receipt.artifactId) : null,
  };
}
