import { isAliasAddress } from "./address.js";
import type { BlockStatement, BlockTransaction, ReceiptSource } from "./model.js";
import { RECEIPT_TYPE } from "./receipt.js";
import { uniqueAddresses } from "./related-addresses.js";
import { resolveAddress } from "./statement.js";

const RENTAL_FEES: readonly number[] = [RECEIPT_TYPE.mosaicRentalFee, RECEIPT_TYPE.namespaceRentalFee];

/** The accounts that received a rental fee, by the source that paid it. */
function paidSinks(statement: BlockStatement): Map<string, Buffer[]> {
  const sinks = new Map<string, Buffer[]>();
  for (const { source, receipts } of statement.transactionStatements)
    for (const receipt of receipts)
      if (receipt.kind === "balanceTransfer" && RENTAL_FEES.includes(receipt.type))
        sinks.set(sourceName(source), [...(sinks.get(sourceName(source)) ?? []), receipt.recipientAddress]);
  return sinks;
}

function sourceName({ primaryId, secondaryId }: ReceiptSource): string {
  return `${primaryId}.${secondaryId}`;
}

/**
 * Completes the related addresses of a block's transactions by what its receipts say: the account behind each alias, and
 * the sink of each rental fee that was paid; aliases themselves stay.
 * Source: catapult's `addressextraction/AddressExtractor`. It cannot tell which embedded transaction used an alias and may
 * name an account too many; here each embedded transaction is resolved at its own source.
 */
export function withStatementAddresses(
  transactions: readonly BlockTransaction[],
  statement: BlockStatement,
): readonly BlockTransaction[] {
  const sinks = paidSinks(statement);
  if (sinks.size === 0 && statement.addressResolutions.length === 0) return transactions;

  const added = (addresses: readonly Buffer[], source: ReceiptSource): Buffer[] => {
    const resolved = addresses.filter(isAliasAddress).map((alias) => resolveAddress(alias, statement, source));
    return [...resolved.filter((address) => address !== undefined), ...(sinks.get(sourceName(source)) ?? [])];
  };
  const extended = <T extends { readonly relatedAddresses: readonly Buffer[] }>(one: T, more: readonly Buffer[]): T =>
    more.length === 0 ? one : { ...one, relatedAddresses: uniqueAddresses([...one.relatedAddresses, ...more]) };

  return transactions.map((transaction) => {
    const primaryId = transaction.index + 1;
    if (transaction.embedded.length === 0)
      return extended(transaction, added(transaction.relatedAddresses, { primaryId, secondaryId: 0 }));
    const embedded = transaction.embedded.map((inner) =>
      extended(inner, added(inner.relatedAddresses, { primaryId, secondaryId: inner.index + 1 })),
    );
    return {
      ...extended(
        transaction,
        embedded.flatMap((inner) => inner.relatedAddresses),
      ),
      embedded,
    };
  });
}
