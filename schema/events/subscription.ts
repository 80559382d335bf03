import type { EventTopic, StoredEvent } from "../../database/queries/events.js";
import { builder } from "../graph/builder.js";
import type { Context } from "../graph/context.js";
import { type ChannelName, channels } from "./channels.js";
import { listenedAddress } from "./listened-address.js";
import { ResumedSubscription } from "./resumed-subscription.js";

builder.subscriptionType({
  description: "What happens on the chain, as it happens: the channels of the WebSocket interface.",
});

export const Event = builder.objectRef<StoredEvent>("Event").implement({
  description: "One message of a channel.",
  fields: (t) => ({
    sequence: t.expose("sequence", {
      type: "SafeInt",
      description: "Number of the event, from 1, growing over all channels: what happened later has a greater one.",
    }),
    height: t.expose("height", {
      type: "SafeInt",
      description:
        "The height it belongs to; of droppedBlocks the last one that was kept, of what is in no block the chain's.",
    }),
    body: t.field({ type: "JSON", description: "The message's data.", resolve: (event) => JSON.parse(event.data) }),
    document: t.exposeString("data", { description: "The message's data as JSON text." }),
  }),
});

const ADDRESS =
  "Whom it concerns: 39 base32 characters or 48 hex digits, or a namespace id of 16 hex digits for its alias.";
const FROM =
  "Sequence of the first event that is wanted: what was missed comes first, then what happens. Without it, what happens from now on.";

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
      description: `${description} Without an address: those of everybody.`,
      args: {
        address: t.arg.string({ description: ADDRESS }),
        from: t.arg({ type: "SafeInt", description: FROM }),
      },
      subscribe: async (_root, { address, from }, context) => {
        const topic = { channel, address: address == null ? undefined : await listenedAddress(context.db, address) };
        return listen(context, topic, from);
      },
      resolve: (event) => event,
    }),
  );
}

async function listen(context: Context, topic: EventTopic, from: number | null | undefined) {
  if (from == null) return context.events.subscribe(topic);
  return new ResumedSubscription(context, topic, from).open();
}
