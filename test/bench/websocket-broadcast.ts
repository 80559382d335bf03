import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createMigratedDatabase } from "../support/database.js";
import { EventWriter } from "../support/event-writer.js";
import type { BareReport } from "./bare-server.js";
import type { Benchmark, Figure } from "./benchmark.js";
import { measureInTurns, ratiosOfTimes } from "./compare.js";
import { Crowd, crowdSettings } from "./crowd.js";
import { GatewayProgram } from "./gateway-program.js";
import { frameSize } from "./raw-client.js";

const SUBSCRIBERS = 2_000;
const ROUNDS = 100;
/** Work left over from one round must not fall into the next. */
const PAUSE_MS = 5;

/** One block to many subscribers. */
export const webSocketBroadcast: Benchmark = {
  name: "websocket-broadcast",
  title: "WebSocket: one block to 2,000 subscribers",
  about:
    "Time from the commit of a block's event (baseline: from the start of the loop) until the last of 2,000 clients in another " +
    "process has the whole message. The baseline is a loop over bare `ws` connections in its own process that " +
    "sends the same bytes, without database, GraphQL, topics or limits.",
  run,
};

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const database = await createMigratedDatabase();
  const writer = new EventWriter(database.url);
  await writer.begin();
  const gateway = await GatewayProgram.start(database.url, crowdSettings);
  const bare = fork(fileURLToPath(new URL("./bare-server.js", import.meta.url)), { execArgv: [] });
  const { port } = (await report(bare)) as { port: number };
  const [ourCrowd, bareCrowd] = [new Crowd(), new Crowd()];
  const topics = Array.from({ length: SUBSCRIBERS }, () => ["block"]);
  await ourCrowd.connect(gateway.port, topics);
  await gateway.subscribed(SUBSCRIBERS);
  await bareCrowd.connect(port, topics);
  say(`${SUBSCRIBERS} subscribers on each side`);

  const data = blockData();
  let sequence = 0;
  const message = (): string => JSON.stringify({ topic: "block", data, sequence });
  const ours = async (): Promise<number> => {
    sequence += 1;
    const arrived = ourCrowd.expect(frameSize(Buffer.from(message())));
    await sleep(PAUSE_MS);
    await writer.write({ channel: "block", data });
    const committed = process.hrtime.bigint();
    return Number((await arrived) - committed) / 1e6;
  };
  const baseline = async (): Promise<number> => {
    const text = message();
    const arrived = bareCrowd.expect(frameSize(Buffer.from(text)));
    await sleep(PAUSE_MS);
    bare.send(text);
    const { begun } = (await report(bare)) as { begun: string };
    return Number((await arrived) - BigInt(begun)) / 1e6;
  };
  const times = await measureInTurns({ ours, baseline, rounds: ROUNDS, warmUp: 20 });
  ourCrowd.end();
  bareCrowd.end();
  bare.kill();
  await gateway.stop();
  await writer.close();
  await database.drop();
  return [
    { what: "speed: gateway / bare loop", samples: ratiosOfTimes(times), unit: "ratio", target: { atLeast: 0.9 } },
    { what: "gateway, time to the last subscriber", samples: times.ours, unit: "ms" },
    { what: "bare loop, time to the last subscriber", samples: times.baseline, unit: "ms" },
  ];
}

async function report(bare: ChildProcess): Promise<BareReport> {
  const [answer] = await once(bare, "message");
  return answer as BareReport;
}

/** Content of a block message. */
function blockData() {
  const hex = (bytes: number): string => randomBytes(bytes).toString("hex").toUpperCase();
  return {
    block: {
      size: 376,
      signature: hex(64),
      signerPublicKey: hex(32),
      version: 1,
      network: 152,
      type: 33091,
      height: "376",
      timestamp: "221969013010",
      difficulty: "10000000000000",
      feeMultiplier: 100,
      previousBlockHash: hex(32),
      transactionsHash: hex(32),
      receiptsHash: hex(32),
      stateHash: hex(32),
      beneficiaryAddress: hex(24),
      proofGamma: hex(32),
      proofVerificationHash: hex(16),
      proofScalar: hex(32),
    },
    meta: { hash: hex(32), generationHash: hex(32) },
  };
}
