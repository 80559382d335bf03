import type { Receipt } from "../structs/receipt.js";
import { RECEIPT_TYPE } from "../structs/type-names.js";
import { isAliasAddress } from "./address.js";
import { BlockAliases } from "./block-aliases.js";
import type {
  BlockStatement,
  BlockTransaction,
  EmbeddedTransaction,
  ReceiptSource,
  TransactionStatement,
} from "./model.js";
import { uniqueAddresses } from "./related-addresses.js";
import { isUnknown } from "./transaction-entity.js";

const RENTAL_FEES: readonly number[] = [RECEIPT_TYPE.mosaic_rental_fee, RECEIPT_TYPE.namespace_rental_fee];

function readReceiptAccounts(receipt: Receipt): Buffer[] {
  if (receipt.kind === "balanceTransfer") return [receipt.senderAddress, receipt.recipientAddress];
  return receipt.kind === "balanceChange" ? [receipt.targetAddress] : [];
}

/** Addresses that the receipts of a block add to its transactions, by the source of the receipts. */
class StatementAddresses {
  /** The accounts that received a rental fee. */
  readonly #sinks = new Map<string, Buffer[]>();
  readonly #statement: BlockStatement;

  constructor(statement: BlockStatement) {
    this.#statement = statement;
    for (const { source, receipts } of statement.transactionStatements)
      for (const receipt of receipts)
        if (receipt.kind === "balanceTransfer" && RENTAL_FEES.includes(receipt.type))
          this.#sinks.set(nameOf(source), [...this.sinksOf(source), receipt.recipientAddress]);
  }

  sinksOf(source: ReceiptSource): readonly Buffer[] {
    return this.#sinks.get(nameOf(source)) ?? [];
  }

  /** Every account in receipts and resolutions of some sources. */
  allOf(isMeant: (source: ReceiptSource) => boolean): Buffer[] {
    const { transactionStatements, addressResolutions } = this.#statement;
    return [
      ...transactionStatements
        .filter(({ source }) => isMeant(source))
        .flatMap((one) => one.receipts.flatMap(readReceiptAccounts)),
      ...addressResolutions.flatMap(({ entries }) =>
        entries.filter(({ source }) => isMeant(source)).map(({ resolved }) => resolved),
      ),
    ];
  }
}

function nameOf({ primaryId, secondaryId }: ReceiptSource): string {
  return `${primaryId}.${secondaryId}`;
}

/**
 * Completes the related addresses of a block's transactions from its receipts: the target of each alias, and the sink
 * of each rental fee that was paid; aliases themselves stay. For a transaction of an unknown type or version, all
 * accounts in its receipts: there is no other source. Source: catapult's `addressextraction/AddressExtractor`. It
 * cannot distinguish which embedded transaction used an alias and may include an unrelated account; here each
 * embedded transaction is resolved at its own source.
 */
export function withStatementAddresses(
  transactions: readonly BlockTransaction[],
  statement: BlockStatement,
): readonly BlockTransaction[] {
  if (!transactions.some(mayBeExtended) && !statement.transactionStatements.some(hasRentalFee)) return transactions;
  const addresses = new StatementAddresses(statement);
  const aliases = new BlockAliases({ transactions, statement });

  const added = ({ entity, relatedAddresses }: BlockTransaction | EmbeddedTransaction, source: ReceiptSource) => {
    if (isUnknown(entity)) {
      const { primaryId, secondaryId } = source;
      return addresses.allOf(
        (one) => one.primaryId === primaryId && (secondaryId === 0 || one.secondaryId === secondaryId),
      );
    }
    const resolved = relatedAddresses.filter(isAliasAddress).map((alias) => aliases.address(alias, source));
    return [...resolved, ...addresses.sinksOf(source)];
  };
  const extended = <T extends { readonly relatedAddresses: readonly Buffer[] }>(one: T, more: readonly Buffer[]): T =>
    more.length === 0 ? one : { ...one, relatedAddresses: uniqueAddresses([...one.relatedAddresses, ...more]) };

  return transactions.map((transaction) => {
    const primaryId = transaction.index + 1;
    if (transaction.embedded.length === 0)
      return extended(transaction, added(transaction, { primaryId, secondaryId: 0 }));
    const embedded = transaction.embedded.map((inner) =>
      extended(inner, added(inner, { primaryId, secondaryId: inner.index + 1 })),
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

/** Whether a transaction, or one in it, names an alias or is unknown. */
function mayBeExtended({ entity, relatedAddresses, embedded }: BlockTransaction): boolean {
  if (isUnknown(entity) || relatedAddresses.some(isAliasAddress)) return true;
  return embedded.some((inner) => isUnknown(inner.entity) || inner.relatedAddresses.some(isAliasAddress));
}

function hasRentalFee({ receipts }: TransactionStatement): boolean {
  return receipts.some(({ kind, type }) => kind === "balanceTransfer" && RENTAL_FEES.includes(type));
}
