import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createTestDatabase } from "../support/database.js";
import { EventWriter } from "../support/event-writer.js";
import type { Benchmark, Figure } from "./benchmark.js";
import { measureInTurns, ratiosOfTimes } from "./compare.js";
import { Crowd, crowdSettings } from "./crowd.js";
import { GatewayProgram } from "./gateway-program.js";
import { PREVIOUS, runProgram } from "./previous-version.js";
import { frameSize } from "./raw-client.js";
import { ServerProcess } from "./server-process.js";

const SUBSCRIBERS = 2_000;
const TURNS = { rounds: 100, warmUp: 20 };
/** Work left over from one round must not fall into the next. */
const PAUSE_MS = 5;
const TOPICS = Array.from({ length: SUBSCRIBERS }, () => ["block"]);
const DATA = blockData();

/** One block to many subscribers. */
export const messages: Benchmark = {
  name: "messages",
  title: "Messages: one block to 2,000 subscribers",
  about:
    "Time from the commit of a block's event (baseline: from the start of the loop) until the last of 2,000 clients in another " +
    "process has the whole message. The baseline is a loop over bare `ws` connections in its own process that " +
    "sends the same bytes, without database, GraphQL, topics or limits. With `BENCH_BEFORE=FOLDER`, also the gateway of the " +
    "compiled version in that folder, on a database of its own.",
  run,
};

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const figures = await comparedWithBare(say);
  if (PREVIOUS === undefined) return figures;
  const [gateway, previous] = [await startSender(), await startSender(PREVIOUS)];
  say(`${SUBSCRIBERS} subscribers of both versions`);
  const times = await measureInTurns({ ours: () => gateway.send(), baseline: () => previous.send(), ...TURNS });
  await gateway.stop();
  await previous.stop();
  const samples = ratiosOfTimes(times);
  return [...figures, { what: "speed, now / before", samples, unit: "ratio", target: { atLeast: 0.9 } }];
}

async function comparedWithBare(say: (line: string) => void): Promise<readonly Figure[]> {
  const gateway = await startSender();
  const bare = await ServerProcess.start(fileURLToPath(new URL("./bare-server.js", import.meta.url)));
  const crowd = new Crowd();
  await crowd.connect(bare.port, TOPICS);
  say(`${SUBSCRIBERS} subscribers on each side`);
  let sequence = 0;
  const baseline = async (): Promise<number> => {
    const message = messageOf(++sequence);
    const arrived = crowd.expect(frameSize(message));
    await sleep(PAUSE_MS);
    const reported = once(bare.process, "message");
    bare.process.send(message.toString());
    const [begun] = await reported;
    return Number((await arrived) - BigInt(begun)) / 1e6;
  };
  const times = await measureInTurns({ ours: () => gateway.send(), baseline, ...TURNS });
  crowd.end();
  bare.stop();
  await gateway.stop();
  return [
    { what: "speed: gateway / bare loop", samples: ratiosOfTimes(times), unit: "ratio", target: { atLeast: 0.9 } },
    { what: "gateway, time to the last subscriber", samples: times.ours, unit: "ms" },
    { what: "bare loop, time to the last subscriber", samples: times.baseline, unit: "ms" },
  ];
}

/** A gateway with its database and its subscribers. @param program of another version */
async function startSender(program?: string) {
  const database = await createTestDatabase();
  await runProgram(["migrate"], { DATABASE_URL: database.url }, program);
  const writer = new EventWriter(database.url);
  await writer.begin();
  const gateway = await GatewayProgram.start(database.url, crowdSettings, program ? { program } : {});
  const crowd = new Crowd();
  await crowd.connect(gateway.port, TOPICS);
  await gateway.subscribed(SUBSCRIBERS);
  let sequence = 0;
  return {
    /** Sends a block to all. @returns the time until the last one has it, in ms */
    send: async (): Promise<number> => {
      sequence += 1;
      const arrived = crowd.expect(frameSize(messageOf(sequence)));
      await sleep(PAUSE_MS);
      await writer.write({ channel: "block", data: DATA });
      const committed = process.hrtime.bigint();
      return Number((await arrived) - committed) / 1e6;
    },
    stop: async (): Promise<void> => {
      crowd.end();
      await gateway.stop();
      await writer.close();
      await database.drop();
    },
  };
}

function messageOf(sequence: number): Buffer {
  return Buffer.from(JSON.stringify({ topic: "block", data: DATA, sequence }));
}

/** Content of a block message. */
function blockData() {
  const examples = new URL("../../../gateway/rest/examples.json", import.meta.url);
  const { block, meta } = JSON.parse(readFileSync(examples, "utf8")).getBlockByHeight.answer;
  return { block, meta: { hash: meta.hash, generationHash: meta.generationHash } };
}
