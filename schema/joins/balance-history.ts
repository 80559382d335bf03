import { encodeAddress } from "../../catapult/entity/address.js";
import type { Db } from "../../database/database.js";
import {
  type BalanceStep,
  type PastHolder as HolderOfThePast,
  type Holding,
  isBalanceHistoryWhole,
  readBalanceSteps,
  readPastHolders,
} from "../../database/queries/balance-changes.js";
import { builder } from "../graph/builder.js";
import type { Context } from "../graph/context.js";
import { requestedEntries, requestsEntries } from "../graph/cost.js";
import { parseAddress } from "../graph/formats.js";
import { PageInfoType } from "../graph/page.js";
import { invalidArgument, invalidContent, serviceUnavailable } from "../services/errors.js";
import { joinsOf } from "./joins.js";

const DEFAULT_FIRST = 10;
const MAX_FIRST = 1_000;

/** Entries of a list without a total, with cursors. */
export interface Connection<Item> {
  readonly items: readonly Item[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

const Step = builder.objectRef<BalanceStep>("BalanceStep").implement({
  description: "A block that changed an account's balance of a mosaic.",
  fields: (t) => ({
    height: t.expose("height", { description: "Height of the block.", type: "SafeInt" }),
    timestamp: t.expose("timestamp", {
      type: "SafeInt",
      description: "Timestamp of the block, in milliseconds since the network's epoch adjustment.",
    }),
    change: t.string({
      description: "Change of the balance: signed atomic units, as text.",
      resolve: ({ change }) => String(change),
    }),
    amount: t.expose("amount", { type: "UInt64", description: "Balance after the block, atomic units." }),
  }),
});

export const PastHolder = builder.objectRef<HolderOfThePast>("PastHolder").implement({
  description: "Balance of an account at a height.",
  fields: (t) => ({
    address: t.expose("address", { description: "Address of the account.", type: "Address" }),
    amount: t.expose("amount", { type: "UInt64", description: "Balance in atomic units; never 0." }),
  }),
});

const stepCursor = ({ height }: BalanceStep) => String(height);
const holderCursor = ({ address }: HolderOfThePast) => encodeAddress(address);

/** The cursors of a list, and whether there is more. */
export function pageInfoOf<Item>(
  { items, hasNextPage, hasPreviousPage }: Connection<Item>,
  cursorOf: (item: Item) => string,
) {
  const [first] = items;
  const last = items.at(-1);
  return { startCursor: first && cursorOf(first), endCursor: last && cursorOf(last), hasNextPage, hasPreviousPage };
}

export const BalanceHistory = builder.objectRef<Connection<BalanceStep>>("BalanceHistory").implement({
  description: "Steps of a balance, the newest first.",
  fields: (t) => ({
    data: t.field({
      extensions: requestedEntries,
      description: "Steps of the page.",
      type: [Step],
      resolve: ({ items }) => items,
    }),
    pageInfo: t.field({
      description: "Whether there are older steps, and from which cursor.",
      type: PageInfoType,
      resolve: (list) => pageInfoOf(list, stepCursor),
    }),
  }),
});

const PastHolders = builder.objectRef<Connection<HolderOfThePast>>("PastHolders").implement({
  description: "Holders of a mosaic at a height, in the order in which the chain first names them.",
  fields: (t) => ({
    data: t.field({
      extensions: requestedEntries,
      description: "Holders of the page.",
      type: [PastHolder],
      resolve: ({ items }) => items,
    }),
    pageInfo: t.field({
      description: "Whether there are more holders, and from which cursor.",
      type: PageInfoType,
      resolve: (list) => pageInfoOf(list, holderCursor),
    }),
  }),
});

interface CursorArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/** Arguments of a list without a total. */
export const cursorArguments = builder.args((t) => ({
  first: t.int({
    extensions: requestsEntries({ read: (first) => first, byDefault: DEFAULT_FIRST }),
    description: `Number of entries: 1 to ${MAX_FIRST}, by default ${DEFAULT_FIRST}.`,
  }),
  after: t.string({ description: "Cursor of the entry after which to start: endCursor of the previous page." }),
}));

const heightArgument = builder.args((t) => ({
  height: t.field({
    type: "SafeInt",
    required: true,
    description: "Height of the block after which balances are computed.",
  }),
}));

/** Reads one more entry than returned: it shows whether there is a next page. */
export async function readConnection<Item, Cursor>(
  { first, after }: CursorArguments,
  parseCursor: (text: string) => Cursor | undefined,
  read: (first: number, after: Cursor | undefined) => Promise<readonly Item[]>,
): Promise<Connection<Item>> {
  const count = first ?? DEFAULT_FIRST;
  if (count < 1 || count > MAX_FIRST) throw invalidArgument(`first must be from 1 to ${MAX_FIRST}, not ${count}`);
  const cursor = after == null ? undefined : parseCursor(after);
  if (after != null && cursor === undefined) throw invalidContent("after", "the endCursor of a page");
  const items = await read(count + 1, cursor);
  return { items: items.slice(0, count), hasNextPage: items.length > count, hasPreviousPage: after != null };
}

/** The height in a cursor, or undefined. */
export const parseHeight = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);

/**
 * The database, for reading balances of the past.
 * @throws ApiError ServiceUnavailable until the history is complete, InvalidArgument for a height that is not indexed
 */
export async function historyDb(context: Context, height?: number): Promise<Db> {
  const { db } = context;
  if (!(await isBalanceHistoryWhole(db))) {
    throw serviceUnavailable("the balance history is not complete yet: try again");
  }
  if (height === undefined) return db;
  const head = await joinsOf(context).indexPoint();
  if (height > head.height)
    throw invalidArgument(`height must be at most ${head.height}, the chain's height, not ${height}`);
  return db;
}

/** Balance of an account at a height, atomic units. */
export async function balanceAtHeight(context: Context, holding: Holding, height: number): Promise<bigint> {
  await historyDb(context, height);
  return joinsOf(context).balanceAt.load({ ...holding, height });
}

/** Steps of a balance, with cursors. */
export async function balanceHistory(context: Context, holding: Holding, list: CursorArguments) {
  const db = await historyDb(context);
  return readConnection(list, parseHeight, (first, before) => readBalanceSteps(db, holding, { first, before }));
}

builder.queryFields((t) => ({
  balanceAt: t.field({
    type: "UInt64",
    description: "Balance of an account at a height, atomic units; 0 if it had none, or did not exist.",
    args: {
      address: t.arg({ description: "Address of the account.", type: "Address", required: true }),
      mosaicId: t.arg({ description: "Id of the mosaic.", type: "ArtifactId", required: true }),
      ...heightArgument,
    },
    resolve: (_root, { height, ...holding }, context) => balanceAtHeight(context, holding, height),
  }),
  balanceHistory: t.field({
    type: BalanceHistory,
    description: "Every block that changed an account's balance of a mosaic, the newest first.",
    args: {
      address: t.arg({ description: "Address of the account.", type: "Address", required: true }),
      mosaicId: t.arg({ description: "Id of the mosaic.", type: "ArtifactId", required: true }),
      ...cursorArguments,
    },
    resolve: (_root, { address, mosaicId, ...list }, context) => balanceHistory(context, { address, mosaicId }, list),
  }),
  holdersAt: t.field({
    type: PastHolders,
    description: "Holders of a mosaic at a height. Amounts held by locks are not included.",
    args: {
      mosaicId: t.arg({ description: "Id of the mosaic.", type: "ArtifactId", required: true }),
      ...heightArgument,
      ...cursorArguments,
    },
    resolve: async (_root, { mosaicId, height, ...list }, context) => {
      const db = await historyDb(context, height);
      return readConnection(list, parseAddress, (first, after) =>
        readPastHolders(db, { mosaicId, height }, { first, after }),
      );
    },
  }),
}));
