import { formatWholeUnits } from "../../../schema/graph/formats.js";
import { csvLine } from "../route/csv.js";
import { ExportRange, rangeArguments, rangeOperations } from "../route/export-range.js";
import { exportRoute, type ReadRows, type Route } from "../route/route.js";

/** Blocks read by one statement. */
const AT_ONCE = 100;

const operations = {
  ...rangeOperations,
  currency: "{ currency { divisibility } }",
  blocks: `query ($fromHeight: SafeInt, $toHeight: SafeInt, $after: EntityId) {
    blocks(fromHeight: $fromHeight, toHeight: $toHeight, order: asc, first: ${AT_ONCE}, after: $after) {
      data {
        id height timestamp hash signerPublicKey harvester { address } beneficiaryAddress
        transactionsCount totalTransactionsCount statementsCount totalFee feeMultiplier difficulty
      }
    }
  }`,
};

const HEADER = [
  ...["time", "height", "hash", "signer_public_key", "harvester", "beneficiary"],
  ...["transactions", "total_transactions", "statements", "fee", "fee_multiplier", "difficulty"],
];

interface ExportedBlock {
  readonly id: string;
  readonly height: number;
  readonly timestamp: number;
  readonly hash: string;
  readonly signerPublicKey: string;
  /** Null while its state is unknown. */
  readonly harvester: { readonly address: string } | null;
  readonly beneficiaryAddress: string;
  readonly transactionsCount: number;
  readonly totalTransactionsCount: number;
  readonly statementsCount: number;
  /** Atomic units of the currency. */
  readonly totalFee: string;
  readonly feeMultiplier: number;
  readonly difficulty: string;
}

async function* blockLines(ask: ReadRows, bounds: Record<string, unknown>): AsyncGenerator<string> {
  const range = await ExportRange.find(ask, bounds);
  const { currency } = (await ask("currency", {})) as { currency: { divisibility: number } };
  yield csvLine(HEADER);
  const { fromHeight, toHeight } = range;
  for (let after: string | undefined, isMore = !range.isEmpty; isMore; ) {
    const { blocks } = (await ask("blocks", { fromHeight, toHeight, after })) as {
      blocks: { data: readonly ExportedBlock[] };
    };
    for (const one of blocks.data) {
      yield csvLine([
        ...[range.formatTime(one.timestamp), one.height, one.hash, one.signerPublicKey, one.harvester?.address],
        ...[one.beneficiaryAddress, one.transactionsCount, one.totalTransactionsCount, one.statementsCount],
        ...[formatWholeUnits(BigInt(one.totalFee), currency.divisibility), one.feeMultiplier, one.difficulty],
      ]);
    }
    after = blocks.data.at(-1)?.id;
    isMore = blocks.data.length === AT_ONCE;
  }
  await range.verify();
}

export const blockExportRoutes: readonly Route[] = [
  exportRoute(
    {
      path: "/blocks.csv",
      operationId: "exportBlocks",
      tag: "Blocks",
      summary: "Blocks as CSV, in the order of the chain; fees in whole units.",
      arguments: rangeArguments,
    },
    { operations, variables: (values) => values, rows: blockLines, fileName: () => "blocks.csv" },
  ),
];
