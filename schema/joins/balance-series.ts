import { type ActivityRequest, readChangesByInterval } from "../../database/queries/activity.js";
import { intervalArguments, intervalsOf } from "../chain/activity.js";
import { builder } from "../graph/builder.js";
import { timeField } from "../network/time.js";
import { historyDb } from "./balance-history.js";

/** A balance at the end of a time interval. */
interface BalanceInterval {
  /** Start of the interval, in ms since the epoch adjustment. */
  readonly timestamp: number;
  /** Atomic units. */
  readonly change: bigint;
  readonly amount: bigint;
}

const Interval = builder.objectRef<BalanceInterval>("BalanceInterval").implement({
  description: "An account's balance of a mosaic at the end of a time interval.",
  fields: (t) => ({
    time: timeField(t, "Start of the interval.", ({ timestamp }) => timestamp),
    change: t.string({
      description: "Change of the balance in the interval: signed atomic units, as text.",
      resolve: ({ change }) => String(change),
    }),
    amount: t.expose("amount", { type: "UInt64", description: "Balance at the end of the interval, atomic units." }),
  }),
});

builder.queryField("balanceSeries", (t) =>
  t.field({
    type: [Interval],
    description: "An account's balance of a mosaic at the end of each time interval, in ascending order.",
    args: {
      address: t.arg({ description: "Address of the account.", type: "Address", required: true }),
      mosaicId: t.arg({ description: "Id of the mosaic.", type: "ArtifactId", required: true }),
      ...intervalArguments,
    },
    resolve: async (_root, { address, mosaicId, ...args }, context) => {
      const db = await historyDb(context);
      const holding = { address, mosaicId };
      const request = await intervalsOf(context, args);
      const { before, changes } = await readChangesByInterval(db, holding, request);
      return seriesOf(request, before, changes);
    },
  }),
);

/** Every interval of the span, also those without a change; none of an empty span. */
function seriesOf(
  { fromTimestamp, toTimestamp, intervalMs, shiftMs }: ActivityRequest,
  before: bigint,
  changes: ReadonlyMap<number, bigint>,
): BalanceInterval[] {
  const series: BalanceInterval[] = [];
  if (fromTimestamp >= toTimestamp) return series;
  let amount = before;
  const first = Math.floor((fromTimestamp - shiftMs) / intervalMs) * intervalMs + shiftMs;
  for (let timestamp = first; timestamp < toTimestamp; timestamp += intervalMs) {
    const change = changes.get(timestamp) ?? 0n;
    amount += change;
    series.push({ timestamp, change, amount });
  }
  return series;
}
