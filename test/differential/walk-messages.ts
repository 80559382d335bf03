import type { Block } from "../../catapult/entity/model.js";
import { channels } from "../../catapult/structs/message.js";
import { EventStreamClient } from "../support/event-stream-client.js";
import { MessageOrder, type OrderedMessage } from "../support/message-order.js";
import { startTestGateway, type TestGatewayOptions } from "../support/test-gateway.js";
import { until } from "../support/until.js";

const RECEIVE_MS = 300_000;

/** Reads every message of an index from `/events`, up to a sequence. */
export async function readMessages(options: TestGatewayOptions, sequence: number): Promise<OrderedMessage[]> {
  const gateway = await startTestGateway(options);
  const query = new URLSearchParams([...Object.keys(channels).map((topic) => ["topic", topic]), ["from", "1"]]);
  const messages: OrderedMessage[] = [];
  const stream = EventStreamClient.open(`http://127.0.0.1:${gateway.port}/events?${query}`, {}, ({ data }) => {
    const { topic, ...message } = JSON.parse(data);
    messages.push({ channel: topic, ...message });
  });
  try {
    await stream.opened();
    const isThere = () => (messages.at(-1)?.sequence ?? 0) >= sequence || stream.isClosed;
    await until(isThere, `message ${sequence}`, RECEIVE_MS, () => messages.length);
    return messages;
  } finally {
    stream.close();
    await gateway.stop();
  }
}

/** What is wrong with the messages of a chain: their order, and what they confirm in the end, after the first block. */
export function messageProblems(messages: readonly OrderedMessage[], blocks: readonly Block[]): MessageReport {
  const order = new MessageOrder();
  for (const message of messages) order.take(message);
  const problems = [...order.problems];
  const confirmed = new Map(order.confirmed);
  for (const { height, transactions } of blocks.slice(1)) {
    for (const { hash } of transactions) {
      const text = hash.toString("hex").toUpperCase();
      if (confirmed.get(text) !== height) {
        problems.push(`${text} is in block ${height}, its last message is of ${confirmed.get(text)}`);
      }
      confirmed.delete(text);
    }
  }
  for (const [hash, height] of confirmed) {
    if (height > 1) problems.push(`${hash} is confirmed in ${height}, and in no block`);
  }
  return { problems, counts: order.counts };
}

/** See {@link messageProblems}. */
export interface MessageReport {
  readonly problems: readonly string[];
  /** Messages by their channel. */
  readonly counts: Readonly<Record<string, number>>;
}
