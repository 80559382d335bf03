import type { DepositBody } from "../../catapult/json/deposit.js";
import { checkHeights, given, spanArguments, timeArguments } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import { connectionType, cursorArguments, readConnection } from "../graph/connection.js";
import { loadersOf } from "../graph/loaders.js";
import { members } from "../graph/members.js";
import { OrderType } from "../graph/page.js";
import { limitedToTimes } from "../network/time.js";
import { parseMovementPosition } from "./account-movements.js";
import { historyDb } from "./balance-history.js";
import { readDeposits } from "./deposits.js";

const Deposit = builder.objectRef<DepositBody>("Deposit").implement({
  description: "An amount that an account received by a transfer of another account.",
  fields: (t) => ({
    body: t.field({ type: "JSON", description: "The REST body.", resolve: (deposit) => deposit }),
    ...members(t, {
      key: [
        "String",
        "Names the deposit for ever, whatever block a fork moves it to: credit each key once. As in the books.",
      ],
      height: ["SafeInt", "Height of the block."],
      time: ["Time?", "Time of the block; null while the index does not know the network's time."],
      confirmations: ["Int", "Number of blocks above its own."],
      isFinal: ["Boolean", "Whether no fork can take it back any more."],
      hash: ["Hash256", "Hash of the transaction, or of the aggregate that contains it."],
      embeddedIndex: ["Int?", "Position in the aggregate, from 0; null if it is not embedded."],
      sender: ["String", "Address of the sender."],
      recipient: ["String", "Address of the account, also if the transfer names an alias."],
      mosaicId: ["ArtifactId", "Id of the mosaic, also if the transfer names an alias."],
      amount: ["UInt64", "Amount in atomic units of the mosaic."],
      units: ["String?", "Amount in whole units of the mosaic; null if the mosaic is unknown."],
      message: ["String?", "Plain text of the message; null if there is none, or it is no text."],
      messageHex: ["Hex?", "The message's bytes, of which the first is the kind; null if it is empty."],
    }),
  }),
});

const Deposits = connectionType("Deposits", {
  description: "Deposits of an account.",
  entry: Deposit,
  entries: "Deposits of the page.",
  pageInfo: "Whether there are more deposits, and from which cursor.",
  cursorOf: ({ id }) => id,
});

builder.queryField("deposits", (t) =>
  t.field({
    type: Deposits,
    description:
      "Amounts that an account received by transfers of other accounts, embedded ones too. Aliases are resolved, and an " +
      "amount that was sent on in the same block is in the list as well.",
    args: {
      address: t.arg({ type: "Address", required: true, description: "Address of the account." }),
      mosaicId: t.arg({ type: "ArtifactId", description: "Only this mosaic." }),
      final: t.arg.boolean({ description: "true: only those that no fork can take back any more." }),
      ...spanArguments,
      ...timeArguments,
      order: t.arg({ type: OrderType, description: "Sort direction; desc by default." }),
      ...cursorArguments,
    },
    resolve: async (
      _root,
      { address, first: count, after: cursor, order, fromTime, toTime, final, ...args },
      context,
    ) => {
      const filter = { ...given(args), address };
      checkHeights(filter);
      const db = await historyDb(context);
      const { finalizedHeight } = await loadersOf(context).indexPoint();
      const toHeight = final ? Math.min(finalizedHeight, filter.toHeight ?? finalizedHeight) : filter.toHeight;
      const limited = await limitedToTimes(context, { ...filter, toHeight }, { fromTime, toTime });
      return readConnection({ first: count, after: cursor }, parseMovementPosition, (first, after) =>
        readDeposits(db, limited, { first, after, order: order ?? "desc" }),
      );
    },
  }),
);
