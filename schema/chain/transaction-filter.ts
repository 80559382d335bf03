import type { TransactionFilter } from "../../database/queries/transactions.js";
import { invalidArgument } from "../errors/errors.js";
import { type ArgumentsOf, checkBounds, checkHeights, heightArguments } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import { typeArguments } from "./transaction-type.js";

/** Maximum number of identifiers in one look-up. */
export const MAX_IDENTIFIERS = 1000;

const MAX_STORED_AMOUNT = 2n ** 63n - 1n;

/** Arguments that narrow a list of transactions of any group. */
export const transactionArguments = {
  ...builder.args((t) => ({
    address: t.field({
      type: "Address",
      description: "Address that the transaction concerns: signer, cosigner, recipient or other.",
    }),
    signerPublicKey: t.field({ description: "Public key of the signer.", type: "PublicKey" }),
    recipientAddress: t.field({ type: "Address", description: "Recipient as in the transaction: not resolved." }),
    embedded: t.boolean({ description: "Whether to include embedded transactions." }),
    transferMosaicId: t.field({
      type: "ArtifactId",
      description: "Id of a transferred mosaic; also finds transfers that name it by a namespace.",
    }),
    asWritten: t.boolean({ description: "With transferMosaicId: only where the transaction has that very id." }),
    fromTransferAmount: t.field({ type: "UInt64", description: "Minimum amount of that mosaic, atomic units." }),
    toTransferAmount: t.field({ type: "UInt64", description: "Maximum amount of that mosaic, atomic units." }),
  })),
  ...typeArguments,
  ...heightArguments,
};

/** Arguments that name transactions of any group. */
export const identifierArguments = builder.args((t) => ({
  ids: t.field({ description: `Ids; at most ${MAX_IDENTIFIERS} together with hashes.`, type: ["EntityId"] }),
  hashes: t.field({ description: `Hashes; at most ${MAX_IDENTIFIERS} together with ids.`, type: ["Hash256"] }),
}));

/** Checks the number of identifiers in a look-up. @throws ApiError InvalidArgument */
export function checkIdentifiers(ids: readonly unknown[], hashes: readonly unknown[]): void {
  const count = ids.length + hashes.length;
  if (count > MAX_IDENTIFIERS) {
    throw invalidArgument(`ids and hashes must not name more than ${MAX_IDENTIFIERS} transactions, not ${count}`);
  }
}

/**
 * A filter of transactions of any group.
 * @throws ApiError InvalidArgument naming contradictory arguments
 */
export function toTransactionFilter<Arguments extends TransactionFilter>(
  filter: Arguments & ArgumentsOf<Arguments, TransactionFilter>,
): TransactionFilter {
  const { fromTransferAmount, toTransferAmount } = filter;
  for (const other of ["signerPublicKey", "recipientAddress"] as const) {
    if (filter.address && filter[other]) throw invalidArgument(`address must not be given together with ${other}`);
  }
  for (const name of ["fromTransferAmount", "toTransferAmount"] as const) {
    if (filter[name] !== undefined && filter.transferMosaicId === undefined) {
      throw invalidArgument(`${name} must be given together with transferMosaicId`);
    }
  }
  checkBounds("fromTransferAmount", fromTransferAmount, "toTransferAmount", toTransferAmount);
  checkHeights(filter);
  return { ...filter, fromTransferAmount: storable(fromTransferAmount), toTransferAmount: storable(toTransferAmount) };
}

/** No supply reaches the bounds of the column, so a bound beyond it is equivalent to the column's own. */
function storable(amount: bigint | undefined): bigint | undefined {
  return amount !== undefined && amount > MAX_STORED_AMOUNT ? MAX_STORED_AMOUNT : amount;
}
