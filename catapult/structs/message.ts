import type { z } from "zod";
import type { AnyOf, BodyOf } from "../values/scalars.js";
import { BlockMessage, DroppedBlocksMessage, FinalizedBlockDTO } from "./block.js";
import { CosignatureMessage, RemovedMessage, StatusMessage, TransactionMessage } from "./transaction.js";

/** A channel of events. */
export interface Channel {
  /** Of the `data` in its messages. */
  readonly data: z.ZodType;
  /** Whether it can be limited to an address. */
  readonly addressed: boolean;
  readonly description: string;
}

/**
 * Every channel by its name: that of the GraphQL subscription, of the `/ws` channel and of the events that feed it.
 * Which of them are fed is decided by what the indexer writes, nowhere else.
 */
export const channels = {
  block: { data: BlockMessage, addressed: false, description: "A block was added to the chain." },
  finalizedBlock: {
    data: FinalizedBlockDTO,
    addressed: false,
    description: "Blocks were finalized; the message has the highest one, and all lower blocks are final too.",
  },
  confirmedAdded: {
    data: TransactionMessage,
    addressed: true,
    description: "A transaction was included in a block.",
  },
  unconfirmedAdded: {
    data: TransactionMessage,
    addressed: true,
    description: "A transaction became unconfirmed: it is pending until a block includes it.",
  },
  unconfirmedRemoved: {
    data: RemovedMessage,
    addressed: true,
    description: "A transaction is no longer unconfirmed.",
  },
  partialAdded: {
    data: TransactionMessage,
    addressed: true,
    description: "A bonded aggregate became partial: it is pending until it has all cosignatures.",
  },
  partialRemoved: {
    data: RemovedMessage,
    addressed: true,
    description: "A bonded aggregate is no longer partial.",
  },
  cosignature: {
    data: CosignatureMessage,
    addressed: true,
    description: "A cosignature was added to a partial aggregate.",
  },
  status: {
    data: StatusMessage,
    addressed: true,
    description: "A transaction failed: it was rejected, or has expired.",
  },
  droppedBlocks: {
    data: DroppedBlocksMessage,
    addressed: false,
    description: "A fork dropped blocks; the message has their heights.",
  },
} as const satisfies Record<string, Channel>;

/** The name of a channel. */
export type ChannelName = keyof typeof channels;

/** Whether this is the name of a channel. */
export function isChannelName(name: string): name is ChannelName {
  return Object.hasOwn(channels, name);
}

/** The schemas of the data of all channels, by their names. */
export const messages: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  Object.entries(channels).map(([name, { data }]) => [name, data]),
);

type Data<Name extends ChannelName> = BodyOf<(typeof channels)[Name]["data"]>;

/** The `data` of a message of any channel. */
export type MessageBody = Data<ChannelName>;

/** The channels that can be limited to an address: those about a transaction. */
export type AddressedChannel = {
  [Name in ChannelName]: (typeof channels)[Name]["addressed"] extends true ? Name : never;
}[ChannelName];

/** The `data` of a message about a transaction, whichever its channel is. */
export type TransactionEventBody = AnyOf<Data<AddressedChannel>>;
