import { invalidArgument, notFound } from "../../../schema/errors/errors.js";
import { formatWholeUnits } from "../../../schema/graph/formats.js";
import { path, query } from "../route/argument.js";
import { artifactId, height, isoTime } from "../route/argument-types.js";
import { csvLine } from "../route/csv.js";
import { ExportRange, rangeOperations } from "../route/export-range.js";
import { exportRoute, type RawParameters, type ReadRows, type Route } from "../route/route.js";

/** Holders read by one operation. */
const AT_ONCE = 500;

const operations = {
  ...rangeOperations,
  mosaic: "query ($id: ArtifactId!) { mosaic(id: $id) { divisibility } }",
  holders: `query ($mosaicId: ArtifactId!, $height: SafeInt!, $after: String) {
    holdersAt(mosaicId: $mosaicId, height: $height, first: ${AT_ONCE}, after: $after) {
      data { address amount }
      pageInfo { hasNextPage endCursor }
    }
  }`,
};

interface Holders {
  readonly data: readonly { readonly address: string; readonly amount: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** The height that is asked for, and the range that ends there: while that is the same, so are the balances. */
async function findRange(ask: ReadRows, toHeight: unknown, time: unknown): Promise<ExportRange> {
  if (toHeight !== undefined && time !== undefined)
    throw invalidArgument("height must not be given together with time");
  return ExportRange.find(ask, { toHeight, toTime: time === undefined ? undefined : (time as number) + 1 });
}

async function* holderLines(
  ask: ReadRows,
  { mosaicId, height: wanted, time }: Record<string, unknown>,
  requested: RawParameters,
): AsyncGenerator<string> {
  const { mosaic } = (await ask("mosaic", { id: mosaicId })) as { mosaic: { divisibility: number } | null };
  if (!mosaic) throw notFound(requested.mosaicId ?? "");
  const range = await findRange(ask, wanted, time);
  yield csvLine(["height", "address", "mosaic", "amount", "divisibility"]);
  for (let after: string | null | undefined = range.isEmpty ? null : undefined; after !== null; ) {
    const { holdersAt } = (await ask("holders", { mosaicId, height: range.toHeight, after })) as { holdersAt: Holders };
    for (const { address, amount } of holdersAt.data) {
      const units = formatWholeUnits(BigInt(amount), mosaic.divisibility);
      yield csvLine([range.toHeight, address, requested.mosaicId?.toUpperCase(), units, mosaic.divisibility]);
    }
    after = holdersAt.pageInfo.hasNextPage ? holdersAt.pageInfo.endCursor : null;
  }
  await range.verify();
}

export const holderExportRoutes: readonly Route[] = [
  exportRoute(
    {
      path: "/mosaics/{mosaicId}/holders.csv",
      operationId: "exportHolders",
      tag: "Mosaics",
      summary: "Holders of a mosaic at a height or a time, by default now, as CSV; amounts in whole units.",
      arguments: {
        mosaicId: path(artifactId, "Id of the mosaic."),
        height: query(height, "Height of the block after which balances are taken."),
        time: query(isoTime, "In place of a height: the last block at this time or before."),
      },
      canMiss: true,
    },
    {
      operations,
      variables: (values) => values,
      rows: holderLines,
      fileName: ({ mosaicId: mosaic }) => `holders-${mosaic}.csv`,
    },
  ),
];
