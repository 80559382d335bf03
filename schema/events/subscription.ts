import { type ChannelName, channels, type MessageBody } from "../../catapult/nouns/message.js";
import type { AnyOf } from "../../catapult/values/scalars.js";
import type { PublishedEvent } from "../feed/published-event.js";
import { builder } from "../graph/builder.js";
import type { Context } from "../graph/context.js";
import { blockField, hashTransactionField } from "../graph/joins.js";
import { members } from "../graph/members.js";
import { eventTopicOf, type Topic } from "./topic.js";

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
      document: ["String", "The message's data as JSON text.", "data"],
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
  if (addressed) addressedChannel(channel, description);
  else plainChannel(channel, description);
}

function plainChannel(channel: ChannelName, description: string): void {
  builder.subscriptionField(channel, (t) =>
    t.field({
      type: Event,
      description,
      args: { from: t.arg({ type: "SafeInt", description: FROM }) },
      subscribe: (_root, { from }, context) => listen(context, { channel }, from),
      resolve: (event) => event,
    }),
  );
}

function addressedChannel(channel: ChannelName, description: string): void {
  builder.subscriptionField(channel, (t) =>
    t.field({
      type: Event,
      description: `${description} Without an address: all events of the channel.`,
      args: {
        address: t.arg.string({ description: ADDRESS }),
        from: t.arg({ type: "SafeInt", description: FROM }),
      },
      subscribe: (_root, { address, from }, context) =>
        listen(context, { channel, address: address ?? undefined }, from),
      resolve: (event) => event,
    }),
  );
}

async function listen({ db, events, client }: Context, topic: Topic, from: number | null | undefined) {
  const feed = await events.events([await eventTopicOf(db, topic)], from ?? undefined, undefined, { client });
  return feed.oneByOne();
}
