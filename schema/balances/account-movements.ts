import { hex } from "../../catapult/entity/hex.js";
import {
  type AccountMovement,
  balancesAfter,
  type MovementFilter,
  type MovementPosition,
  readAccountMovements,
} from "../../database/balances/account-movements.js";
import { checkHeights, given, spanArguments, timeArguments } from "../graph/arguments.js";
import { accountOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { type Connection, connectionType, cursorArguments, readConnection } from "../graph/connection.js";
import type { Context } from "../graph/context.js";
import { textOfMessage } from "../graph/formats.js";
import { loadersOf } from "../graph/loaders.js";
import { makeMembers } from "../graph/members.js";
import { OrderType } from "../graph/page.js";
import { addressIn } from "../graph/state.js";
import { Account } from "../graph/types.js";
import { limitedToTimes, timeField } from "../network/time.js";
import { historyDb } from "./balance-history.js";
import { Cause } from "./balance-movements.js";

/** A movement on a page, whose balances are computed together if they are requested. */
class Entry {
  readonly movement: AccountMovement;
  readonly balance: () => Promise<bigint>;

  constructor(movement: AccountMovement, balance: () => Promise<bigint>) {
    this.movement = movement;
    this.balance = balance;
  }
}

const Movement = builder.objectRef<Entry>("AccountMovement").implement({
  description: "What one cause did to the account's balance of a mosaic.",
  fields: (t) => ({
    time: timeField(t, "Time of the block.", ({ movement }) => movement.timestamp),
    ...makeMembers(t, ({ movement }: Entry) => movement, {
      key: [
        "String",
        "Names the movement in all of the network, whatever the filter: hash of the transaction, or of the block if " +
          "it is the cause, and a number. A transaction that a fork moves to another block keeps its keys.",
      ],
      height: ["SafeInt", "Height of the block."],
      hash: ["Hash256?", "Hash of the transaction, or of its aggregate; null if the block itself is the cause."],
      cause: [Cause, "The cause."],
      receiptType: ["Int?", "Type of the receipt that states it; null for what follows from a transaction itself."],
      counterparty: ["Address?", "Address of the account with the opposite change; null if there is none."],
      mosaicId: ["ArtifactId", "Id of the mosaic."],
    }),
    embeddedIndex: t.int({
      nullable: true,
      description: "Index in the aggregate of the embedded transaction that is the cause; null if it is not one.",
      resolve: ({ movement }) => (movement.embeddedIndex === 0 ? null : movement.embeddedIndex - 1),
    }),
    message: t.field({
      type: "Hex",
      nullable: true,
      description: "Message of the transfer; its first byte is the kind. Null if it has none, and for other causes.",
      resolve: ({ movement: { message } }) => message && hex(message),
    }),
    messageText: t.string({
      nullable: true,
      description: "Plain text of the message; null if it has none, or one that is encrypted or no text.",
      resolve: ({ movement: { message } }) => message && textOfMessage(message),
    }),
    divisibility: t.int({
      nullable: true,
      description: "Number of decimal places of the mosaic; null for an unknown mosaic.",
      resolve: ({ movement }, _args, context) => loadersOf(context).divisibility.load(movement.mosaicId),
    }),
    change: t.string({
      description: "Change of the balance: signed atomic units, as text.",
      resolve: ({ movement }) => String(movement.change),
    }),
    balance: t.field({
      type: "UInt64",
      description:
        "Balance after the movement, atomic units; movements of a block are in the order of its transactions.",
      resolve: ({ balance }) => balance(),
    }),
  }),
});

const Movements = connectionType("AccountMovements", {
  description: "Movements of an account's balances.",
  entry: Movement,
  entries: "Movements of the page.",
  pageInfo: "Whether there are more movements, and from which cursor.",
  cursorOf: ({ movement }) => `${movement.height}.${movement.position}`,
});

builder.objectField(Account, "movements", (t) =>
  t.field({
    type: Movements,
    description:
      "Everything that moved the account's balances: transfers, fees, rewards, locks, rents. The sums of the changes " +
      "up to a height are the balances at that height.",
    args: {
      mosaicId: t.arg({ type: "ArtifactId", description: "Only this mosaic." }),
      ...spanArguments,
      ...timeArguments,
      order: t.arg({ type: OrderType, description: "Sort direction; desc by default." }),
      ...cursorArguments,
    },
    resolve: async (entry, { first, after, order, fromTime, toTime, ...args }, context) => {
      const filter = { ...given(args), address: addressIn(accountOf(entry).address) };
      checkHeights(filter);
      const limited = await limitedToTimes(context, filter, { fromTime, toTime });
      return readMovements(context, limited, { first, after, order: order ?? "desc" });
    },
  }),
);

async function readMovements(
  context: Context,
  filter: MovementFilter,
  { order, ...list }: { first?: number | null | undefined; after?: string | null | undefined; order: "asc" | "desc" },
): Promise<Connection<Entry>> {
  const db = await historyDb(context);
  return readConnection(list, parseMovementPosition, async (first, after) => {
    const movements = await readAccountMovements(db, filter, { first, after, order });
    let balances: Promise<bigint[]> | undefined;
    return movements.map(
      (movement, index) =>
        new Entry(movement, async () => {
          balances ??= balancesAfter(db, filter.address, movements);
          return (await balances)[index] ?? 0n;
        }),
    );
  });
}

/** The position that a cursor names, or undefined. */
export function parseMovementPosition(text: string): MovementPosition | undefined {
  const [, height, position] = /^(\d{1,10})\.(\d{1,10})$/.exec(text) ?? [];
  return height === undefined ? undefined : { height: Number(height), position: Number(position) };
}
