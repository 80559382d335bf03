import type { channels } from "./openapi.js";

/** The data of the messages of each channel. */
export type Channels = { readonly [Name in keyof channels]: channels[Name]["data"] };

/** Channels that can be limited to an address. */
type Addressed = {
  [Name in keyof channels]: channels[Name]["addressed"] extends true ? Name : never;
}[keyof channels];

/** A channel, or `<channel>/<address>`. */
export type Topic = keyof Channels | `${Addressed}/${string}`;

type ChannelOf<T extends Topic> = T extends `${infer Channel extends keyof Channels}/${string}` ? Channel : T;

/** A message of a topic. */
export interface Message<T extends Topic = Topic> {
  readonly topic: T;
  readonly data: Channels[ChannelOf<T> & keyof Channels];
  /** Number of the event, increasing over all channels. */
  readonly sequence: number;
}
