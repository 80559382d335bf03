import { MAX_TYPES } from "../../schema/arguments.js";
import { ID_BYTES } from "../../schema/db/entity-id.js";
import { notFound } from "../../schema/errors.js";
import { formatHex } from "../../schema/formats.js";
import { MAX_IDENTIFIERS } from "../../schema/transaction.js";
import { bodyList, path, query, queryList } from "./argument.js";
import {
  address,
  amount,
  artifactId,
  boolean,
  entityType,
  height,
  lowestHeight,
  publicKey,
  transactionId,
} from "./argument-types.js";
import {
  type DocumentPage,
  documentPage,
  documentSchema,
  joinDocuments,
  pageAnswer,
  pageArguments,
  pageSchema,
  pageVariables,
} from "./page.js";
import { operationRoute, type Route } from "./route.js";

const transactionSchema = documentSchema("A transaction.", "meta", "transaction");

const byIds = `query ($ids: [EntityId!], $hashes: [Hash256!]) {
  transactions: transactionsByIds(ids: $ids, hashes: $hashes) { id hash document: documentWithEmbedded }
}`;

interface FoundTransactions {
  readonly transactions: readonly { readonly id: string; readonly hash: string | null; readonly document: string }[];
}

/** Ids have another number of bytes than hashes. */
function idVariables(given: readonly Buffer[]) {
  return {
    ids: given.filter(({ length }) => length === ID_BYTES),
    hashes: given.filter(({ length }) => length !== ID_BYTES),
  };
}

export const transactionRoutes: readonly Route[] = [
  operationRoute(
    {
      method: "GET",
      path: "/transactions/confirmed",
      operationId: "searchConfirmedTransactions",
      tag: "Transactions",
      summary: "Confirmed transactions for which everything given holds.",
      arguments: {
        address: query(address, "Whom it concerns: signer, cosigner, recipient or else. Not beside the next two."),
        recipientAddress: query(address, "Recipient as written in the transaction."),
        signerPublicKey: query(publicKey, "Public key of the signer."),
        height: query(height, "At this height."),
        fromHeight: query(lowestHeight, "At this height or above."),
        toHeight: query(height, "At this height or below."),
        fromTransferAmount: query(amount, "So much of transferMosaicId or more, atomic units."),
        toTransferAmount: query(amount, "So much of transferMosaicId or less, atomic units."),
        type: queryList(entityType, "One of these types; give it several times for several.", MAX_TYPES),
        embedded: query(boolean, "With transactions inside aggregates, as entries of their own."),
        transferMosaicId: query(artifactId, "Transfers of this mosaic, by the id written in the transaction."),
        ...pageArguments,
      },
      result: pageSchema(transactionSchema),
    },
    {
      operation: `query (
        $address: Address, $recipientAddress: Address, $signerPublicKey: PublicKey,
        $height: SafeInt, $fromHeight: SafeInt, $toHeight: SafeInt,
        $fromTransferAmount: UInt64, $toTransferAmount: UInt64, $transferMosaicId: ArtifactId,
        $type: [Int!], $embedded: Boolean, $page: PageInput
      ) {
        page: transactions(
          address: $address, recipientAddress: $recipientAddress, signerPublicKey: $signerPublicKey,
          height: $height, fromHeight: $fromHeight, toHeight: $toHeight,
          fromTransferAmount: $fromTransferAmount, toTransferAmount: $toTransferAmount,
          transferMosaicId: $transferMosaicId, type: $type, embedded: $embedded, page: $page
        ) ${documentPage}
      }`,
      followsChain: true,
      variables: pageVariables,
      answer: (data: DocumentPage) => pageAnswer(data),
    },
  ),
  operationRoute(
    {
      method: "GET",
      path: "/transactions/confirmed/{transactionId}",
      operationId: "getConfirmedTransaction",
      tag: "Transactions",
      summary: "A confirmed transaction, an aggregate with the transactions inside it.",
      arguments: { transactionId: path(transactionId, "Id or hash of the transaction.") },
      result: transactionSchema,
      canMiss: true,
    },
    {
      operation: byIds,
      followsChain: true,
      variables: (values) => idVariables([values.transactionId]),
      answer: ({ transactions: [transaction] }: FoundTransactions, _values, asked) => {
        if (!transaction) throw notFound(asked.transactionId ?? "");
        return { body: transaction.document };
      },
    },
  ),
  operationRoute(
    {
      method: "POST",
      path: "/transactions/confirmed",
      operationId: "getConfirmedTransactions",
      tag: "Transactions",
      summary: "Confirmed transactions by ids and hashes, in the order asked; what does not exist is left out.",
      arguments: { transactionIds: bodyList(transactionId, "Ids and hashes.", MAX_IDENTIFIERS) },
      result: { type: "array", items: transactionSchema },
    },
    {
      operation: byIds,
      followsChain: false,
      variables: (values) => idVariables(values.transactionIds),
      answer: ({ transactions }: FoundTransactions, values) => {
        const found = new Map(
          transactions.flatMap(
            (entry) =>
              [
                [entry.id, entry],
                [entry.hash, entry],
              ] as const,
          ),
        );
        const asked = values.transactionIds.flatMap((id) => found.get(formatHex(id)) ?? []);
        return { body: joinDocuments([...new Set(asked)]) };
      },
    },
  ),
];
