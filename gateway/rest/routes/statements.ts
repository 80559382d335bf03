import {
  AddressResolutionStatementInfoDTO,
  MosaicResolutionStatementInfoDTO,
  TransactionStatementInfoDTO,
} from "../../../catapult/body/statement.js";
import { MAX_TYPES } from "../../../schema/graph/arguments.js";
import { pageOf } from "../body/page.js";
import { query, queryList } from "./argument.js";
import { address, artifactId, entityType, height } from "./argument-types.js";
import { type BodyPage, bodyPage, pageAnswer, pageArguments, pageVariables } from "./page.js";
import { operationRoute, type Route } from "./route.js";

const TransactionStatementPage = pageOf("TransactionStatementPage", TransactionStatementInfoDTO);
const AddressResolutionPage = pageOf("AddressResolutionStatementPage", AddressResolutionStatementInfoDTO);
const MosaicResolutionPage = pageOf("MosaicResolutionStatementPage", MosaicResolutionStatementInfoDTO);

const heightArguments = {
  height: query(height, "At this height."),
  fromHeight: query(height, "At this height or above."),
  toHeight: query(height, "At this height or below."),
};

export const statementRoutes: readonly Route[] = [
  operationRoute(
    {
      method: "GET",
      path: "/statements/transaction",
      operationId: "searchTransactionStatements",
      tag: "Statements",
      summary: "Transaction statements with a receipt that matches all given conditions.",
      arguments: {
        ...heightArguments,
        receiptType: queryList(entityType, "Receipt type; repeat it for several.", MAX_TYPES),
        recipientAddress: query(address, "Recipient of a balance transfer."),
        senderAddress: query(address, "Sender of a balance transfer."),
        targetAddress: query(address, "Address of the account whose balance was changed."),
        artifactId: query(artifactId, "Mosaic or namespace that expired."),
        ...pageArguments,
      },
      result: TransactionStatementPage,
    },
    {
      operation: `query (
        $height: SafeInt, $fromHeight: SafeInt, $toHeight: SafeInt, $receiptType: [Int!],
        $recipientAddress: Address, $senderAddress: Address, $targetAddress: Address, $artifactId: ArtifactId,
        $page: PageInput
      ) {
        page: transactionStatements(
          height: $height, fromHeight: $fromHeight, toHeight: $toHeight, receiptType: $receiptType,
          recipientAddress: $recipientAddress, senderAddress: $senderAddress, targetAddress: $targetAddress,
          artifactId: $artifactId, page: $page
        ) ${bodyPage}
      }`,
      followsChain: true,
      variables: pageVariables,
      answer: (data: BodyPage) => pageAnswer(data),
    },
  ),
  resolutionRoute("address", "searchAddressResolutionStatements", "addressResolutions"),
  resolutionRoute("mosaic", "searchMosaicResolutionStatements", "mosaicResolutions"),
];

function resolutionRoute(of: string, operationId: string, field: string): Route {
  return operationRoute(
    {
      method: "GET",
      path: `/statements/resolutions/${of}`,
      operationId,
      tag: "Statements",
      summary: `Resolutions of ${of === "address" ? "address" : "mosaic"} aliases in blocks.`,
      arguments: { ...heightArguments, ...pageArguments },
      result: of === "address" ? AddressResolutionPage : MosaicResolutionPage,
    },
    {
      operation: `query ($height: SafeInt, $fromHeight: SafeInt, $toHeight: SafeInt, $page: PageInput) {
        page: ${field}(height: $height, fromHeight: $fromHeight, toHeight: $toHeight, page: $page) ${bodyPage}
      }`,
      followsChain: true,
      variables: pageVariables,
      answer: (data: BodyPage) => pageAnswer(data),
    },
  );
}
