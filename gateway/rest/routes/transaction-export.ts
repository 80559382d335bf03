import { transactionTypeName } from "../../../catapult/structs/type-names.js";
import { formatWholeUnits, textOfMessage } from "../../../schema/graph/formats.js";
import { query } from "../route/argument.js";
import { entityId, order } from "../route/argument-types.js";
import { csvLine, freeText } from "../route/csv.js";
import { ExportRange, rangeArguments, rangeOperations } from "../route/export-range.js";
import { exportRoute, type ReadRows, type Route } from "../route/route.js";
import { checkSearch, declaredFilter, filterArguments, passedFilter } from "./transactions.js";

/** Transactions read by one statement. */
const AT_ONCE = 250;

const operations = {
  ...rangeOperations,
  currency: "{ currency { divisibility } }",
  transactions: `query (${declaredFilter}, $after: EntityId, $order: Order) {
    run: transactionRun(${passedFilter}, first: ${AT_ONCE}, after: $after, order: $order) {
      data {
        id height index timestamp type hash aggregateHash signerAddress resolvedRecipientAddress fee
        mosaics { id amount mosaic { mosaicId divisibility } }
        content { ... on TransferContent { message } }
      }
      hasNextPage
    }
  }`,
};

interface ExportedTransaction {
  readonly id: string;
  readonly height: number;
  /** The index in the block or the aggregate. */
  readonly index: number;
  readonly timestamp: number;
  readonly type: number;
  readonly hash: string | null;
  readonly aggregateHash: string | null;
  readonly signerAddress: string | null;
  readonly resolvedRecipientAddress: string | null;
  /** Atomic units of the currency. */
  readonly fee: string | null;
  readonly mosaics: readonly ExportedAmount[] | null;
  readonly content: { readonly message?: string | null };
}

interface ExportedAmount {
  /** The id as in the transaction. */
  readonly id: string;
  readonly amount: string;
  /** Null if its state is unknown. */
  readonly mosaic: { readonly mosaicId: string; readonly divisibility: number } | null;
}

interface Run {
  readonly data: readonly ExportedTransaction[];
  readonly hasNextPage: boolean;
}

const HEADER = [
  "time",
  "height",
  "id",
  "hash",
  "embedded",
  "type",
  "type_name",
  "signer",
  "recipient",
  "mosaic",
  "amount",
  "divisibility",
  "fee",
  "message",
];

function messageCell(message: string | null | undefined): string | undefined {
  const text = message ? textOfMessage(Buffer.from(message, "hex")) : undefined;
  return text === undefined ? undefined : freeText(text);
}

/** The lines of a transaction: one for each of its mosaics, at least one; the fee is in the first. */
function* renderLines(
  transaction: ExportedTransaction,
  range: ExportRange,
  feeDivisibility: number,
): Generator<string> {
  const { mosaics, content, fee, hash, aggregateHash, type } = transaction;
  const before = [
    range.formatTime(transaction.timestamp),
    transaction.height,
    transaction.id,
    hash ?? aggregateHash,
    aggregateHash === null ? undefined : transaction.index,
    type,
    transactionTypeName(type),
    transaction.signerAddress,
    transaction.resolvedRecipientAddress,
  ];
  const amounts: readonly (ExportedAmount | undefined)[] = mosaics?.length ? mosaics : [undefined];
  for (const [position, carried] of amounts.entries()) {
    const divisibility = carried?.mosaic?.divisibility;
    yield csvLine([
      ...before,
      carried && (carried.mosaic?.mosaicId ?? carried.id),
      carried && formatWholeUnits(BigInt(carried.amount), divisibility ?? 0),
      divisibility,
      fee !== null && position === 0 ? formatWholeUnits(BigInt(fee), feeDivisibility) : undefined,
      messageCell(content.message),
    ]);
  }
}

async function* transactionLines(ask: ReadRows, variables: Record<string, unknown>): AsyncGenerator<string> {
  const { bom: _, fromTime, toTime, height, fromHeight = height, toHeight = height, offset, ...filter } = variables;
  const range = await ExportRange.find(ask, { fromHeight, toHeight, fromTime, toTime });
  const { currency } = (await ask("currency", {})) as { currency: { divisibility: number } };
  yield csvLine(HEADER);
  if (range.isEmpty) return;
  const bounds = { fromHeight: range.fromHeight, toHeight: range.toHeight };
  for (let after: unknown = offset, hasNext = true; hasNext; ) {
    const { run } = (await ask("transactions", { ...filter, height, ...bounds, after })) as unknown as { run: Run };
    for (const transaction of run.data) yield* renderLines(transaction, range, currency.divisibility);
    after = run.data.at(-1)?.id;
    hasNext = run.hasNextPage;
  }
  await range.verify();
}

export const transactionExportRoutes: readonly Route[] = [
  exportRoute(
    {
      path: "/transactions/confirmed.csv",
      operationId: "exportConfirmedTransactions",
      tag: "Transactions",
      summary:
        "Confirmed transactions that match all given conditions as CSV, one line for each mosaic of a transfer; amounts in whole units.",
      arguments: {
        ...filterArguments,
        ...rangeArguments,
        offset: query(entityId, "Id of a transaction: the file starts after it, in the requested order."),
        order: query(order, "Sort direction: desc begins with the newest transaction."),
      },
    },
    {
      operations,
      referenceCheck: checkSearch,
      variables: ({ order: direction, ...values }, { defaultOrder, findsWrittenMosaicsOnly }) => ({
        ...values,
        order: direction ?? defaultOrder,
        asWritten: findsWrittenMosaicsOnly,
      }),
      rows: transactionLines,
      fileName: () => "transactions.csv",
    },
  ),
];
