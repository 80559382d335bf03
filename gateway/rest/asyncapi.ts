import { type Channel, type ChannelName, channels, messages } from "../../catapult/structs/message.js";
import { HEARTBEAT } from "../../schema/events/topic.js";
import { EVENTS_PATH } from "../events/event-streams.js";
import { WEBSOCKET_PATH } from "../websocket/websocket.js";
import { responseSchemas } from "./response-schemas.js";
import type { JsonSchema } from "./route/argument-types.js";
import type { Origin } from "./route/route.js";

const ADDRESS = "([A-Z2-7]{39}|[0-9A-Fa-f]{48}|[0-9A-Fa-f]{16})";
const UID = "3cJ0oZbWqv9vZkR2mC1n";
const names = Object.keys(channels) as ChannelName[];

const text = (description: string, more: JsonSchema = {}): JsonSchema => ({ type: "string", description, ...more });
const sequence: JsonSchema = {
  type: "integer",
  minimum: 1,
  description: "Number of the event, from 1, increasing over all channels.",
};
const uid = text("The connection's uid: the first message contains it, and each request must repeat it.", {
  pattern: "^[A-Za-z0-9_-]{20}$",
});

/**
 * The description of `/ws` and `/events` in AsyncAPI 3.0: one message per channel, and those of the protocol;
 * {@link serversAt} completes it.
 */
export function describeMessages(version: string): JsonSchema {
  const { byKey, components } = responseSchemas(messages, "draft-7");
  const described = names.map((name) => [name, channelMessage(name, byKey[name]!)] as const);
  const refs = (keys: readonly string[]) =>
    Object.fromEntries(keys.map((key) => [key, { $ref: `#/components/messages/${key}` }]));
  const operation = (action: string, channel: string, summary: string, keys: readonly string[]) => ({
    action,
    channel: { $ref: `#/channels/${channel}` },
    summary,
    messages: keys.map((key) => ({ $ref: `#/channels/${channel}/messages/${key}` })),
  });
  return {
    asyncapi: "3.0.0",
    info: {
      title: "symbol-gateway",
      version,
      description: "Live and missed messages of a Symbol (catapult) chain, over a WebSocket or as server-sent events.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    defaultContentType: "application/json",
    channels: {
      webSocket: {
        address: WEBSOCKET_PATH,
        description:
          "Messages are JSON text in both directions. Add `?sequence` for the newest sequence in the greeting.",
        servers: [{ $ref: "#/servers/webSocket" }],
        messages: refs(["greeting", "subscribe", "unsubscribe", "error", HEARTBEAT, ...names]),
      },
      events: {
        address: EVENTS_PATH,
        description:
          "Server-sent events: the query names topics (`?topic=block&topic=status`), the id of each event is its sequence, and `Last-Event-ID` resumes.",
        servers: [{ $ref: "#/servers/http" }],
        messages: refs(["error", ...names]),
      },
    },
    operations: {
      sendMessages: operation("send", "webSocket", "Sends what was subscribed.", [
        "greeting",
        "error",
        HEARTBEAT,
        ...names,
      ]),
      receiveRequests: operation("receive", "webSocket", "Subscribes and unsubscribes.", ["subscribe", "unsubscribe"]),
      sendEvents: operation("send", "events", "Sends the messages of the topics in the query.", ["error", ...names]),
    },
    components: { messages: { ...protocolMessages, ...Object.fromEntries(described) }, schemas: components },
  };
}

/** The member `servers`, of the gateway as a client has named it. */
export function serversAt({ host, isOverTls }: Origin): JsonSchema {
  const server = (protocol: string, description: string) => ({
    ...{ host, protocol: isOverTls ? `${protocol}s` : protocol },
    description,
  });
  return { webSocket: server("ws", "The WebSocket interface."), http: server("http", "Server-sent events.") };
}

function channelMessage(name: ChannelName, data: JsonSchema): JsonSchema {
  const { addressed, description }: Channel = channels[name];
  const payload = {
    type: "object",
    required: ["topic", "data", "sequence"],
    properties: {
      topic: text("As subscribed.", { pattern: addressed ? `^${name}(/${ADDRESS})?$` : `^${name}$` }),
      data,
      sequence,
    },
  };
  const title = addressed ? `${name}[/<address>]` : name;
  return { name, title, summary: description, payload };
}

function object(properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", required, properties };
}

const topicPattern = `^(${[...names.map((name) => (channels[name].addressed ? `${name}(/${ADDRESS})?` : name)), HEARTBEAT].join("|")})$`;

const protocolMessages: Readonly<Record<string, JsonSchema>> = {
  greeting: {
    name: "greeting",
    title: "Greeting",
    summary: "The first message of a connection.",
    payload: object({ uid, sequence: { ...sequence, minimum: 0 } }, ["sequence"]),
    examples: [{ payload: { uid: UID } }, { payload: { uid: UID, sequence: 81_234 } }],
  },
  subscribe: {
    name: "subscribe",
    title: "Subscribe",
    summary: "Subscribes to a topic: a channel, or `<channel>/<address>`.",
    payload: object(
      {
        uid,
        subscribe: text("The topic.", { pattern: topicPattern }),
        from: { ...sequence, minimum: 0, description: "Sequence of the first wanted event, to resume." },
      },
      ["from"],
    ),
    examples: [
      { payload: { uid: UID, subscribe: "block" } },
      { payload: { uid: UID, subscribe: "confirmedAdded", from: 81_235 } },
    ],
  },
  unsubscribe: {
    name: "unsubscribe",
    title: "Unsubscribe",
    summary: "Ends a subscription.",
    payload: object({ uid, unsubscribe: text("The topic, as subscribed.", { pattern: topicPattern }) }),
    examples: [{ payload: { uid: UID, unsubscribe: "block" } }],
  },
  heartbeat: {
    name: HEARTBEAT,
    title: "Heartbeat",
    summary: "Sent every 15 s to who has subscribed to heartbeat, unless other messages wait: the connection works.",
    payload: object({ topic: text("Always heartbeat.", { enum: [HEARTBEAT] }), data: { type: "object" } }),
    examples: [{ payload: { topic: HEARTBEAT, data: {} } }],
  },
  error: {
    name: "error",
    title: "Error",
    summary: "A request, or the rest of a stream, cannot be fulfilled.",
    payload: object({
      topic: text("Always error.", { enum: ["error"] }),
      data: object(
        {
          code: text("As in REST."),
          message: text("What is wrong and what is valid."),
          oldest: { ...sequence, description: "Sequence of the oldest retained event, if `from` is out of range." },
          next: { ...sequence, description: "Sequence of the next event, if `from` is out of range." },
          request: {
            type: "object",
            description:
              "The request that it answers, without its `uid`; of a subscription that ends later `{subscribe}`, of a stream `{topic}`.",
          },
        },
        ["oldest", "next"],
      ),
    }),
    examples: [
      {
        payload: {
          topic: "error",
          data: {
            code: "InvalidArgument",
            message:
              "the oldest retained event is 70001, and the next one will be 81261: from must be from 70001 to 81261",
            oldest: 70_001,
            next: 81_261,
            request: { subscribe: "block" },
          },
        },
      },
    ],
  },
};
