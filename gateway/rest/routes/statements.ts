import {
  AddressResolutionStatementInfoDTO,
  MosaicResolutionStatementInfoDTO,
  TransactionStatementInfoDTO,
} from "../../../catapult/structs/statement.js";
import { address, artifactId, entityType, height } from "../route/argument-types.js";
import { fieldArguments } from "../route/field-arguments.js";
import { listRoute, pageOf } from "../route/page.js";
import type { Route } from "../route/route.js";

const TransactionStatementPage = pageOf("TransactionStatementPage", TransactionStatementInfoDTO);
const AddressResolutionPage = pageOf("AddressResolutionStatementPage", AddressResolutionStatementInfoDTO);
const MosaicResolutionPage = pageOf("MosaicResolutionStatementPage", MosaicResolutionStatementInfoDTO);

const heights = { height, fromHeight: height, toHeight: height };

export const statementRoutes: readonly Route[] = [
  listRoute(
    {
      path: "/statements/transaction",
      operationId: "searchTransactionStatements",
      tag: "Statements",
      summary: "Transaction statements with a receipt that matches all given conditions.",
    },
    {
      arguments: fieldArguments("transactionStatements", {
        ...heights,
        receiptType: entityType,
        recipientAddress: address,
        senderAddress: address,
        targetAddress: address,
        artifactId,
      }),
      result: TransactionStatementPage,
      field: "transactionStatements",
    },
  ),
  resolutionRoute("address", "searchAddressResolutionStatements", "addressResolutions"),
  resolutionRoute("mosaic", "searchMosaicResolutionStatements", "mosaicResolutions"),
];

function resolutionRoute(of: string, operationId: string, field: string): Route {
  return listRoute(
    {
      path: `/statements/resolutions/${of}`,
      operationId,
      tag: "Statements",
      summary: `Resolutions of ${of} aliases in blocks.`,
    },
    {
      arguments: fieldArguments(field, heights),
      result: of === "address" ? AddressResolutionPage : MosaicResolutionPage,
      field,
    },
  );
}
