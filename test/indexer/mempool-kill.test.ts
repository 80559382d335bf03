import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { LifeScene, type Source } from "../support/lifecycle-scene.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { SeededRandom } from "../support/seeded-random.js";
import { anyMoment, until } from "../support/until.js";

const quickIndexer = fileURLToPath(new URL("../support/quick-indexer.js", import.meta.url));
/** `TEST_KILLS=100` kills more often. */
const KILLS = Number(process.env.TEST_KILLS ?? 4);
/** An indexer is killed within this time of its work, in ms. */
const LONGEST_WORK_MS = 400;
const TRANSACTIONS_AT_A_TIME = 4;

/** Possible events of a transaction that came and was confirmed without, or with, an indexer. */
const WHOLE_LIVES = [["unconfirmedAdded", "unconfirmedRemoved", "confirmedAdded"], ["confirmedAdded"]];

let scene: LifeScene;
let alice: DevnetAccount;
let bob: DevnetAccount;
let indexer: TestProcess | undefined;

beforeAll(async () => {
  scene = await LifeScene.start("pool");
  await scene.index.stop();
  [alice, bob] = ["alice", "bob"].map((name) => scene.fixture.account(name)) as [DevnetAccount, DevnetAccount];
});

afterAll(async () => {
  await indexer?.kill();
  await scene.stop();
});

function start(source: Source): TestProcess {
  const { devnet, directory } = scene.fixture;
  return startProcess([], {
    script: quickIndexer,
    env: {
      DATABASE_URL: scene.index.url,
      CATAPULT_NODES: `${devnet.host}:${devnet.port}`,
      ...(source === "broker" && { CATAPULT_ZMQ: devnet.zmqEndpoint ?? "" }),
      CATAPULT_RESOURCES: devnet.resourcesDirectory,
      CATAPULT_TLS_DIR: `${directory}/indexer-tls`,
    },
  });
}

test("an indexer that is killed repeatedly loses nothing, and repeats nothing", async () => {
  const random = new SeededRandom();
  const hashes: Buffer[] = [];
  let amount = 0n;
  const push = async () => {
    for (let count = 0; count < TRANSACTIONS_AT_A_TIME; count += 1) {
      amount += 1n;
      hashes.push(await scene.push(scene.make.transaction(alice, scene.transfer(bob.address, amount))));
    }
  };
  for (let kill = 0; kill < KILLS; kill += 1) {
    indexer = start(random.below(2) === 0 ? "broker" : "pool");
    await indexer.waitFor("Following the node");
    await push();
    const hash = hashes.at(-1)!;
    if (random.below(2) === 0) {
      await until(async () => (await scene.channels(hash)).length > 0, "the last is reported");
      await scene.fixture.devnet.harvest(1);
      await push();
    }
    await anyMoment(random, LONGEST_WORK_MS);
    await indexer.kill();
    if (random.below(2) === 0) await push();
    if (random.below(2) === 0) await scene.fixture.devnet.harvest(1);
  }

  await scene.follow("broker");
  await scene.harvest();
  const lifecycles = await Promise.all(hashes.map((hash) => scene.channels(hash)));
  expect(lifecycles.filter((lifecycle) => !WHOLE_LIVES.some((whole) => String(whole) === String(lifecycle)))).toEqual(
    [],
  );
  for (const hash of hashes) expect(await scene.status(hash)).toMatchObject({ group: "confirmed" });
  expect(await scene.waiting("unconfirmed")).toEqual([]);
});
