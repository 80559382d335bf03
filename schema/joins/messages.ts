import { formatEntityId, parseEntityId } from "../../catapult/json/entity-id.js";
import { type FoundMessage, findMessages, hasMessageIndex, wordsOf } from "../../database/queries/messages.js";
import { Transaction } from "../chain/transaction.js";
import { checkHeights, given, spanArguments, timeArguments } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import { heavy } from "../graph/cost.js";
import { limitedToTimes } from "../network/time.js";
import { invalidArgument, serviceUnavailable } from "../services/errors.js";
import { connectionType, cursorArguments, readConnection } from "./connection.js";
import { joinsOf } from "./joins.js";

/** Characters of the searched text, and words in it. */
const MAX_TEXT = 200;
const MAX_WORDS = 16;

const Message = builder.objectRef<FoundMessage>("TransferMessage").implement({
  description: "The plain message of a transfer.",
  fields: (t) => ({
    text: t.exposeString("text", { description: "The message: whatever its sender wrote." }),
    transactionId: t.expose("id", { type: "EntityId", description: "Id of the transfer, which may be embedded." }),
    transaction: t.field({
      type: Transaction,
      nullable: true,
      description: "The transfer; null if its block was rolled back meanwhile.",
      resolve: ({ id }, _args, context) => joinsOf(context).transaction.load(id),
    }),
  }),
});

const Messages = connectionType("TransferMessages", {
  description: "Messages of transfers.",
  entry: Message,
  entries: "Messages of the page.",
  pageInfo: "Whether there are older messages, and from which cursor.",
  cursorOf: ({ id }) => formatEntityId(id),
});

builder.queryField("messages", (t) =>
  t.field({
    type: Messages,
    extensions: heavy,
    description:
      "Plain messages of confirmed transfers, also embedded ones, that have all the given words, the newest first. " +
      "Words are whole ones, in any case. The indexer has to create the index over messages (MESSAGE_INDEX).",
    args: {
      words: t.arg.string({
        required: true,
        description: `The words: at most ${MAX_WORDS}, of ${MAX_TEXT} characters together.`,
      }),
      ...spanArguments,
      ...timeArguments,
      ...cursorArguments,
    },
    resolve: async (_root, { words: text, ...args }, context) => {
      const { first, after, fromTime, toTime, ...span } = given(args);
      if (text.length > MAX_TEXT || text.includes("\0")) {
        throw invalidArgument(`words must have at most ${MAX_TEXT} characters, none of them U+0000`);
      }
      checkHeights(span);
      if (!(await hasMessageIndex(context.db))) {
        throw serviceUnavailable("messages are not indexed: the indexer creates the index with MESSAGE_INDEX=on");
      }
      const words = await wordsOf(context.db, text);
      if (words.length === 0) throw invalidArgument("words must contain a word");
      if (words.length > MAX_WORDS) {
        throw invalidArgument(`words must contain at most ${MAX_WORDS} words, not ${words.length}`);
      }
      const search = await limitedToTimes(context, { ...span, text }, { fromTime, toTime });
      return readConnection({ first, after }, parseEntityId, (count, start) =>
        findMessages(context.db, search, { first: count, after: start }),
      );
    },
  }),
);
