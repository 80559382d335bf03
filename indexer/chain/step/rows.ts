import type { Insertable } from "kysely";
import { totalFee, totalTransactionsCount } from "../../../catapult/entity/block.js";
import { BlockAliases } from "../../../catapult/entity/block-aliases.js";
import { findHarvester } from "../../../catapult/entity/harvester.js";
import type {
  BlockTransaction,
  EmbeddedTransaction,
  ReceiptSource,
  VerifiedBlock,
} from "../../../catapult/entity/model.js";
import { statementsCount } from "../../../catapult/entity/statement.js";
import { asAggregate } from "../../../catapult/entity/transaction.js";
import type { EmbeddedEntity } from "../../../catapult/entity/transaction-entity.js";
import { entityNumber } from "../../../catapult/json/entity-id.js";
import { balanceChanges } from "../../../catapult/state/balance-changes.js";
import type { Receipt } from "../../../catapult/structs/receipt.js";
import { idKey, KeyKind } from "../../../database/lists/collections.js";
import type {
  BalanceChangeTable,
  BlockTable,
  ReceiptTable,
  ResolutionStatementTable,
  TransactionAddressTable,
  TransactionMosaicTable,
  TransactionStatementTable,
  TransactionTable,
  UnknownEntityTable,
} from "../../../database/tables/chain.js";
import { withEmbeddedFlag } from "../../../database/tables/embedded-flag.js";
import type { KeyGatherer } from "./key-gatherer.js";
import { unknownEntityRows } from "./unknown-rows.js";

/** All rows of one or more blocks, by table, without those of their bytes. */
export interface Rows {
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

/**
 * Adds all rows of a block. `score` is the chain score up to and including it.
 * @param keys gives the numbers of keys in the rows
 */
export function addBlock(rows: Rows, block: VerifiedBlock, score: bigint, keys: KeyGatherer): void {
  for (const _ of addingBlock({ rows }, block, score, keys));
}

/** The same with a pause after each top-level transaction, in which `target` may be given other rows to add to. */
export function* addingBlock(
  target: { rows: Rows },
  block: VerifiedBlock,
  score: bigint,
  keys: KeyGatherer,
): Generator<void> {
  const context = { block, aliases: new BlockAliases(block), keys: new BlockKeys(keys, block.height) };
  addBlockRow(target.rows, context, score);
  for (const transaction of block.transactions) {
    addTransaction(target.rows, context, transaction);
    yield;
  }
  addStatements(target.rows, context);
  addBalanceChanges(target.rows, context);
  target.rows.unknown_entities.push(...unknownEntityRows(block));
}

/** What the rows of a block are made from. */
interface BlockContext {
  readonly block: VerifiedBlock;
  readonly aliases: BlockAliases;
  readonly keys: BlockKeys;
}

/** Local numbers of the keys that a block names. */
class BlockKeys {
  readonly #keys: KeyGatherer;
  readonly #height: number;

  constructor(keys: KeyGatherer, height: number) {
    this.#keys = keys;
    this.#height = height;
  }

  address(address: Buffer): number {
    return this.#keys.number(KeyKind.address, address, this.#height);
  }

  publicKey(publicKey: Buffer): number {
    return this.#keys.number(KeyKind.publicKey, publicKey, this.#height);
  }

  id(id: bigint): number {
    return this.#keys.numberOfId(KeyKind.id, id, this.#height);
  }

  aliasedMosaic(id: bigint): number {
    return this.#keys.numberOfId(KeyKind.aliasedMosaic, id, this.#height);
  }
}

function addBalanceChanges(rows: Rows, { block, keys }: BlockContext): void {
  const { height } = block;
  for (const { address, mosaicId, change, received } of balanceChanges(block)) {
    rows.balance_changes.push({
      ...{ mosaic: keys.id(mosaicId), account: keys.address(address), height },
      change: columnNumber(change),
      received: received === undefined ? null : columnNumber(received),
    });
  }
}

/**
 * A number of the chain in the form of a column. Fields are 8 bytes wide and some may have any value (such as the
 * maximum fee); values above the exact range of a column are capped. Bodies have the full value.
 */
function columnNumber(value: bigint | number): number {
  const max = Number.MAX_SAFE_INTEGER;
  return Math.max(-max, Math.min(max, Number(value)));
}

/** Where a part is in the bytes that it is a view of. @throws RangeError when it is not a view of them */
export function sliceOf(whole: Buffer, part: Buffer): { position: number; size: number } {
  const position = part.byteOffset - whole.byteOffset;
  if (part.buffer !== whole.buffer || position < 0 || position + part.length > whole.length)
    throw new RangeError("An entity is not part of the bytes of its block");
  return { position, size: part.length };
}

function addBlockRow(rows: Rows, { block, keys }: BlockContext, score: bigint): void {
  rows.blocks.push({
    timestamp: block.timestamp,
    fee_multiplier: block.feeMultiplier,
    total_fee: totalFee(block),
    height: block.height,
    signer: keys.publicKey(block.signerPublicKey),
    beneficiary: keys.address(block.beneficiaryAddress),
    harvester: keys.address(findHarvester(block)),
    transactions_count: block.transactions.length,
    total_transactions_count: totalTransactionsCount(block),
    statements_count: statementsCount(block.statement),
    header_size: block.headerSize,
    difficulty: block.difficulty,
    score,
    hash: block.hash,
    generation_hash: block.generationHash,
  });
}

function addTransaction(rows: Rows, context: BlockContext, transaction: BlockTransaction): void {
  const { block } = context;
  const id = entityNumber(block.height, transaction.index);
  const { entity } = transaction;
  rows.transactions.push({
    id,
    deadline: columnNumber(entity.deadline),
    ...findParties(entity, context, false),
    hash: transaction.hash,
    ...sliceOf(block.bytes, transaction.bytes),
    embedded_size: asAggregate(entity)?.payload.length ?? 0,
  });
  addMosaics(rows, context, id, entity, sourceOf(transaction));
  addAddresses(rows, context, id, entity.type, transaction.relatedAddresses, false);
  for (const embedded of transaction.embedded) addEmbedded(rows, context, transaction, embedded);
}

function addEmbedded(
  rows: Rows,
  context: BlockContext,
  aggregate: BlockTransaction,
  embedded: EmbeddedTransaction,
): void {
  const { block } = context;
  const id = entityNumber(block.height, aggregate.index, embedded.index + 1);
  const { entity } = embedded;
  rows.transactions.push({
    id,
    deadline: null,
    ...findParties(entity, context, true),
    hash: null,
    ...sliceOf(block.bytes, entity.bytes),
    embedded_size: 0,
  });
  addMosaics(rows, context, id, entity, sourceOf(aggregate, embedded));
  addAddresses(rows, context, id, entity.type, embedded.relatedAddresses, true);
}

/** The flagged columns of a transaction. */
function findParties(entity: EmbeddedEntity, { keys }: BlockContext, embedded: boolean) {
  const recipient = findRecipient(entity);
  return {
    signer: withEmbeddedFlag(keys.publicKey(entity.signerPublicKey), embedded),
    recipient: recipient && withEmbeddedFlag(keys.address(recipient), embedded),
    type: withEmbeddedFlag(entity.type, embedded),
  };
}

/** The source of a transaction's receipts and resolutions: both numbers count from 1. */
function sourceOf(transaction: BlockTransaction, embedded?: EmbeddedTransaction): ReceiptSource {
  return { primaryId: transaction.index + 1, secondaryId: embedded ? embedded.index + 1 : 0 };
}

function addAddresses(
  rows: Rows,
  { keys }: BlockContext,
  id: bigint,
  type: number,
  addresses: readonly Buffer[],
  embedded: boolean,
): void {
  for (const address of addresses) {
    rows.transaction_addresses.push({ id, account: withEmbeddedFlag(keys.address(address), embedded), type });
  }
}

/** The recipient of a transfer, a secret lock or a secret proof, unresolved. */
export function findRecipient(entity: EmbeddedEntity): Buffer | null {
  return "recipientAddress" in entity ? entity.recipientAddress : null;
}

/**
 * Transfers only. A mosaic has a row by the id in the transaction and, if that is an alias, by the id it resolved to
 * in this block; if the latter is not in the transaction itself, by another key, so that both can be searched
 * separately. Amounts of the same mosaic are summed, so that a mosaic has one amount per transaction.
 */
function addMosaics(
  rows: Rows,
  { aliases, keys }: BlockContext,
  id: bigint,
  entity: EmbeddedEntity,
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
    const number = writtenIds.has(mosaicId) ? keys.id(mosaicId) : keys.aliasedMosaic(mosaicId);
    const mosaic = withEmbeddedFlag(number, source.secondaryId > 0);
    rows.transaction_mosaics.push({ id, amount: columnNumber(amount), mosaic });
  }
}

function addStatements(rows: Rows, { block, keys }: BlockContext): void {
  const { statement, height } = block;
  statement.transactionStatements.forEach((transactionStatement, index) => {
    const id = entityNumber(height, index);
    rows.transaction_statements.push({
      id,
      primary_id: transactionStatement.source.primaryId,
      secondary_id: transactionStatement.source.secondaryId,
      ...sliceOf(block.statementBytes, transactionStatement.bytes),
    });
    for (const receipt of transactionStatement.receipts) rows.receipts.push(receiptRow(id, receipt, keys));
  });
  statement.addressResolutions.forEach((resolution, index) => {
    const id = entityNumber(height, index);
    rows.address_resolution_statements.push({
      id,
      unresolved: resolution.unresolved,
      ...sliceOf(block.statementBytes, resolution.bytes),
    });
  });
  statement.mosaicResolutions.forEach((resolution, index) => {
    const id = entityNumber(height, index);
    rows.mosaic_resolution_statements.push({
      id,
      unresolved: idKey(resolution.unresolved),
      ...sliceOf(block.statementBytes, resolution.bytes),
    });
  });
}

function receiptRow(statementId: bigint, receipt: Receipt, keys: BlockKeys): Insertable<ReceiptTable> {
  const { kind } = receipt;
  return {
    statement_id: statementId,
    amount: "amount" in receipt ? columnNumber(receipt.amount) : null,
    sender: kind === "balanceTransfer" ? keys.address(receipt.senderAddress) : null,
    recipient: kind === "balanceTransfer" ? keys.address(receipt.recipientAddress) : null,
    target: kind === "balanceChange" ? keys.address(receipt.targetAddress) : null,
    artifact: kind === "artifactExpiry" ? keys.id(receipt.artifactId) : null,
    type: receipt.type,
  };
}

/** A block, and the chain score up to and including it. */
export interface ScoredBlock {
  readonly block: VerifiedBlock;
  readonly score: bigint;
}

/** Rows of transactions, including embedded ones, after which a portion ends. */
const PORTION_TRANSACTIONS = 500;

/**
 * All rows of blocks, some at a time: so the rows of a block with tens of thousands of transactions are never in memory
 * completely.
 * @param keys gives the numbers of keys in the rows
 */
export function* rowPortions(blocks: Iterable<ScoredBlock>, keys: KeyGatherer): Generator<Rows> {
  const target = { rows: emptyRows() };
  for (const { block, score } of blocks) {
    for (const _ of addingBlock(target, block, score, keys)) {
      if (target.rows.transactions.length < PORTION_TRANSACTIONS) continue;
      yield target.rows;
      target.rows = emptyRows();
    }
  }
  yield target.rows;
}
