import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { SeededRandom } from "../support/seeded-random.js";
import { until } from "../support/until.js";
import type { Attack } from "./attack.js";
import { AttackedGateway, type GatewayForm, LOGGED_BYTES, METRIC_LINES } from "./attacked-gateway.js";
import { Hostile } from "./hostile.js";
import { attacks } from "./list.js";
import { Stage } from "./stage.js";

/**
 * The attacks of `npm run attack`, each for a moment: the gateway serves the attacker afterwards, holds none of its slots,
 * and has grown, logged and counted little. Times are measured by the whole ones alone.
 */

const SMALL = { blocks: 60, accounts: 20, costly: 2, unfunded: 10 };
const ATTACK_MS = 150;
/** Each for itself, an event of 230 kB would take this for 600 subscriptions. */
const GROWTH_MIB = 128;
/** A busy machine ends a costly dry run, and answers, after this time. */
const BUSY_MS = 120_000;
/** What `npm test` draws; `npm test -- --long` runs all. */
const SOME = 16;

let stage: Stage;
/** One for each form. */
const gateways = new Map<string, AttackedGateway>();

beforeAll(async () => {
  stage = await Stage.build(SMALL);
});

afterAll(async () => {
  for (const gateway of gateways.values()) await gateway.stop();
  await stage?.end();
});

async function gatewayOf(form: GatewayForm = {}): Promise<AttackedGateway> {
  const name = JSON.stringify(form);
  const running = gateways.get(name);
  if (running) return running;
  const gateway = await AttackedGateway.start(stage, form);
  await gateway.warmUp();
  gateways.set(name, gateway);
  return gateway;
}

const named = attacks.map((attack): [name: string, attack: Attack] => [attack.name, attack]);

test.each(new SeededRandom().sample(named, SOME))("%s", async (_name, attack) => {
  const gateway = await gatewayOf(attack.gateway);
  const sequence = attack.before ? await stage.write(attack.before) : 0;
  const [memory, logged] = [gateway.residentMiB(), gateway.loggedBytes];
  const end = new AbortController();
  const target = stage.target(gateway.port, sequence);
  const hostile = new Hostile(target, end.signal);
  const work = attack.run(target, hostile);
  // What fails early is reported below.
  work.catch(() => undefined);
  await sleep(ATTACK_MS);
  if (attack.during) await stage.write(attack.during);
  await sleep(ATTACK_MS);
  // What nothing refers to any more is collected meanwhile; what grows with the attack is not.
  const growth = () => Math.round(gateway.residentMiB() - memory);
  await until(
    () => growth() < GROWTH_MIB,
    () => `the gateway has grown by less than ${GROWTH_MIB} MiB: by ${growth()}`,
  );
  end.abort();
  hostile.end();
  await work;
  const { servedMs, held, metricLines, loggedBytes } = await gateway.afterwards(BUSY_MS, BUSY_MS);
  expect({ servedMs, held }).toEqual({ servedMs: expect.any(Number), held: 0 });
  expect(servedMs).toBeLessThan(Number.POSITIVE_INFINITY);
  expect(metricLines).toBeLessThan(METRIC_LINES);
  expect(loggedBytes - logged).toBeLessThan(LOGGED_BYTES);
});
