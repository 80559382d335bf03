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
import { unknownEntities } from "../../../catapult/entity/unknown-entities.js";
import { entityNumber } from "../../../catapult/json/entity-id.js";
import { balanceChanges } from "../../../catapult/state/balance-changes.js";
import type { Receipt } from "../../../catapult/structs/receipt.js";
import { idKey } from "../../../database/lists/collections.js";
import type { ReceiptTable, UnknownEntityTable } from "../../../database/tables/chain.js";
import { withEmbeddedFlag } from "../../../database/tables/embedded-flag.js";
import { emptyRows, type Rows } from "./chain-tables.js";
import type { KeyGatherer } from "./key-gatherer.js";
import { registrationRows } from "./registrations.js";

/**
 * Adds all rows of a block. `score` is the chain score up to and including it.
 * @param keys gives the numbers of keys in the rows
 */
export function addBlock(rows: Rows, block: VerifiedBlock, score: bigint, keys: KeyGatherer): void {
  for (const _ of addingBlock({ rows }, block, score, keys));
}

/** The same with a pause after each top-level transaction, in which `target` may be given other rows to add to. */
function* addingBlock(target: { rows: Rows }, block: VerifiedBlock, score: bigint, keys: KeyGatherer): Generator<void> {
  const context = { block, aliases: new BlockAliases(block), keys };
  keys.height = block.height;
  addBlockRow(target.rows, context, score);
  for (const transaction of block.transactions) {
    addTransaction(target.rows, context, transaction);
    yield;
  }
  addStatements(target.rows, context);
  addBalanceChanges(target.rows, context);
  target.rows.unknown_entities.push(...unknownEntityRows(block));
  target.rows.namespace_registrations.push(...registrationRows(block));
}

/** What the rows of a block are made from. */
interface BlockContext {
  readonly block: VerifiedBlock;
  readonly aliases: BlockAliases;
  readonly keys: KeyGatherer;
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
  const { bytes } = context.block;
  const { entity } = transaction;
  const source = { primaryId: transaction.index + 1, secondaryId: 0 };
  addEntity(rows, context, transaction, source, {
    deadline: columnNumber(entity.deadline),
    hash: transaction.hash,
    ...sliceOf(bytes, transaction.bytes),
    embedded_size: asAggregate(entity)?.payload.length ?? 0,
  });
  for (const embedded of transaction.embedded) {
    const own = { deadline: null, hash: null, ...sliceOf(bytes, embedded.entity.bytes), embedded_size: 0 };
    addEntity(rows, context, embedded, { ...source, secondaryId: embedded.index + 1 }, own);
  }
}

/**
 * Adds the rows of a transaction, or of one in an aggregate.
 * @param source of its receipts and resolutions: both numbers count from 1, and the second is 0 outside of aggregates
 */
function addEntity(
  rows: Rows,
  { block, aliases, keys }: BlockContext,
  { entity, relatedAddresses }: BlockTransaction | EmbeddedTransaction,
  source: ReceiptSource,
  own: Omit<Rows["transactions"][number], "id" | "signer" | "recipient" | "type">,
): void {
  const { type } = entity;
  const { primaryId, secondaryId } = source;
  const id = entityNumber(block.height, primaryId - 1, secondaryId);
  const isEmbedded = secondaryId > 0;
  const recipient = findRecipient(entity);
  rows.transactions.push({
    id,
    signer: withEmbeddedFlag(keys.publicKey(entity.signerPublicKey), isEmbedded),
    recipient: recipient && withEmbeddedFlag(keys.address(recipient), isEmbedded),
    type: withEmbeddedFlag(type, isEmbedded),
    ...own,
  });
  for (const [mosaic, amount] of amountsOf(entity, aliases, keys, source)) {
    rows.transaction_mosaics.push({ id, amount: columnNumber(amount), mosaic: withEmbeddedFlag(mosaic, isEmbedded) });
  }
  for (const address of relatedAddresses) {
    rows.transaction_addresses.push({ id, account: withEmbeddedFlag(keys.address(address), isEmbedded), type });
  }
}

/** The recipient of a transfer, a secret lock or a secret proof, unresolved. */
export function findRecipient(entity: EmbeddedEntity): Buffer | null {
  return "recipientAddress" in entity ? entity.recipientAddress : null;
}

/**
 * The amounts of a transfer by number of the mosaic. A mosaic has one by the id in the transaction and, if that is an
 * alias, by the id it resolved to in this block; if the latter is not in the transaction itself, by another key, so that
 * both can be searched separately. Amounts of the same mosaic are summed, so that a mosaic has one amount per transaction.
 */
function* amountsOf(
  entity: EmbeddedEntity,
  aliases: BlockAliases,
  keys: KeyGatherer,
  source: ReceiptSource,
): Generator<[mosaic: number, amount: bigint]> {
  if (entity.kind !== "transfer") return;
  const amounts = new Map<bigint, bigint>();
  const { mosaics } = entity;
  const writtenIds = new Set(mosaics.map(({ mosaicId }) => mosaicId));
  for (const { mosaicId: written, amount } of mosaics) {
    for (const key of new Set([written, aliases.mosaic(written, source)])) {
      amounts.set(key, (amounts.get(key) ?? 0n) + amount);
    }
  }
  for (const [id, amount] of amounts) yield [writtenIds.has(id) ? keys.id(id) : keys.aliasedMosaic(id), amount];
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
  for (const [index, { unresolved, bytes }] of statement.addressResolutions.entries()) {
    const slice = sliceOf(block.statementBytes, bytes);
    rows.address_resolution_statements.push({ id: entityNumber(height, index), unresolved, ...slice });
  }
  for (const [index, { unresolved, bytes }] of statement.mosaicResolutions.entries()) {
    const slice = sliceOf(block.statementBytes, bytes);
    rows.mosaic_resolution_statements.push({
      id: entityNumber(height, index),
      unresolved: idKey(unresolved),
      ...slice,
    });
  }
}

function receiptRow(statementId: bigint, receipt: Receipt, keys: KeyGatherer): Insertable<ReceiptTable> {
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

/** Rows of unknown entities in a block. */
export function unknownEntityRows(block: VerifiedBlock): Insertable<UnknownEntityTable>[] {
  return unknownEntities(block).map(({ index, embeddedIndex, ...entity }) => ({
    id: entityNumber(block.height, index, embeddedIndex === undefined ? 0 : embeddedIndex + 1),
    ...entity,
  }));
}

/** A block, and the chain score up to and including it. */
interface ScoredBlock {
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
