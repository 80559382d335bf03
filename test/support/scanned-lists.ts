import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { findHarvester } from "../../catapult/entity/harvester.js";
import type { ReceiptSource, VerifiedBlock } from "../../catapult/entity/model.js";
import { compareSources } from "../../catapult/entity/statement.js";
import { decodeEntityId, encodeEntityId } from "../../catapult/json/entity-id.js";
import type { Receipt } from "../../catapult/structs/receipt.js";
import { idKey } from "../../database/lists/collections.js";
import type { PageRequest } from "../../database/lists/list.js";
import type { HeightFilter, Pagination } from "../../database/lists/page.js";
import type { BlockFilter } from "../../database/queries/blocks.js";
import type { TransactionStatementFilter } from "../../database/queries/statements.js";
import type { TransactionFilter } from "../../database/queries/transactions.js";
import { statementsOf, type TransactionEntry, transactionsOf } from "./block-entries.js";

/*
 * The simplest way to answer a search over a chain: scan everything. The database's answers are compared with it.
 */

interface Account {
  readonly publicKey: Buffer;
  readonly address: Buffer;
}

type Blocks = readonly VerifiedBlock[];

/** Ids (12 bytes) of the matching blocks, ascending. */
export function blockIds(blocks: Blocks, filter: BlockFilter): Buffer[] {
  const { signerPublicKey, beneficiaryAddress, harvesterAddress } = filter;
  const { fromTimestamp = 0, toTimestamp = Number.MAX_SAFE_INTEGER } = filter;
  return blocks
    .filter((block) => !signerPublicKey || block.signerPublicKey.equals(signerPublicKey))
    .filter((block) => !beneficiaryAddress || block.beneficiaryAddress.equals(beneficiaryAddress))
    .filter((block) => !harvesterAddress || findHarvester(block).equals(harvesterAddress))
    .filter(({ timestamp }) => timestamp >= fromTimestamp && timestamp <= toTimestamp)
    .map(({ height }) => encodeEntityId(height));
}

/** Ids of the matching transactions, ascending. */
export function transactionIds(blocks: Blocks, filter: TransactionFilter): Buffer[] {
  return blocks
    .flatMap((block) => transactionsOf(block).filter((transaction) => isWanted(block, transaction, filter)))
    .map(({ id }) => id)
    .filter((id) => isWithin(id, filter));
}

function isWanted(block: VerifiedBlock, transaction: TransactionEntry, filter: TransactionFilter): boolean {
  const { address, signerPublicKey, recipientAddress, types, embedded, transferMosaicId } = filter;
  const { fromTransferAmount = 0n, toTransferAmount = 2n ** 64n } = filter;
  const { entity } = transaction;
  const recipient = "recipientAddress" in entity ? entity.recipientAddress : undefined;
  if (transaction.embedded && !embedded) return false;
  if (address && !transaction.addresses.some((concerned) => concerned.equals(address))) return false;
  if (signerPublicKey && !entity.signerPublicKey.equals(signerPublicKey)) return false;
  if (recipientAddress && !recipient?.equals(recipientAddress)) return false;
  if (types && !types.includes(entity.type)) return false;
  if (transferMosaicId === undefined) return true;
  const amount = amountOf(block, transaction, transferMosaicId);
  return amount !== undefined && amount >= fromTransferAmount && amount <= toTransferAmount;
}

/** What a transfer moves of a mosaic, by its id or an alias; undefined if it does not. */
function amountOf(block: VerifiedBlock, { id, entity }: TransactionEntry, mosaicId: bigint): bigint | undefined {
  if (entity.kind !== "transfer") return undefined;
  const { index, embeddedIndex } = decodeEntityId(id);
  const source = { primaryId: index + 1, secondaryId: embeddedIndex };
  const amounts = entity.mosaics
    .filter((one) => one.mosaicId === mosaicId || resolved(block, one.mosaicId, source) === mosaicId)
    .map(({ amount }) => amount);
  return amounts.length > 0 ? amounts.reduce((sum, amount) => sum + amount) : undefined;
}

function resolved({ statement }: VerifiedBlock, alias: bigint, source: ReceiptSource): bigint | undefined {
  const resolution = statement.mosaicResolutions.find(({ unresolved }) => unresolved === alias);
  return resolution?.entries.findLast((entry) => compareSources(entry.source, source) <= 0)?.resolved;
}

/** Ids of the matching transaction statements, ascending. */
export function statementIds(blocks: Blocks, filter: TransactionStatementFilter): Buffer[] {
  return blocks
    .flatMap(statementsOf)
    .filter(({ receipts }) => receipts.some((receipt) => isOf(receipt, filter)))
    .map(({ id }) => id)
    .filter((id) => isWithin(id, filter));
}

function isOf(receipt: Receipt, filter: TransactionStatementFilter): boolean {
  const { receiptTypes, senderAddress, recipientAddress, targetAddress, artifactId } = filter;
  const has = (name: string, wanted: Buffer | undefined) =>
    !wanted || Boolean((receipt as unknown as Record<string, Buffer | undefined>)[name]?.equals(wanted));
  return (
    (!receiptTypes || receiptTypes.includes(receipt.type)) &&
    has("senderAddress", senderAddress) &&
    has("recipientAddress", recipientAddress) &&
    has("targetAddress", targetAddress) &&
    (artifactId === undefined || ("artifactId" in receipt && receipt.artifactId === artifactId))
  );
}

/** Ids of the resolution statements of a kind within heights, ascending. */
export function resolutionIds(
  blocks: Blocks,
  kind: "addressResolutions" | "mosaicResolutions",
  filter: HeightFilter,
): Buffer[] {
  return blocks
    .flatMap(({ height, statement }) => statement[kind].map((_, index) => encodeEntityId(height, index)))
    .filter((id) => isWithin(id, filter));
}

function isWithin(id: Buffer, { height, fromHeight = 0, toHeight = Number.MAX_SAFE_INTEGER }: HeightFilter): boolean {
  const { height: at } = decodeEntityId(id);
  return at >= fromHeight && at <= toHeight && (height === undefined || at === height);
}

/** The page of a list of ascending ids, as hex digits, with its pagination. */
export function pageOf(
  ids: readonly Buffer[],
  { pageNumber, pageSize, order, offset }: PageRequest,
): { ids: string[]; pagination: Pagination } {
  const ordered = order === "asc" ? ids : ids.toReversed();
  const behind = ordered.filter((id) => !offset || (order === "asc" ? id.compare(offset) > 0 : id.compare(offset) < 0));
  const start = (pageNumber - 1) * pageSize;
  return {
    ids: behind.slice(start, start + pageSize).map((id) => id.toString("hex")),
    pagination: { pageNumber, pageSize, totalEntries: ids.length, totalPages: Math.ceil(ids.length / pageSize) },
  };
}

/** What searches of a chain look for: accounts by the number of their transactions, and what transfers have most. */
export function searchedFor(blocks: Blocks) {
  const entries = blocks.flatMap(transactionsOf);
  const signers = mostFrequent(entries.map(({ entity }) => entity.signerPublicKey)).map((publicKey) => {
    return { publicKey, address: addressOfPublicKey(publicKey, blocks[0]!.entity.network) };
  });
  const recipients = entries.flatMap(({ entity }) => ("recipientAddress" in entity ? [entity.recipientAddress] : []));
  const mosaics = entries.flatMap(({ entity }) => (entity.kind === "transfer" ? entity.mosaics : []));
  const receipts = blocks.flatMap(statementsOf).flatMap((one) => one.receipts);
  const fees = receipts.flatMap((one) => (one.kind === "balanceTransfer" ? [one] : []));
  const [busy, second] = signers as [Account, Account];
  return {
    busy,
    second,
    rare: signers.at(-1)!,
    recipient: mostFrequent(recipients)[0]!,
    mosaics: mostFrequent(mosaics.map(({ mosaicId }) => idKey(mosaicId))).map((key) => key.readBigUInt64BE()),
    harvester: findHarvester(blocks.at(-1)!),
    payer: mostFrequent(fees.map(({ senderAddress }) => senderAddress))[0]!,
    sink: mostFrequent(fees.map(({ recipientAddress }) => recipientAddress))[0]!,
    expired: receipts.flatMap((one) => (one.kind === "artifactExpiry" ? [one.artifactId] : []))[0]!,
  };
}

function mostFrequent(values: readonly Buffer[]): Buffer[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value.toString("hex"), (counts.get(value.toString("hex")) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([value]) => Buffer.from(value, "hex"));
}
