import { decodeEntityId } from "../../catapult/json/entity-id.js";
import { idKey } from "../../database/lists/collections.js";
import type { PageRequest } from "../../database/lists/list.js";
import type { HeightFilter, Pagination } from "../../database/lists/page.js";
import type { BlockFilter } from "../../database/queries/blocks.js";
import type { TransactionStatementFilter } from "../../database/queries/statements.js";
import type { TransactionFilter } from "../../database/queries/transactions.js";
import type { SyntheticBlock, SyntheticStatement, SyntheticTransaction } from "./synthetic-chain.js";

/*
 * The simplest way to answer a search over a synthetic chain: scan everything. The database's answers are
 * compared with it.
 */

/** Ids (12 bytes) of the matching blocks, ascending. */
export function blockIds(blocks: readonly SyntheticBlock[], filter: BlockFilter): Buffer[] {
  const { signerPublicKey, beneficiaryAddress, harvesterAddress } = filter;
  const { fromTimestamp = 0, toTimestamp = Number.MAX_SAFE_INTEGER } = filter;
  return blocks
    .map(({ row }) => row)
    .filter((row) => !signerPublicKey || row.signer_public_key.equals(signerPublicKey))
    .filter((row) => !beneficiaryAddress || row.beneficiary_address.equals(beneficiaryAddress))
    .filter((row) => !harvesterAddress || row.harvester_address.equals(harvesterAddress))
    .filter((row) => row.timestamp >= fromTimestamp && row.timestamp <= toTimestamp)
    .map(({ id }) => id);
}

/** Ids of the matching transactions, ascending. */
export function transactionIds(blocks: readonly SyntheticBlock[], filter: TransactionFilter): Buffer[] {
  return blocks
    .flatMap(({ transactions }) => transactions)
    .filter((transaction) => isWanted(transaction, filter))
    .map(({ row }) => row.id)
    .filter((id) => isWithin(id, filter));
}

function isWanted({ row, addresses, mosaics }: SyntheticTransaction, filter: TransactionFilter): boolean {
  const { address, signerPublicKey, recipientAddress, types, embedded, transferMosaicId } = filter;
  const { fromTransferAmount = 0n, toTransferAmount = 2n ** 64n } = filter;
  if (row.embedded && !embedded) return false;
  if (address && !addresses.some((concerned) => concerned.equals(address))) return false;
  if (signerPublicKey && !row.signer_public_key.equals(signerPublicKey)) return false;
  if (recipientAddress && !row.recipient_address?.equals(recipientAddress)) return false;
  if (types && !types.includes(row.type)) return false;
  if (transferMosaicId === undefined) return true;
  return mosaics.some(
    ({ mosaic_id, amount }) =>
      mosaic_id.equals(idKey(transferMosaicId)) && amount >= fromTransferAmount && amount <= toTransferAmount,
  );
}

/** Ids of the matching transaction statements, ascending. */
export function statementIds(blocks: readonly SyntheticBlock[], filter: TransactionStatementFilter): Buffer[] {
  return blocks
    .flatMap(({ statements }) => statements)
    .filter((statement) => hasReceipt(statement, filter))
    .map(({ row }) => row.id)
    .filter((id) => isWithin(id, filter));
}

function hasReceipt({ receipts }: SyntheticStatement, filter: TransactionStatementFilter): boolean {
  const { receiptTypes, senderAddress, recipientAddress, targetAddress, artifactId } = filter;
  return receipts.some(
    (receipt) =>
      (!receiptTypes || receiptTypes.includes(receipt.type)) &&
      (!senderAddress || receipt.sender_address?.equals(senderAddress)) &&
      (!recipientAddress || receipt.recipient_address?.equals(recipientAddress)) &&
      (!targetAddress || receipt.target_address?.equals(targetAddress)) &&
      (artifactId === undefined || receipt.artifact_id?.equals(idKey(artifactId))),
  );
}

/** Ids of the resolution statements of a kind within heights, ascending. */
export function resolutionIds(
  blocks: readonly SyntheticBlock[],
  kind: "addressResolutions" | "mosaicResolutions",
  filter: HeightFilter,
): Buffer[] {
  return blocks
    .flatMap((block) => block[kind])
    .map(({ id }) => id)
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
