import { MAX_STORED_HEIGHT } from "../../catapult/json/entity-id.js";
import {
  MAX_RANKED_ROWS,
  MAX_RANKED_SUMS,
  type Ranked,
  type RankingField,
  readRanking,
} from "../../database/queries/ranking.js";
import { invalidArgument } from "../errors/errors.js";
import { checkHeights, given, spanArguments, timeArguments } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import { loadersOf } from "../graph/loaders.js";
import { resourcesOf } from "../network/resources.js";
import { limitedToTimes } from "../network/time.js";

const DEFAULT_FIRST = 10;
const MAX_FIRST = 100;

const DESCRIPTIONS: Readonly<Record<RankingField, string>> = {
  HARVESTED:
    "What main accounts got for the blocks that they harvested: fees and inflation. Beneficiaries and the network's own " +
    "account are no harvesters.",
  SENT: "Sums by which balances of mosaicId fell in blocks, fees included.",
  RECEIVED: "Sums by which balances of mosaicId rose in blocks, rewards included.",
  TRANSACTIONS: "Numbers of signed transactions, without embedded ones.",
  IMPORTANCE: "Importances as they are now: the span is ignored.",
};

const By = builder.enumType("RankingField", {
  description: "What accounts are ranked by.",
  values: Object.fromEntries(
    Object.entries(DESCRIPTIONS).map(([value, description]) => [value, { value, description }]),
  ) as Record<RankingField, { readonly value: RankingField; readonly description: string }>,
});

const RankedAccount = builder.objectRef<Ranked>("RankedAccount").implement({
  description: "An account of a ranking.",
  fields: (t) => ({
    address: t.expose("address", { type: "Address", description: "Address of the account." }),
    value: t.expose("value", {
      type: "UInt64",
      description: "Atomic units, an importance, or a number of transactions.",
    }),
    count: t.expose("count", {
      type: "SafeInt",
      description:
        "Number of blocks that it harvested or that changed its balance, or of transactions; 1 for an importance.",
    }),
    names: t.stringList({
      description: "Names of namespaces that point to the account, such as root.child.",
      resolve: async ({ address }, _args, context) => [...(await loadersOf(context).accountNames.load(address))],
    }),
  }),
});

builder.queryField("ranking", (t) =>
  t.field({
    type: [RankedAccount],
    description:
      "Accounts with the highest values in a span, the highest first. Whole days of UTC are read from sums by day: at " +
      `most ${MAX_RANKED_SUMS} of an account and a day, and ${MAX_RANKED_ROWS} rewards, transactions or changes elsewhere.`,
    args: {
      by: t.arg({ type: By, required: true, description: "What accounts are ranked by." }),
      mosaicId: t.arg({ type: "ArtifactId", description: "With SENT and RECEIVED; by default the currency." }),
      first: t.arg.int({
        description: `Number of accounts: 1 to ${MAX_FIRST}, by default ${DEFAULT_FIRST}.`,
      }),
      ...spanArguments,
      ...timeArguments,
    },
    resolve: async (_root, args, context) => {
      const { by, first = DEFAULT_FIRST, fromTime, toTime, mosaicId, ...heights } = given(args);
      if (first < 1 || first > MAX_FIRST) throw invalidArgument(`first must be from 1 to ${MAX_FIRST}, not ${first}`);
      checkHeights(heights);
      const { fromHeight = 1, toHeight = MAX_STORED_HEIGHT - 1 } = await limitedToTimes(context, heights, {
        fromTime,
        toTime,
      });
      const span = {
        fromHeight: Math.min(fromHeight, MAX_STORED_HEIGHT - 1),
        toHeight: Math.min(toHeight, MAX_STORED_HEIGHT - 1),
      };
      const currency = async () => (await resourcesOf(context).network()).section("chain").bigint("currencyMosaicId");
      const isOfMosaic = by === "SENT" || by === "RECEIVED";
      const ranked = await readRanking(context.db, {
        ...{ by: by as RankingField, first, ...span },
        mosaicId: isOfMosaic ? (mosaicId ?? (await currency())) : 0n,
      });
      if (ranked) return ranked;
      throw invalidArgument(`the span has more than ${MAX_RANKED_ROWS} entries to rank: request a shorter one`);
    },
  }),
);
