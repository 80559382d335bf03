import type { EventTopic, StoredEvent } from "../../database/queries/events.js";
import { builder } from "../graph/builder.js";
import { costs, heavy } from "../graph/cost.js";
import { invalidArgument } from "../services/errors.js";
import { keyOf, keysOf } from "../services/event-topics.js";
import { channels, isChannelName } from "./channels.js";
import { listenedAddress } from "./listened-address.js";
import { readMissed } from "./missed-events.js";
import { Event } from "./subscription.js";

/** As many as a page of missed events has. */
const MAX_EVENTS = 100;
/** As many as a connection to `/ws` may have by default. */
const MAX_TOPICS = 1_000;

interface MissedEvent {
  readonly event: StoredEvent;
  readonly topics: readonly number[];
}

const MissedEventType = builder.objectRef<MissedEvent>("MissedEvent").implement({
  description: "An event, and why it is told.",
  fields: (t) => ({
    event: t.field({ description: "What happened.", type: Event, resolve: ({ event }) => event }),
    topics: t.field({
      type: ["SafeInt"],
      description: "Which of the topics that were asked for it belongs to: their places in the list, from 0.",
      resolve: ({ topics }) => [...topics],
    }),
  }),
});

const MissedEventsType = builder
  .objectRef<{ data: readonly MissedEvent[]; through: number; isLast: boolean }>("MissedEvents")
  .implement({
    description: "Events that happened already: all there are up to a sequence.",
    fields: (t) => ({
      data: t.field({
        type: [MissedEventType],
        extensions: costs({ entries: MAX_EVENTS }),
        description: "In their order.",
        resolve: ({ data }) => [...data],
      }),
      through: t.expose("through", {
        type: "SafeInt",
        description: "Nothing up to this sequence is missing; go on with the next one.",
      }),
      isLast: t.exposeBoolean("isLast", { description: "Whether there is nothing more by now." }),
    }),
  });

const TopicInput = builder.inputType("TopicInput", {
  description: "What is listened to.",
  fields: (t) => ({
    channel: t.string({ required: true, description: `One of ${Object.keys(channels).join(", ")}.` }),
    address: t.string({
      description: "39 base32 characters or 48 hex digits, or a namespace id of 16 hex digits for its alias.",
    }),
  }),
});

builder.queryField("missedEvents", (t) =>
  t.field({
    type: MissedEventsType,
    extensions: heavy,
    description: "What happened while one was away. Events are kept for a while only.",
    args: {
      topics: t.arg({ description: "At most 1000.", type: [TopicInput], required: true }),
      from: t.arg({ type: "SafeInt", required: true, description: "Sequence of the first event that is wanted." }),
    },
    resolve: async (_root, { topics, from }, context) => {
      if (topics.length > MAX_TOPICS) throw invalidArgument(`topics must not be more than ${MAX_TOPICS}`);
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
