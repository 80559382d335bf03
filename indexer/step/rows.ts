import type { Insertable } from "kysely";
import { totalFee } from "../../catapult/entity/block.js";
import { BlockAliases } from "../../catapult/entity/block-aliases.js";
import type {
  BlockTransaction,
  EmbeddedTransaction,
  Receipt,
  ReceiptSource,
  VerifiedBlock,
} from "../../catapult/entity/model.js";
import type { EmbeddedEntity } from "../../catapult/entity/transaction-entity.js";
import { renderBlock, statementsCount, totalTransactionsCount } from "../../catapult/json/block.js";
import { encodeEntityId, entityIdOf, entityNumber, formatEntityId } from "../../catapult/json/entity-id.js";
import {
  renderAddressResolution,
  renderMosaicResolution,
  renderTransactionStatement,
} from "../../catapult/json/statement.js";
import { renderEmbedded, renderTransaction } from "../../catapult/json/transaction.js";
import { balanceChanges } from "../../catapult/state/balance-changes.js";
import { aliasedMosaicKey, idKey } from "../../database/lists/collections.js";
import type {
  BalanceChangeTable,
  BlockTable,
  RawBlockTable,
  ReceiptTable,
  ResolutionStatementTable,
  TransactionAddressTable,
  TransactionMosaicTable,
  TransactionStatementTable,
  TransactionTable,
  UnknownEntityTable,
} from "../../database/tables/chain.js";
import { unknownEntityRows } from "./unknown-rows.js";

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
  readonly unknown_entities: Insertable<UnknownEntityTable>[];
}

/** No rows; blocks are added by `addBlock`. */
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
    unknown_entities: [],
  };
}

/** Adds all rows of a block, REST bodies rendered. `score` is the chain score up to and including it. */
export function addBlock(rows: Rows, block: VerifiedBlock, score: bigint): void {
  for (const _ of addingBlock({ rows }, block, score));
}

/** The same with a pause after each top-level transaction, in which `target` may be given other rows to add to. */
export function* addingBlock(target: { rows: Rows }, block: VerifiedBlock, score: bigint): Generator<void> {
  addBlockRow(target.rows, block, score);
  const aliases = new BlockAliases(block);
  for (const transaction of block.transactions) {
    addTransaction(target.rows, block, aliases, transaction);
    yield;
  }
  addStatements(target.rows, block);
  for (const row of balanceChangeRows(block)) target.rows.balance_changes.push(row);
  target.rows.unknown_entities.push(...unknownEntityRows(block));
}

/** The balance changes of a block. */
export function balanceChangeRows(block: VerifiedBlock): Insertable<BalanceChangeTable>[] {
  const { height } = block;
  return balanceChanges(block).map(({ address, mosaicId, change }) => ({
    mosaic_id: idKey(mosaicId),
    address,
    height,
    change: columnNumber(change),
  }));
}

/**
 * A number of the chain in the form of a column. Fields are 8 bytes wide and some may have any value (such as the
 * maximum fee); values above the exact range of a column are capped. The document has the full value.
 */
function columnNumber(value: bigint | number): number {
  const most = Number.MAX_SAFE_INTEGER;
  return Math.max(-most, Math.min(most, Number(value)));
}

function addBlockRow(rows: Rows, block: VerifiedBlock, score: bigint): void {
  rows.raw_blocks.push({
    height: block.height,
    block: block.bytes,
    statement: block.statementBytes,
    sub_cache_merkle_roots: Buffer.concat(block.subCacheMerkleRoots),
  });
  rows.blocks.push({
    height: block.height,
    hash: block.hash,
    generation_hash: block.generationHash,
    type: block.entity.type,
    timestamp: block.timestamp,
    difficulty: block.difficulty,
    score,
    fee_multiplier: block.feeMultiplier,
    total_fee: columnNumber(totalFee(block)),
    signer_public_key: block.signerPublicKey,
    signer_address: block.signerAddress,
    beneficiary_address: block.beneficiaryAddress,
    transactions_count: block.transactions.length,
    total_transactions_count: totalTransactionsCount(block),
    statements_count: statementsCount(block),
    size: block.bytes.length,
    document: renderBlock(block, formatEntityId(encodeEntityId(block.height))),
  });
}

/** Paid fee, atomic units: size in bytes times the block's fee multiplier. */
function feeOf(block: VerifiedBlock, transaction: BlockTransaction): number {
  return transaction.bytes.length * block.feeMultiplier;
}

function addTransaction(rows: Rows, block: VerifiedBlock, aliases: BlockAliases, transaction: BlockTransaction): void {
  const id = entityNumber(block.height, transaction.index);
  const { entity } = transaction;
  rows.transactions.push({
    id,
    embedded: false,
    hash: transaction.hash,
    merkle_component_hash: transaction.merkleComponentHash,
    type: entity.type,
    version: entity.version,
    signer_public_key: entity.signerPublicKey,
    signer_address: transaction.signerAddress,
    recipient_address: recipientOf(entity),
    max_fee: columnNumber(entity.maxFee),
    fee: feeOf(block, transaction),
    deadline: columnNumber(entity.deadline),
    size: transaction.bytes.length,
    document: renderTransaction(transaction, block, formatEntityId(entityIdOf(id))),
  });
  addMosaics(rows, id, entity, false, aliases, sourceOf(transaction));
  addAddresses(rows, id, entity.type, transaction.relatedAddresses, false);
  for (const embedded of transaction.embedded) addEmbedded(rows, block, aliases, transaction, embedded);
}

function addEmbedded(
  rows: Rows,
  block: VerifiedBlock,
  aliases: BlockAliases,
  aggregate: BlockTransaction,
  embedded: EmbeddedTransaction,
): void {
  const aggregateId = entityNumber(block.height, aggregate.index);
  const id = aggregateId + BigInt(embedded.index + 1);
  const { entity } = embedded;
  rows.transactions.push({
    id,
    embedded: true,
    hash: null,
    merkle_component_hash: null,
    type: entity.type,
    version: entity.version,
    signer_public_key: entity.signerPublicKey,
    signer_address: embedded.signerAddress,
    recipient_address: recipientOf(entity),
    max_fee: null,
    fee: null,
    deadline: null,
    size: entity.size,
    document: renderEmbedded(
      embedded,
      aggregate,
      block,
      formatEntityId(entityIdOf(id)),
      formatEntityId(entityIdOf(aggregateId)),
    ),
  });
  addMosaics(rows, id, entity, true, aliases, sourceOf(aggregate, embedded));
  addAddresses(rows, id, entity.type, embedded.relatedAddresses, true);
}

/** The source of a transaction's receipts and resolutions: both numbers count from 1. */
function sourceOf(transaction: BlockTransaction, embedded?: EmbeddedTransaction): ReceiptSource {
  return { primaryId: transaction.index + 1, secondaryId: embedded ? embedded.index + 1 : 0 };
}

function addAddresses(rows: Rows, id: bigint, type: number, addresses: readonly Buffer[], embedded: boolean): void {
  for (const address of addresses) rows.transaction_addresses.push({ address, id, embedded, type });
}

/** The recipient of a transfer, a secret lock or a secret proof, unresolved. */
export function recipientOf(entity: EmbeddedEntity): Buffer | null {
  return "recipientAddress" in entity ? entity.recipientAddress : null;
}

/**
 * Transfers only. A mosaic has a row by the id in the transaction and, if that is an alias, by the id it resolved to
 * in this block; if the latter is not in the transaction itself, by another key, so that both can be searched
 * separately. Amounts of the same mosaic are summed, so that a mosaic has one amount per transaction.
 */
function addMosaics(
  rows: Rows,
  id: bigint,
  entity: EmbeddedEntity,
  embedded: boolean,
  aliases: BlockAliases,
  source: ReceiptSource,
): void {
  if (entity.kind !== "transfer") return;
  const amounts = new Map<bigint, bigint>();
  const { mosaics } = entity;
  const writtenIds = new Set(mosaics.map(({ mosaicId }) => mosaicId));
  for (const { mosaicId: written, amount } of mosaics) {
    for (const key of new Set([written, aliases.mosaic(written, source)])) {
      amounts.set(key, (amounts.get(key) ?? 0n) + amount);
    }
  }
  for (const [mosaicId, amount] of amounts) {
    const key = writtenIds.has(mosaicId) ? idKey(mosaicId) : aliasedMosaicKey(mosaicId);
    rows.transaction_mosaics.push({ mosaic_id: key, id, embedded, amount: columnNumber(amount) });
  }
}

function addStatements(rows: Rows, block: VerifiedBlock): void {
  const { statement, height } = block;
  statement.transactionStatements.forEach((transactionStatement, index) => {
    const id = entityNumber(height, index);
    rows.transaction_statements.push({
      id,
      primary_id: transactionStatement.source.primaryId,
      secondary_id: transactionStatement.source.secondaryId,
      hash: transactionStatement.hash,
      document: renderTransactionStatement(statementSource(block, transactionStatement, id)),
    });
    transactionStatement.receipts.forEach((receipt, receiptIndex) => {
      rows.receipts.push(receiptRow(id, receiptIndex, receipt));
    });
  });
  statement.addressResolutions.forEach((resolution, index) => {
    const id = entityNumber(height, index);
    rows.address_resolution_statements.push({
      id,
      unresolved: resolution.unresolved,
      hash: resolution.hash,
      document: renderAddressResolution(statementSource(block, resolution, id)),
    });
  });
  statement.mosaicResolutions.forEach((resolution, index) => {
    const id = entityNumber(height, index);
    rows.mosaic_resolution_statements.push({
      id,
      unresolved: idKey(resolution.unresolved),
      hash: resolution.hash,
      document: renderMosaicResolution(statementSource(block, resolution, id)),
    });
  });
}

function statementSource({ height, timestamp }: VerifiedBlock, { bytes }: { readonly bytes: Buffer }, id: bigint) {
  return { id: formatEntityId(entityIdOf(id)), height, timestamp, bytes };
}

function receiptRow(statementId: bigint, index: number, receipt: Receipt): Insertable<ReceiptTable> {
  return {
    statement_id: statementId,
    index,
    type: receipt.type,
    sender_address: receipt.kind === "balanceTransfer" ? receipt.senderAddress : null,
    recipient_address: receipt.kind === "balanceTransfer" ? receipt.recipientAddress : null,
    target_address: receipt.kind === "balanceChange" ? receipt.targetAddress : null,
    mosaic_id: "mosaicId" in receipt ? idKey(receipt.mosaicId) : null,
    amount: "amount" in receipt ? columnNumber(receipt.amount) : null,
    artifact_id: receipt.kind === "artifactExpiry" ? idKey(receipt.artifactId) : null,
  };
}
