import { builder } from "./builder.js";
import { type ChannelName, channels } from "./channels.js";
import type { StoredEvent } from "./db/events.js";
import { listenedAddress } from "./listened-address.js";

builder.subscriptionType({
  description: "What happens on the chain, as it happens: the channels of the WebSocket interface.",
});

const Event = builder.objectRef<StoredEvent>("Event").implement({
  description: "One message of a channel.",
  fields: (t) => ({
    sequence: t.expose("sequence", {
      type: "SafeInt",
      description: "Number of the event, from 1, growing over all channels: what happened later has a greater one.",
    }),
    height: t.expose("height", {
      type: "SafeInt",
      description: "The height it belongs to; of droppedBlocks the last one that was kept.",
    }),
    body: t.field({ type: "JSON", description: "The message's data.", resolve: (event) => JSON.parse(event.data) }),
    document: t.exposeString("data", { description: "The message's data as JSON text." }),
  }),
});

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
      subscribe: (_root, _args, { events }) => events.subscribe({ channel }),
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
        address: t.arg.string({
          description: "Whom it concerns: 39 base32 characters, or a namespace id of 16 hex digits for its alias.",
        }),
      },
      subscribe: async (_root, { address }, { db, events }) =>
        address == null
          ? events.subscribe({ channel })
          : events.subscribe({ channel, address: await listenedAddress(db, address) }),
      resolve: (event) => event,
    }),
  );
}
