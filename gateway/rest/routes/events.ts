import { z } from "zod";
import { parseTopic } from "../../../schema/events/topic.js";
import { EVENTS_PATH } from "../../events/event-streams.js";
import { header, query, queryList } from "../route/argument.js";
import { type ArgumentType, sequence } from "../route/argument-types.js";
import { type Route, streamRoute } from "../route/route.js";

const EventStreamText = z
  .string()
  .meta({ description: "Server-sent events: each has the sequence as `id`, and a message of `/ws` as `data`." });

/** A stream catches up with all of its topics together. */
const MAX_TOPICS = 1_000;

/** A topic of `/ws`, as the client spelled it. */
const topic: ArgumentType<string> = {
  schema: { type: "string", pattern: "^[A-Za-z]+(/([A-Z2-7]{39}|[0-9A-Fa-f]{48}|[0-9A-Fa-f]{16}))?$" },
  parse: (_name, given) => {
    parseTopic(given);
    return given;
  },
};

export const eventRoutes: readonly Route[] = [
  streamRoute(
    {
      method: "GET",
      path: EVENTS_PATH,
      operationId: "streamEvents",
      tag: "Events",
      summary: "Streams messages of the WebSocket channels as server-sent events; the id of each is its sequence.",
      arguments: {
        topic: queryList(topic, "A channel, or `<channel>/<address>`, as on `/ws`; at least one.", MAX_TOPICS),
        from: query(sequence, "Sequence of the first wanted event; by default, only live events are sent."),
        "Last-Event-ID": header(sequence, "Sequence of the last received event, to resume after; overrides `from`."),
      },
      result: EventStreamText,
      mediaType: "text/event-stream",
    },
    ({ topic: topics = [], from, "Last-Event-ID": lastEventId }) => ({ topics, from, lastEventId }),
  ),
];
