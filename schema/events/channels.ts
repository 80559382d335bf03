import type { ChannelName } from "../../catapult/body/message.js";

export type { ChannelName };

/** A channel: what it tells, and whether it can be narrowed to an address. */
export interface Channel {
  readonly addressed: boolean;
  readonly description: string;
}

/**
 * Every channel of `catapult/body/message.ts`, by its name: the name of the GraphQL subscription, of the `/ws` channel and of the events that feed it.
 * Which of them are fed is decided by what the indexer writes, nowhere else.
 */
export const channels = {
  block: { addressed: false, description: "A block was added to the chain." },
  finalizedBlock: {
    addressed: false,
    description: "Blocks were finalized: the highest one. Every lower block is final too.",
  },
  confirmedAdded: { addressed: true, description: "A transaction was included in a block." },
  unconfirmedAdded: { addressed: true, description: "A transaction now waits for a block." },
  unconfirmedRemoved: { addressed: true, description: "A transaction no longer waits for a block." },
  partialAdded: { addressed: true, description: "A bonded aggregate now waits for cosignatures." },
  partialRemoved: { addressed: true, description: "A bonded aggregate no longer waits for cosignatures." },
  cosignature: { addressed: true, description: "A cosignature was added to a bonded aggregate that waits for them." },
  status: { addressed: true, description: "A transaction was refused." },
  droppedBlocks: { addressed: false, description: "A fork dropped blocks: the heights that are gone." },
} as const satisfies Record<ChannelName, Channel>;

/** True for the name of a channel. */
export function isChannelName(name: string): name is ChannelName {
  return Object.hasOwn(channels, name);
}
