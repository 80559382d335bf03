import { parseHash } from "../standard/amounts.js";
import { endpoint } from "../standard/endpoint.js";
import { MeshError } from "../standard/errors.js";
import { buildTransaction, PENDING, TRANSACTION, type TransactionData } from "../standard/operations.js";
import {
  type MempoolResponse,
  MempoolTransactionRequest,
  type MempoolTransactionResponse,
  NetworkRequest,
} from "../standard/schemas.js";

/** Transactions that are pending for a block; aggregates that are pending for cosignatures are not among them. */
export const mempool = endpoint<typeof NetworkRequest, MempoolResponse>({
  path: "/mempool",
  request: NetworkRequest,
  operations: { hashes: "{ hashes: pendingHashes(group: unconfirmed) }" },
  answer: async (_request, { ask }) => {
    const { hashes } = await ask<{ hashes: readonly string[] }>("hashes");
    return { transaction_identifiers: hashes.map((hash) => ({ hash })) };
  },
});

export const mempoolTransaction = endpoint<typeof MempoolTransactionRequest, MempoolTransactionResponse>({
  path: "/mempool/transaction",
  request: MempoolTransactionRequest,
  operations: {
    transaction: `query ($hashes: [Hash256!]) {
      transactions: pendingTransactionsByIds(group: unconfirmed, hashes: $hashes) { ${TRANSACTION} }
    }`,
  },
  answer: async ({ transaction_identifier: { hash } }, { ask, network }) => {
    const hashes = [parseHash(hash, "transaction_identifier.hash")];
    const { transactions } = await ask<{ transactions: readonly TransactionData[] }>("transaction", { hashes });
    const [found] = transactions;
    if (!found) throw new MeshError("transactionNotFound", { hash });
    return { transaction: buildTransaction(found, network, PENDING) };
  },
});
