import { z } from "zod";
import { TransactionStatusDTO } from "../../../catapult/json/transaction-status.js";
import { MAX_KEYS } from "../../../schema/graph/state.js";
import { bodyList, path } from "../route/argument.js";
import { hash } from "../route/argument-types.js";
import { allBodies, oneBody } from "../route/page.js";
import { operationRoute, type Route } from "../route/route.js";

const tag = "Transactions";
const operation = "query ($hashes: [Hash256!]!) { found: transactionStatuses(hashes: $hashes) { body } }";

export const transactionStatusRoutes: readonly Route[] = [
  operationRoute(
    {
      method: "GET",
      path: "/transactionStatus/{hash}",
      operationId: "getTransactionStatus",
      tag,
      summary: "Status of a transaction.",
      arguments: { hash: path(hash, "Hash of the transaction.") },
      result: TransactionStatusDTO,
      canMiss: true,
    },
    {
      operation,
      followsChain: false,
      variables: (values) => ({ hashes: [values.hash] }),
      answer: oneBody,
    },
  ),
  operationRoute(
    {
      method: "POST",
      path: "/transactionStatus",
      operationId: "getTransactionStatuses",
      tag,
      summary: "Statuses of transactions, in the order of the request; unknown ones are omitted.",
      arguments: { hashes: bodyList(hash, "Hashes of transactions.", MAX_KEYS) },
      result: z.array(TransactionStatusDTO),
    },
    { operation, followsChain: false, answer: allBodies },
  ),
];
