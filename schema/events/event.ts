import type { EventTopic, StoredEvent } from "../../database/queries/events.js";
import { builder } from "../graph/builder.js";
import { members } from "../graph/members.js";
import { invalidArgument } from "../services/errors.js";
import { keyOf, keysOf } from "../services/event-topics.js";
import { channels, isChannelName } from "./channels.js";
import { listenedAddress } from "./listened-address.js";
import { readMissed } from "./missed-events.js";
import { Event } from "./subscription.js";

/** The default limit of a connection to `/ws`. */
const MAX_TOPICS = 1_000;

interface MissedEvent {
  readonly event: StoredEvent;
  readonly topics: readonly number[];
}

const MissedEventType = builder.objectRef<MissedEvent>("MissedEvent").implement({
  description: "An event, and the requested topics that it belongs to.",
  fields: (t) =>
    members(t, {
      event: [Event, "The event."],
      topics: [["SafeInt"], "Indexes of the requested topics that the event belongs to, from 0."],
    }),
});

const MissedEventsType = builder
  .objectRef<{ data: readonly MissedEvent[]; through: number; isLast: boolean }>("MissedEvents")
  .implement({
    description: "Past events: complete up to a sequence.",
    fields: (t) => ({
      data: t.field({
        type: [MissedEventType],
        description: "Events in the order of their sequences.",
        resolve: ({ data }) => [...data],
      }),
      ...members(t, {
        through: ["SafeInt", "No event up to this sequence is missing; continue with the next one."],
        isLast: ["Boolean", "Whether there are no more events at present."],
      }),
    }),
  });

const TopicInput = builder.inputType("TopicInput", {
  description: "A subscription target.",
  fields: (t) => ({
    channel: t.string({
      required: true,
      description: `Name of the channel: one of ${Object.keys(channels).join(", ")}.`,
    }),
    address: t.string({
      description: "Address: 39 base32 characters or 48 hex digits, or a namespace id of 16 hex digits for its alias.",
    }),
  }),
});

builder.queryField("missedEvents", (t) =>
  t.field({
    type: MissedEventsType,
    description: "Past events of some topics. Events are retained for a limited time.",
    args: {
      topics: t.arg({ description: "Topics, at most 1000.", type: [TopicInput], required: true }),
      from: t.arg({ type: "SafeInt", required: true, description: "Sequence of the first wanted event." }),
    },
    resolve: async (_root, { topics, from }, context) => {
      if (topics.length > MAX_TOPICS) throw invalidArgument(`there must be at most ${MAX_TOPICS} topics`);
      const wanted = await Promise.all(
        topics.map(async ({ channel, address }): Promise<EventTopic> => {
          if (!isChannelName(channel)) throw invalidArgument(`there is no channel ${JSON.stringify(channel)}`);
          if (address == null) return { channel };
          if (!channels[channel].addressed) throw invalidArgument(`the channel ${channel} takes no address`);
          return { channel, address: await listenedAddress(context.db, address) };
        }),
      );
      const { events, through, isLast } = await readMissed(context, wanted, from);
      return { data: sortByTopic(events, wanted), through, isLast };
    },
  }),
);

function sortByTopic(events: readonly StoredEvent[], topics: readonly EventTopic[]): MissedEvent[] {
  const places = new Map<string, number[]>();
  for (const [place, topic] of topics.entries()) {
    const key = keyOf(topic);
    places.set(key, [...(places.get(key) ?? []), place]);
  }
  return events.flatMap((event) => {
    const found = [...keysOf(event)].flatMap((key) => places.get(key) ?? []);
    return found.length > 0 ? [{ event, topics: found }] : [];
  });
}
