import type { z } from "zod";
import type { AnyOf, BodyOf } from "../values/scalars.js";
import { BlockMessage, DroppedBlocksMessage, FinalizedBlockDTO } from "./block.js";
import { CosignatureMessage, RemovedMessage, StatusMessage, TransactionMessage } from "./transaction.js";

/** Every channel of `/ws`, by its name, with the schema of `data` in its messages. */
export const messages = {
  block: BlockMessage,
  finalizedBlock: FinalizedBlockDTO,
  confirmedAdded: TransactionMessage,
  unconfirmedAdded: TransactionMessage,
  unconfirmedRemoved: RemovedMessage,
  partialAdded: TransactionMessage,
  partialRemoved: RemovedMessage,
  cosignature: CosignatureMessage,
  status: StatusMessage,
  droppedBlocks: DroppedBlocksMessage,
} as const satisfies Record<string, z.ZodType>;

/** The name of a channel. */
export type ChannelName = keyof typeof messages;

/** The `data` of a message of any channel. */
export type MessageBody = BodyOf<(typeof messages)[ChannelName]>;

type BlockChannel = "block" | "finalizedBlock" | "droppedBlocks";

/** The `data` of a message about a transaction, whichever its channel is. */
export type TransactionEventBody = AnyOf<BodyOf<(typeof messages)[Exclude<ChannelName, BlockChannel>]>>;
