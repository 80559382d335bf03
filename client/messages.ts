import type { components } from "./openapi.js";

type Schemas = components["schemas"];

/** The data of the messages of each channel. */
export interface Channels {
  readonly block: Schemas["BlockMessage"];
  readonly finalizedBlock: Schemas["FinalizedBlockDTO"];
  readonly confirmedAdded: Schemas["TransactionMessage"];
  readonly unconfirmedAdded: Schemas["TransactionMessage"];
  readonly unconfirmedRemoved: Schemas["RemovedMessage"];
  readonly partialAdded: Schemas["TransactionMessage"];
  readonly partialRemoved: Schemas["RemovedMessage"];
  readonly cosignature: Schemas["CosignatureMessage"];
  readonly status: Schemas["StatusMessage"];
  readonly droppedBlocks: Schemas["DroppedBlocksMessage"];
}

/** Channels without addresses. */
type OfChain = "block" | "finalizedBlock" | "droppedBlocks";

/** A channel, or `<channel>/<address>`. */
export type Topic = keyof Channels | `${Exclude<keyof Channels, OfChain>}/${string}`;

type ChannelOf<T extends Topic> = T extends `${infer Channel extends keyof Channels}/${string}` ? Channel : T;

/** A message of a topic. */
export interface Message<T extends Topic = Topic> {
  readonly topic: T;
  readonly data: Channels[ChannelOf<T> & keyof Channels];
  /** Number of the event, increasing over all channels. */
  readonly sequence: number;
}
