import type { TransactionFilter } from "../../database/queries/transactions.js";
import { checkBounds, checkHeights, checkTypes, heightArguments } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import { invalidArgument } from "../services/errors.js";

/** Identifiers that one look-up may name. */
export const MAX_IDENTIFIERS = 1000;

const MAX_STORED_AMOUNT = 2n ** 63n - 1n;

/** Arguments that narrow a list of transactions of any group. */
export const transactionArguments = {
  ...builder.args((t) => ({
    address: t.field({ type: "Address", description: "Whom it concerns: signer, cosigner, recipient or else." }),
    signerPublicKey: t.field({ description: "Who signed it.", type: "PublicKey" }),
    recipientAddress: t.field({ type: "Address", description: "As written in the transaction." }),
    type: t.intList({ description: "One of these types." }),
    embedded: t.boolean({ description: "With those embedded in aggregates." }),
    transferMosaicId: t.field({
      type: "ArtifactId",
      description: "A transfer of this mosaic, by its id or by a namespace that stood for it.",
    }),
    asWritten: t.boolean({ description: "With transferMosaicId: only where the transaction has that very id." }),
    fromTransferAmount: t.field({ type: "UInt64", description: "Of that mosaic so much or more, atomic units." }),
    toTransferAmount: t.field({ type: "UInt64", description: "Of that mosaic so much or less, atomic units." }),
  })),
  ...heightArguments,
};

/** Arguments that name transactions of any group. */
export const identifierArguments = builder.args((t) => ({
  ids: t.field({ description: `Together with hashes at most ${MAX_IDENTIFIERS}.`, type: ["EntityId"] }),
  hashes: t.field({ description: `Together with ids at most ${MAX_IDENTIFIERS}.`, type: ["Hash256"] }),
}));

/** Checks how many transactions a look-up names. @throws ApiError InvalidArgument */
export function checkIdentifiers(ids: readonly unknown[], hashes: readonly unknown[]): void {
  const count = ids.length + hashes.length;
  if (count > MAX_IDENTIFIERS) {
    throw invalidArgument(`ids and hashes must not name more than ${MAX_IDENTIFIERS} transactions, not ${count}`);
  }
}

/**
 * A filter of transactions of any group.
 * @throws ApiError InvalidArgument for what contradicts itself, naming it
 */
export function toTransactionFilter(filter: TransactionFilter): TransactionFilter {
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
  checkTypes("type", filter.types);
  return { ...filter, fromTransferAmount: storable(fromTransferAmount), toTransferAmount: storable(toTransferAmount) };
}

/** No supply comes near the bounds of the column, so a bound beyond it says the same as the column's own. */
function storable(amount: bigint | undefined): bigint | undefined {
  return amount !== undefined && amount > MAX_STORED_AMOUNT ? MAX_STORED_AMOUNT : amount;
}
