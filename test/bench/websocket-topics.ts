import { setTimeout as sleep } from "node:timers/promises";
import { randomAddress } from "../gateway/websocket-fixture.js";
import { createMigratedDatabase } from "../support/database.js";
import { EventWriter, type TestEvent } from "../support/event-writer.js";
import type { Benchmark, Figure } from "./benchmark.js";
import { measureInTurns, ratiosOfTimes } from "./compare.js";
import { Crowd, crowdSettings } from "./crowd.js";
import { GatewayProgram } from "./gateway-program.js";
import { frameSize } from "./raw-client.js";

const TOPICS = 10_000;
/** Events of one round, each to a different address. */
const EVENTS = 1_000;
const SEQUENCE_DIGITS = 7;
const LIMIT_MIB = 512;

/** Many different topics, of which each event concerns one. */
export const webSocketTopics: Benchmark = {
  name: "websocket-topics",
  title: "WebSocket: 10,000 different address topics",
  about:
    "10,000 connections subscribe to `confirmedAdded`, each for a different address. 1,000 events are written in one " +
    "transaction, each for a different one of these addresses: time from the commit until the last of these clients has its message. " +
    "The baseline is a second gateway with one connection that receives the same events through one topic.",
  run,
};

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const database = await createMigratedDatabase();
  const writer = new EventWriter(database.url);
  await writer.begin();
  // All sequences have the same number of digits, so all messages of a side have the same size.
  await writer.query(`UPDATE head SET event_sequence = ${10 ** (SEQUENCE_DIGITS - 1)}`);
  const [many, one] = [
    await GatewayProgram.start(database.url, crowdSettings),
    await GatewayProgram.start(database.url, crowdSettings),
  ];
  const [crowd, single] = [new Crowd(), new Crowd()];
  const addresses = Array.from({ length: TOPICS }, () => randomAddress());
  await sleep(500);
  const start = performance.now();
  await crowd.connect(
    many.port,
    addresses.map(({ text }) => [`confirmedAdded/${text}`]),
  );
  await many.subscribed(TOPICS);
  say(`${TOPICS} topics in ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  await single.connect(one.port, [["confirmedAdded"]]);
  await one.subscribed(1);
  // Until the last feeds are open.
  await sleep(1_000);
  const memory = many.rss();

  const data = { n: "x".repeat(600) };
  const sizeOf = (topic: string): number =>
    frameSize(Buffer.from(JSON.stringify({ topic, data, sequence: 10 ** (SEQUENCE_DIGITS - 1) })));
  let first = 0;
  const write = async (): Promise<bigint> => {
    const events = Array.from({ length: EVENTS }, (_, n): TestEvent => {
      const { bytes } = addresses[first + n]!;
      return { channel: "confirmedAdded", data, addresses: [bytes] };
    });
    await writer.write(...events);
    return process.hrtime.bigint();
  };
  /** Writes the events, and waits for them on both sides. @returns when one side had them, in ms from the commit */
  const round = async (side: "many" | "one"): Promise<number> => {
    const clients = Array.from({ length: EVENTS }, (_, n) => first + n);
    const arrivals = {
      many: crowd.expect(sizeOf(`confirmedAdded/${addresses[0]!.text}`), clients),
      one: single.expect(EVENTS * sizeOf("confirmedAdded")),
    };
    const committed = await write();
    const arrived = await arrivals[side];
    await Promise.all(Object.values(arrivals));
    first = (first + EVENTS) % TOPICS;
    return Number(arrived - committed) / 1e6;
  };
  const times = await measureInTurns({
    ours: () => round("many"),
    baseline: () => round("one"),
    rounds: 10,
    warmUp: 2,
  });
  crowd.end();
  single.end();
  await many.stop();
  await one.stop();
  await writer.close();
  await database.drop();
  return [
    { what: "memory of the gateway", samples: [memory], unit: "MiB", target: { atMost: LIMIT_MIB } },
    { what: "speed: 1,000 topics / one topic", samples: ratiosOfTimes(times), unit: "ratio" },
    { what: "1,000 events to 1,000 of the topics", samples: times.ours, unit: "ms" },
    { what: "1,000 events to one topic", samples: times.baseline, unit: "ms" },
  ];
}
