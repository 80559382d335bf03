import { type Channel, type ChannelName, channels, messages } from "../../catapult/structs/message.js";
import { HEARTBEAT } from "../../schema/events/topic.js";
import protocol from "./asyncapi.json" with { type: "json" };
import { responseSchemas } from "./response-schemas.js";
import type { JsonSchema } from "./route/argument-types.js";
import type { Origin } from "./route/route.js";

const ADDRESS = "([A-Z2-7]{39}|[0-9A-Fa-f]{48}|[0-9A-Fa-f]{16})";
const names = Object.keys(channels) as ChannelName[];
const topicPatterns = names.map((name) => (channels[name].addressed ? `${name}(/${ADDRESS})?` : name));

/**
 * The description of `/ws` and `/events` in AsyncAPI 3.0: `asyncapi.json` describes the protocol, and each channel is
 * one more message. {@link serversAt} completes it.
 */
export function describeMessages(version: string): JsonSchema {
  const { byKey, components: schemas } = responseSchemas(messages, "draft-7");
  const topics = `^(${[...topicPatterns, HEARTBEAT].join("|")})$`;
  const known: typeof protocol = JSON.parse(JSON.stringify(protocol).replaceAll("{topics}", topics));
  const { webSocket, events } = known.channels;
  const { sendMessages, sendEvents } = known.operations;
  for (const name of names) {
    for (const channel of [webSocket, events])
      Object.assign(channel.messages, { [name]: { $ref: `#/components/messages/${name}` } });
    sendMessages.messages.push({ $ref: `#/channels/webSocket/messages/${name}` });
    sendEvents.messages.push({ $ref: `#/channels/events/messages/${name}` });
    Object.assign(known.components.messages, { [name]: describeChannel(name, byKey[name]!) });
  }
  return { ...known, info: { ...known.info, version }, components: { ...known.components, schemas } };
}

/** The member `servers`, of the gateway as a client has named it. */
export function serversAt({ host, isOverTls }: Origin): JsonSchema {
  const server = (protocol: string, description: string) => ({
    ...{ host, protocol: isOverTls ? `${protocol}s` : protocol },
    description,
  });
  return { webSocket: server("ws", "The WebSocket interface."), http: server("http", "Server-sent events.") };
}

function describeChannel(name: ChannelName, data: JsonSchema): JsonSchema {
  const { addressed, description }: Channel = channels[name];
  const pattern = addressed ? `^${name}(/${ADDRESS})?$` : `^${name}$`;
  const sequence = { ...protocol.components.messages.greeting.payload.properties.sequence, minimum: 1 };
  const payload = {
    type: "object",
    required: ["topic", "data", "sequence"],
    properties: { topic: { type: "string", description: "As subscribed.", pattern }, data, sequence },
  };
  return { name, title: addressed ? `${name}[/<address>]` : name, summary: description, payload };
}
