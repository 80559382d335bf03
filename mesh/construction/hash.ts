import { endpoint } from "../standard/endpoint.js";
import { ConstructionHashRequest, type TransactionIdentifierResponse } from "../standard/schemas.js";
import { makeIdentifier, readSignedTransaction } from "./signed-transaction.js";

/** The hash of a signed transaction: cosignatures that are still missing do not change it. */
export const hash = endpoint<typeof ConstructionHashRequest, TransactionIdentifierResponse>({
  path: "/construction/hash",
  request: ConstructionHashRequest,
  answer: ({ signed_transaction: signed }, { network }) => ({
    transaction_identifier: makeIdentifier(readSignedTransaction(signed, network)),
  }),
});
