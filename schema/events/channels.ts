import type { ChannelName } from "../../catapult/nouns/message.js";

export type { ChannelName };

/** A channel: its description, and whether it can be limited to an address. */
export interface Channel {
  readonly addressed: boolean;
  readonly description: string;
}

/**
 * Every channel of `catapult/nouns/message.ts`, by its name: the name of the GraphQL subscription, of the `/ws` channel and of the events that feed it.
 * Which of them are fed is decided by what the indexer writes, nowhere else.
 */
export const channels = {
  block: { addressed: false, description: "A block was added to the chain." },
  finalizedBlock: {
    addressed: false,
    description: "Blocks were finalized; the event has the highest one, and all lower blocks are final too.",
  },
  confirmedAdded: { addressed: true, description: "A transaction was included in a block." },
  unconfirmedAdded: {
    addressed: true,
    description: "A transaction became unconfirmed: it is pending until a block includes it.",
  },
  unconfirmedRemoved: { addressed: true, description: "A transaction is no longer unconfirmed." },
  partialAdded: {
    addressed: true,
    description: "A bonded aggregate became partial: it is pending until it has all cosignatures.",
  },
  partialRemoved: { addressed: true, description: "A bonded aggregate is no longer partial." },
  cosignature: { addressed: true, description: "A cosignature was added to a partial aggregate." },
  status: { addressed: true, description: "A transaction was rejected." },
  droppedBlocks: { addressed: false, description: "A fork dropped blocks; the event has their heights." },
} as const satisfies Record<ChannelName, Channel>;

/** Whether this is the name of a channel. */
export function isChannelName(name: string): name is ChannelName {
  return Object.hasOwn(channels, name);
}
