import {
  AddressResolutionStatementInfoDTO,
  MosaicResolutionStatementInfoDTO,
  TransactionStatementInfoDTO,
} from "../../../catapult/nouns/statement.js";
import { MAX_TYPES } from "../../../schema/graph/arguments.js";
import { query, queryList } from "../route/argument.js";
import { address, artifactId, entityType, height } from "../route/argument-types.js";
import { listRoute, pageOf } from "../route/page.js";
import type { Route } from "../route/route.js";

const TransactionStatementPage = pageOf("TransactionStatementPage", TransactionStatementInfoDTO);
const AddressResolutionPage = pageOf("AddressResolutionStatementPage", AddressResolutionStatementInfoDTO);
const MosaicResolutionPage = pageOf("MosaicResolutionStatementPage", MosaicResolutionStatementInfoDTO);

const heightArguments = {
  height: query(height, "At this height."),
  fromHeight: query(height, "At this height or above."),
  toHeight: query(height, "At this height or below."),
};

export const statementRoutes: readonly Route[] = [
  listRoute(
    {
      path: "/statements/transaction",
      operationId: "searchTransactionStatements",
      tag: "Statements",
      summary: "Transaction statements with a receipt that matches all given conditions.",
    },
    {
      arguments: {
        ...heightArguments,
        receiptType: queryList(entityType, "Receipt type; repeat it for several.", MAX_TYPES),
        recipientAddress: query(address, "Recipient of a balance transfer."),
        senderAddress: query(address, "Sender of a balance transfer."),
        targetAddress: query(address, "Address of the account whose balance was changed."),
        artifactId: query(artifactId, "Mosaic or namespace that expired."),
      },
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
      arguments: heightArguments,
      result: of === "address" ? AddressResolutionPage : MosaicResolutionPage,
      field,
    },
  );
}
