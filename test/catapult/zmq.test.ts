import { afterEach, expect, test } from "@jest/globals";
import { BrokerSubscriber } from "../../catapult/wire/zmq.js";
import { BROKER_TOPIC, type BrokerMessage } from "../../catapult/wire/zmq-message.js";
import { LogLines } from "../support/log-lines.js";
import { TestBroker } from "../support/test-broker.js";
import { until } from "../support/until.js";

const MAX_FRAME_BYTES = 16 * 1024 * 1024;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A broker and its subscriber, connected. */
async function listening() {
  const broker = await TestBroker.bind();
  closers.push(() => broker.close());
  const log = new LogLines();
  const heights: number[] = [];
  const connections: boolean[] = [];
  const subscriber = new BrokerSubscriber({
    url: broker.url,
    log: log.logger,
    reconnectMs: { first: 20, longest: 100 },
    onMessage: (message: BrokerMessage) => {
      if (message.kind === "droppedBlocks") heights.push(message.height);
    },
    onConnected: () => connections.push(true),
    onDisconnected: () => connections.push(false),
  });
  closers.push(() => subscriber.close());
  const isConnected = () => until(() => broker.subscribers === 1 && subscriber.isConnected, "connected");
  await isConnected();
  return { broker, log, heights, connections, isConnected };
}

function droppedBlocks(height: number): Buffer[] {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(height));
  return [BROKER_TOPIC.droppedBlocks, bytes];
}

test("frames above the limit do not end the feed: it reconnects, and later messages arrive", async () => {
  const { broker, log, heights, connections, isConnected } = await listening();
  for (const height of [1, 2, 3]) {
    await until(async () => {
      await broker.publish(droppedBlocks(height));
      return heights.includes(height);
    }, `message ${height} arrives`);
    await broker.publish([BROKER_TOPIC.droppedBlocks, Buffer.alloc(MAX_FRAME_BYTES + 1)]);
    await until(() => connections.length >= 2 * height, "the connection is lost");
    await isConnected();
  }
  expect(connections).toEqual([true, false, true, false, true, false, true]);
  expect(log.matching(/frame above the limit/)).toHaveLength(3);
  expect(log.matching(/"level":(50|60)/)).toEqual([]);
});

test("a broker that goes away and comes back is connected once", async () => {
  const { broker, log, heights, connections } = await listening();
  const { url } = broker;
  broker.close();
  await until(() => connections.length === 2, "the connection is lost");
  const back = await TestBroker.bind(url);
  closers.push(() => back.close());
  await until(() => connections.length === 3 && back.subscribers === 1, "connected again");
  await back.publish(droppedBlocks(7));
  await until(() => heights.length > 0, "a message arrives");
  await back.publish(droppedBlocks(8));
  await until(() => heights.includes(8), "the next one arrives");
  expect(heights).toEqual([7, 8]);
  expect(log.matching(/frame above the limit/)).toEqual([]);
});
