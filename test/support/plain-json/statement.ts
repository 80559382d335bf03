import type {
  ReceiptBody,
  ResolutionStatementBody,
  SourceBody,
  TransactionStatementBody,
} from "../../../catapult/body/statement.js";
import { hex } from "../../../catapult/entity/hex.js";
import type {
  Receipt,
  ReceiptSource,
  ResolutionStatement,
  TransactionStatement,
} from "../../../catapult/entity/model.js";
import { RECEIPT } from "../../../catapult/entity/receipt.js";
import { decimalText, idText } from "../../../catapult/json/format.js";

/** The data of a block in a statement's document: the timestamp is in milliseconds. */
interface StatementContext {
  readonly height: number;
  readonly timestamp: number;
}

/** The members of a receipt besides version and type. */
type ReceiptContent<Receipt = ReceiptBody> = Receipt extends ReceiptBody ? Omit<Receipt, "version" | "type"> : never;

function sourceFields({ primaryId, secondaryId }: ReceiptSource): SourceBody {
  return { primaryId, secondaryId };
}

function mosaicFields(receipt: { readonly mosaicId: bigint; readonly amount: bigint }) {
  return { mosaicId: idText(receipt.mosaicId), amount: decimalText(receipt.amount) };
}

function receiptContent(receipt: Receipt): ReceiptContent {
  switch (receipt.kind) {
    case "balanceTransfer":
      return {
        senderAddress: hex(receipt.senderAddress),
        recipientAddress: hex(receipt.recipientAddress),
        ...mosaicFields(receipt),
      };
    case "balanceChange":
      return { targetAddress: hex(receipt.targetAddress), ...mosaicFields(receipt) };
    case "artifactExpiry":
      return { artifactId: idText(receipt.artifactId) };
    case "inflation":
      return mosaicFields(receipt);
    case "unknown":
      return { bin: hex(receipt.bytes.subarray(RECEIPT.headerSize)) };
  }
}

type StatementBody = TransactionStatementBody | ResolutionStatementBody;
type Fields<Body extends StatementBody> = Omit<Body["statement"], "height">;

function render<Body extends StatementBody>(block: StatementContext, id: string, fields: Fields<Body>): string {
  return JSON.stringify({
    id,
    meta: { timestamp: decimalText(block.timestamp) },
    statement: { height: decimalText(block.height), ...fields },
  });
}

/** The REST document of the receipts of one source (`TransactionStatementInfoDTO`); `id` is 24 hex digits. */
export function renderTransactionStatement(
  { source, receipts }: TransactionStatement,
  block: StatementContext,
  id: string,
): string {
  return render<TransactionStatementBody>(block, id, {
    source: sourceFields(source),
    receipts: receipts.map((receipt) => ({
      version: receipt.version,
      type: receipt.type,
      ...receiptContent(receipt),
    })),
  });
}

function renderResolution<T>(
  { unresolved, entries }: ResolutionStatement<T>,
  block: StatementContext,
  id: string,
  text: (value: T) => string,
): string {
  return render<ResolutionStatementBody>(block, id, {
    unresolved: text(unresolved),
    resolutionEntries: entries.map(({ source, resolved }) => ({
      source: sourceFields(source),
      resolved: text(resolved),
    })),
  });
}

/** The REST document of the resolutions of an address in a block (`ResolutionStatementInfoDTO`). */
export function renderAddressResolution(
  statement: ResolutionStatement<Buffer>,
  block: StatementContext,
  id: string,
): string {
  return renderResolution(statement, block, id, hex);
}

/** The REST document of the resolutions of a mosaic id in a block (`ResolutionStatementInfoDTO`). */
export function renderMosaicResolution(
  statement: ResolutionStatement<bigint>,
  block: StatementContext,
  id: string,
): string {
  return renderResolution(statement, block, id, idText);
}
