import { type ChannelName, channels, type MessageBody } from "../../catapult/structs/message.js";
import type { AnyOf } from "../../catapult/values/scalars.js";
import type { PublishedEvent } from "../feed/published-event.js";
import { builder } from "../graph/builder.js";
import type { Context } from "../graph/context.js";
import { blockField, hashTransactionField } from "../graph/loaders.js";
import { members } from "../graph/members.js";
import { type Topic, toEventTopic } from "./topic.js";

builder.subscriptionType({
  description: "Live events of the chain: the channels of the WebSocket interface.",
});

const Event = builder.objectRef<PublishedEvent>("Event").implement({
  description: "A message of a channel.",
  fields: (t) => ({
    ...members(t, {
      sequence: ["SafeInt", "Number of the event, from 1, increasing over all channels."],
      height: [
        "SafeInt",
        "Height of the event's block; for droppedBlocks the last one that was kept, for events outside blocks that of the chain.",
      ],
    }),
    body: t.field({ type: "JSON", description: "The message's data.", resolve: (event) => event }),
    block: blockField(t, "The block at the event's height on the current chain.", ({ height }) => height),
    transaction: hashTransactionField(t, "The transaction of the event, if it is confirmed.", ({ data }) => {
      const { meta, hash, parentHash }: AnyOf<MessageBody> = JSON.parse(data);
      return (meta && "hash" in meta ? meta.hash : undefined) ?? parentHash ?? hash;
    }),
  }),
});

const ADDRESS =
  "Limits the channel to an address: 39 base32 characters or 48 hex digits, or a namespace id of 16 hex digits for its alias.";
const FROM =
  "Sequence of the first wanted event: missed events come first, then live ones. By default only live events.";

for (const [name, { addressed, description }] of Object.entries(channels)) {
  const channel = name as ChannelName;
  builder.subscriptionField(channel, (t) => {
    const from = t.arg({ type: "SafeInt", description: FROM });
    const address = t.arg.string({ description: ADDRESS });
    return t.field({
      type: Event,
      description: addressed ? `${description} Without an address: all events of the channel.` : description,
      args: (addressed ? { address, from } : { from }) as { address: typeof address; from: typeof from },
      subscribe: (_root, given, context) =>
        listen(context, { channel, address: given.address ?? undefined }, given.from),
      resolve: (event) => event,
    });
  });
}

async function listen({ db, events, client }: Context, topic: Topic, from: number | null | undefined) {
  const feed = await events.events([await toEventTopic(db, topic)], from ?? undefined, undefined, { client });
  return feed.oneByOne();
}
